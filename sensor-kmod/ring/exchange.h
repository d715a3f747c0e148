/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other memory for rings while events flow: what a new size and a snapshot
 * have in common.
 */
#ifndef _MAGNET_EXCHANGE_H
#define _MAGNET_EXCHANGE_H

#include <linux/smp.h>

#include "ring.h"

struct magnet_buffer;
struct magnet_cpu_buffer;
struct netlink_ext_ack;

/**
 * struct magnet_memory_exchange - a ring gets other memory
 * @cb: the ring
 * @memory: its new memory, afterwards the old
 * @copied: what is below this position has been copied
 * @to: instead of @memory: the ring that gets the old one, and gives its own
 * @err: how it went
 */
struct magnet_memory_exchange {
	struct magnet_cpu_buffer	*cb;
	struct magnet_ring_memory	memory;
	unsigned long			copied;
	struct magnet_cpu_buffer	*to;
	int				err;
};

void magnet_exchange_there(struct magnet_memory_exchange *x, smp_call_func_t fn);
int magnet_exchange_run(struct magnet_memory_exchange *x, smp_call_func_t fn);
int magnet_exchange_check(const struct magnet_buffer *buffer, struct netlink_ext_ack *extack);

#endif /* _MAGNET_EXCHANGE_H */
