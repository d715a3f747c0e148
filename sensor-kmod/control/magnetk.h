/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * magnetk, the kernel thread that does the slow work.
 */
#ifndef _MAGNET_MAGNETK_H
#define _MAGNET_MAGNETK_H

int magnetk_start(void);
void magnetk_stop(void);
void magnetk_reap(void);

#endif /* _MAGNET_MAGNETK_H */
