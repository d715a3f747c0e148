/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the CPU that are read with an event.
 */
#ifndef _MAGNET_COUNTERS_H
#define _MAGNET_COUNTERS_H

#include <linux/netlink.h>
#include <linux/types.h>

#include <uapi/magnet.h>

struct magnet_counters_set;

int magnet_counters_init(void);
void magnet_counters_exit(void);
struct magnet_counters_set *magnet_counters_new(u32 which, struct netlink_ext_ack *extack);
struct magnet_counters_set *magnet_counters_get(struct magnet_counters_set *set);
void magnet_counters_put(struct magnet_counters_set *set);
void magnet_counters_read(const struct magnet_counters_set *set, u64 *values);
u32 magnet_counters_size(const struct magnet_counters_set *set);
void magnet_counters_write(const struct magnet_counters_set *set, void *payload);

#endif /* _MAGNET_COUNTERS_H */
