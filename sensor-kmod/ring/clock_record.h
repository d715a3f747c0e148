/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CLOCK records: where a ring's time stamps stand on other clocks.
 */
#ifndef _MAGNET_CLOCK_RECORD_H
#define _MAGNET_CLOCK_RECORD_H

#include <linux/types.h>

struct magnet_clock_pair;
struct magnet_cpu_buffer;
struct magnet_ring;

bool magnet_ring_write_clock(struct magnet_ring *r,
			     const struct magnet_clock_pair *pair, unsigned long *pos);
void magnet_log_clock(struct magnet_cpu_buffer *cb);

#endif /* _MAGNET_CLOCK_RECORD_H */
