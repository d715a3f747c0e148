/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who owns a buffer, a subscription, a point or a filter: a netlink socket.
 */
#ifndef _MAGNET_OWNER_H
#define _MAGNET_OWNER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/types.h>

/**
 * struct magnet_client - a netlink socket that made a buffer or subscription
 * @ref: one for the list, one for each thing it owns
 * @node: in the list of living clients
 * @portid: netlink port id
 * @nr_subs: subscriptions that it has; magnet_mutex
 * @dead: the socket is closed; magnetk ends what it owned
 */
struct magnet_client {
	struct kref		ref;
	struct list_head	node;
	u32			portid;
	unsigned int		nr_subs;
	bool			dead;
};

static inline void magnet_client_get(struct magnet_client *client)
{
	kref_get(&client->ref);
}

static inline void magnet_client_free(struct kref *ref)
{
	kfree(container_of(ref, struct magnet_client, ref));
}

/* Freed with the last reference. */
static inline void magnet_client_put(struct magnet_client *client)
{
	kref_put(&client->ref, magnet_client_free);
}

#endif /* _MAGNET_OWNER_H */
