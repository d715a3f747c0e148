/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Snapshots of flight recorders.
 */
#ifndef _MAGNET_SNAPSHOT_H
#define _MAGNET_SNAPSHOT_H

#include <linux/types.h>

struct magnet_buffer;
struct magnet_client;
struct netlink_ext_ack;

struct magnet_buffer *magnet_buffer_snapshot(struct magnet_buffer *from, const char *name,
					     u32 flags, struct magnet_client *client,
					     struct netlink_ext_ack *extack);

#endif /* _MAGNET_SNAPSHOT_H */
