/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Custom handlers: other modules' functions that filter points.
 */
#ifndef _MAGNET_CUSTOM_H
#define _MAGNET_CUSTOM_H

#include <linux/types.h>

#include <magnet.h>

struct magnet_point;
struct module;
struct netlink_ext_ack;

/**
 * struct magnet_custom - a handler of another module that filters a point
 * @fn: the handler
 * @arg: handed to it
 * @owner: its module
 * @point: what it filters; NULL once that is no more
 */
struct magnet_custom {
	magnet_custom_fn	*fn;
	void			*arg;
	struct module		*owner;
	struct magnet_point	*point;
};

int magnet_point_pin(struct magnet_point *point, struct netlink_ext_ack *extack);
void magnet_point_unpin(struct magnet_point *point);
bool magnet_custom_logs(const struct magnet_custom *custom, u16 event, u64 id,
			const void *payload, u32 size);
void magnet_custom_orphan(struct magnet_point *point);

#endif /* _MAGNET_CUSTOM_H */
