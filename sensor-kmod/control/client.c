// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients: the netlink sockets that own buffers, points and subscriptions.
 * What a socket owns ends with it.
 */
#include <linux/notifier.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "client.h"
#include "kernevesub/correlate.h"
#include "magnetk.h"
#include "monisub/eventdb.h"
#include "monisub/monisub.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "owner.h"
#include "probes/dynamic.h"
#include "ring/buffer.h"
#include "turn.h"

static LIST_HEAD(clients);
static DEFINE_SPINLOCK(clients_lock);

static struct magnet_client *find_client(u32 portid)
{
	struct magnet_client *client;

	list_for_each_entry(client, &clients, node)
		if (client->portid == portid)
			return client;
	return NULL;
}

/**
 * magnet_client_of() - the client of a request
 * @portid: its socket's
 *
 * The socket can't be closed while the request runs, so the client stays in
 * the list.
 *
 * Context: may sleep.
 * Return: the client, or NULL without memory.
 */
struct magnet_client *magnet_client_of(u32 portid)
{
	struct magnet_client *client, *new;

	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	spin_lock(&clients_lock);
	client = find_client(portid);
	if (!client && new) {
		kref_init(&new->ref);
		new->portid = portid;
		list_add(&new->node, &clients);
		client = new;
		new = NULL;
	}
	spin_unlock(&clients_lock);
	kfree(new);
	return client;
}

/* A netlink socket was closed: what it owned ends, in magnetk. */
static int socket_closed(struct notifier_block *nb, unsigned long event, void *arg)
{
	const struct netlink_notify *n = arg;
	struct magnet_client *client;

	if (event != NETLINK_URELEASE || n->protocol != NETLINK_GENERIC ||
	    !net_eq(n->net, &init_net))
		return NOTIFY_DONE;
	spin_lock(&clients_lock);
	client = find_client(n->portid);
	if (client) {
		list_del(&client->node);
		WRITE_ONCE(client->dead, true);
	}
	spin_unlock(&clients_lock);
	if (client) {
		magnet_client_put(client);
		magnetk_reap();
	}
	return NOTIFY_OK;
}

static struct notifier_block socket_notifier = {
	.notifier_call = socket_closed,
};

static bool client_is_dead(const struct magnet_client *client)
{
	return client && READ_ONCE(client->dead);
}

static bool sub_is_orphan(const struct magnet_sub *sub, const void *unused)
{
	return client_is_dead(sub->client) || client_is_dead(sub->buffer->client) ||
	       client_is_dead(sub->point->client);
}

static bool correlation_is_orphan(const struct magnet_correlation *c, const void *unused)
{
	return client_is_dead(c->client) || client_is_dead(c->target->client) ||
	       client_is_dead(c->point[0]->client) ||
	       (c->point[1] && client_is_dead(c->point[1]->client));
}

/* A socket that is closed meanwhile is dead before its subscriptions end: the next round. */
static bool point_is_orphan(const struct magnet_point *point)
{
	return client_is_dead(point->client) && !point->nr_subs;
}

/*
 * Remove dynamic points, those that match or all; their subscriptions have
 * ended. Those without definition are other modules' events.
 */
static void remove_points(bool (*match)(const struct magnet_point *point))
{
	struct magnet_point *point;
	unsigned int n = magnet_nr_points;

	while ((point = magnet_point_nth(n))) {
		if (!point->definition || (match && !match(point))) {
			n++;
			continue;
		}
		magnet_point_del(point);
		magnet_dynamic_free(point);
	}
}

/* magnetk: end what dead clients owned. */
void magnet_reap_clients(void)
{
	struct magnet_buffer *buffer;
	unsigned int n = 0;

	mutex_lock(&magnet_mutex);
	magnet_end_correlations(correlation_is_orphan, NULL);
	magnet_end_subs(sub_is_orphan, NULL);
	remove_points(point_is_orphan);
	while ((buffer = magnet_buffer_nth(n))) {
		if (client_is_dead(buffer->client) && !buffer->nr_writers)
			magnet_buffer_remove(buffer);
		else
			n++;
	}
	magnet_generation++;
	mutex_unlock(&magnet_mutex);
}

static bool any_sub(const struct magnet_sub *sub, const void *unused)
{
	return true;
}

/**
 * magnet_end_all() - end every subscription, filter, dynamic point and buffer
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_end_all(void)
{
	struct magnet_buffer *buffer;

	magnet_end_correlations(NULL, NULL);
	magnet_end_subs(any_sub, NULL);
	remove_points(NULL);
	while ((buffer = magnet_buffer_nth(0)))
		magnet_buffer_remove(buffer);
	magnet_generation++;
}

int magnet_clients_init(void)
{
	return netlink_register_notifier(&socket_notifier);
}

/* No request comes any more. */
void magnet_clients_exit(void)
{
	struct magnet_client *client, *next;

	netlink_unregister_notifier(&socket_notifier);
	list_for_each_entry_safe(client, next, &clients, node) {
		list_del(&client->node);
		magnet_client_put(client);
	}
}
