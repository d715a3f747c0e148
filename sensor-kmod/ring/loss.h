/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Losses: how many events found no place.
 */
#ifndef _MAGNET_LOSS_H
#define _MAGNET_LOSS_H

#include <linux/types.h>

#include "bell.h"

struct magnet_buffer;
struct magnet_ring;

/* Rung when events are dropped somewhere. */
extern struct magnet_bell magnet_loss_bell;

u64 magnet_ring_lost(const struct magnet_ring *r);
u64 magnet_buffer_lost(const struct magnet_buffer *buffer);

#endif /* _MAGNET_LOSS_H */
