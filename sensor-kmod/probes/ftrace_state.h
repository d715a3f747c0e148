/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether the kernel calls anybody at functions.
 */
#ifndef _MAGNET_PROBES_FTRACE_STATE_H
#define _MAGNET_PROBES_FTRACE_STATE_H

#include <linux/types.h>

bool magnet_ftrace_disabled(void);

#endif /* _MAGNET_PROBES_FTRACE_STATE_H */
