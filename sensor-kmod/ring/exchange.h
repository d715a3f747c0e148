/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other memory for rings while events flow: another size, and snapshots.
 */
#ifndef _MAGNET_EXCHANGE_H
#define _MAGNET_EXCHANGE_H

#include <linux/types.h>

struct magnet_buffer;
struct magnet_client;
struct netlink_ext_ack;

int magnet_buffer_resize(struct magnet_buffer *buffer, u64 size, struct netlink_ext_ack *extack);
struct magnet_buffer *magnet_buffer_snapshot(struct magnet_buffer *from, const char *name,
					     u32 flags, struct magnet_client *client,
					     struct netlink_ext_ack *extack);

#endif /* _MAGNET_EXCHANGE_H */
