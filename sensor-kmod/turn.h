/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control requests take turns, and each that changes something counts.
 */
#ifndef _MAGNET_TURN_H
#define _MAGNET_TURN_H

#include <linux/mutex.h>

/* Control requests, one at a time. First in the lock order (main.c). */
extern struct mutex magnet_mutex;

/* Raised by every change, so that a dump can tell that it is inconsistent. */
extern unsigned int magnet_generation;

#endif /* _MAGNET_TURN_H */
