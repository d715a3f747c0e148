/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways into the kernel: how points are hooked.
 */
#ifndef _MAGNET_PROBES_MECHANISM_H
#define _MAGNET_PROBES_MECHANISM_H

#include <linux/types.h>

#include <uapi/magnet.h>

struct magnet_point;
struct module;

void magnet_tracepoint_resolve(struct magnet_point *point);
int magnet_tracepoint_attach(struct magnet_point *point);
void magnet_tracepoint_detach(struct magnet_point *point);
void magnet_tracepoint_module_comes(struct magnet_point *point, const struct module *module);
void magnet_tracepoint_module_goes(struct magnet_point *point, const struct module *module);
int magnet_ftrace_find(unsigned long addr);
void magnet_ftrace_resolve(struct magnet_point *point);
int magnet_ftrace_attach(struct magnet_point *point);
void magnet_ftrace_detach(struct magnet_point *point);
u64 magnet_ftrace_missed(const struct magnet_point *point);
void magnet_ftrace_module_comes(struct magnet_point *point, const struct module *module);
void magnet_ftrace_module_goes(struct magnet_point *point, const struct module *module);
void magnet_kprobe_resolve(struct magnet_point *point);
int magnet_kprobe_attach(struct magnet_point *point);
void magnet_kprobe_detach(struct magnet_point *point);
enum magnet_hook magnet_kprobe_hook(const struct magnet_point *point);
u64 magnet_kprobe_missed(const struct magnet_point *point);
void magnet_kprobe_module_comes(struct magnet_point *point, const struct module *module);
void magnet_kprobe_module_goes(struct magnet_point *point, const struct module *module);

#endif /* _MAGNET_PROBES_MECHANISM_H */
