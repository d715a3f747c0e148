/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs that come.
 */
#ifndef _MAGNET_HOTPLUG_H
#define _MAGNET_HOTPLUG_H

int magnet_hotplug_init(void);
void magnet_hotplug_exit(void);

#endif /* _MAGNET_HOTPLUG_H */
