/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_DEVICE_H
#define _GTRACE_DEVICE_H

int gtrace_device_init(void);
void gtrace_device_exit(void);

#endif /* _GTRACE_DEVICE_H */
