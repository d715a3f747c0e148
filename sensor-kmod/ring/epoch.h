/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Epochs of the timer: each begins where it jumped, and every ring is told.
 */
#ifndef _MAGNET_EPOCH_H
#define _MAGNET_EPOCH_H

#include <linux/types.h>

#include "buffer.h"
#include "clock.h"

void magnet_buffers_write_clock(void);
bool magnet_buffers_write_epoch(void);
void magnet_buffers_write_epoch_here(void);

/* Has the ring a CLOCK record of this epoch? Below cb->border is what is older. */
static inline bool magnet_epoch_told(const struct magnet_cpu_buffer *cb)
{
	/* Pairs with magnet_log_clock(). */
	return smp_load_acquire(&cb->epoch) == magnet_clock_epoch();
}

#endif /* _MAGNET_EPOCH_H */
