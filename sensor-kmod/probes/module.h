/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points in other modules, which come and go.
 */
#ifndef _MAGNET_PROBES_MODULE_H
#define _MAGNET_PROBES_MODULE_H

#include <linux/types.h>

struct tracepoint;

int magnet_modules_init(void);
void magnet_modules_exit(void);
struct tracepoint *magnet_module_tracepoint(const char *module, const char *name,
					    const char **owner);
bool magnet_module_is_known(const char *module);

#endif /* _MAGNET_PROBES_MODULE_H */
