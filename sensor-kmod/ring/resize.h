/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Another size for a buffer while events flow.
 */
#ifndef _MAGNET_RESIZE_H
#define _MAGNET_RESIZE_H

#include <linux/types.h>

struct magnet_buffer;
struct netlink_ext_ack;

int magnet_buffer_resize(struct magnet_buffer *buffer, u64 size, struct netlink_ext_ack *extack);

#endif /* _MAGNET_RESIZE_H */
