/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the kernel calls anybody at kprobes.
 */
#ifndef _MAGNET_PROBES_KPROBE_STATE_H
#define _MAGNET_PROBES_KPROBE_STATE_H

#include <linux/types.h>

void magnet_kprobes_watch(void);
void magnet_kprobes_unwatch(void);
bool magnet_kprobes_disabled(void);

#endif /* _MAGNET_PROBES_KPROBE_STATE_H */
