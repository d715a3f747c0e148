// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control requests take turns, and each that changes something counts.
 */
#include "turn.h"

/* Orders control requests: points, subscriptions, the list of buffers. */
DEFINE_MUTEX(magnet_mutex);
/* Guarded by it. */
unsigned int magnet_generation = 1;
