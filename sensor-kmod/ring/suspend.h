/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A machine that sleeps: the timer may have stood still, or begin anew.
 */
#ifndef _MAGNET_SUSPEND_H
#define _MAGNET_SUSPEND_H

int magnet_suspend_watch(void);
void magnet_suspend_unwatch(void);

#endif /* _MAGNET_SUSPEND_H */
