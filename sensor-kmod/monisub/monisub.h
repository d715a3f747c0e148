/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MoniSub, the monitoring subsystem: the life of subscriptions.
 */
#ifndef _MAGNET_MONISUB_H
#define _MAGNET_MONISUB_H

#include <linux/list.h>
#include <linux/types.h>

struct magnet_buffer;
struct magnet_client;
struct magnet_point;
struct magnet_sub;
struct magnet_wish;
struct netlink_ext_ack;

/* All subscriptions; magnet_mutex. */
extern struct list_head magnet_subs;

struct magnet_sub *magnet_subscribe(struct magnet_point *point,
				    struct magnet_buffer *buffer, u32 flags,
				    struct magnet_wish *wish, struct magnet_client *client,
				    struct netlink_ext_ack *extack);
int magnet_sub_change(struct magnet_sub *sub, struct magnet_wish *wish,
		      struct netlink_ext_ack *extack);
void magnet_sub_detach(struct magnet_sub *sub);
void magnet_sub_free(struct magnet_sub *sub);
struct magnet_sub *magnet_sub_find(u32 id);
struct magnet_sub *magnet_sub_nth(unsigned int n);
u64 magnet_sub_missed(const struct magnet_sub *sub);
void magnet_sub_quiesce(void);
void magnet_end_subs(bool (*match)(const struct magnet_sub *sub, const void *arg),
		     const void *arg);
bool magnet_sub_of_point(const struct magnet_sub *sub, const void *point);

#endif /* _MAGNET_MONISUB_H */
