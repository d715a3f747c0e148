// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control by generic netlink, family "magnet": magnet.yaml describes it.
 *
 * parallel_ops, because hooking waits for grace periods and must not hold up
 * other families; requests are ordered by magnet_mutex instead.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "magnet_internal.h"
#include "record.h"

static struct genl_family family;

/* Raised by every change, so that a dump can tell that it is inconsistent. */
static unsigned int generation = 1;

/* ---- clients ---- */

static LIST_HEAD(clients);
static DEFINE_SPINLOCK(clients_lock);

static void free_client(struct kref *ref)
{
	kfree(container_of(ref, struct magnet_client, ref));
}

void magnet_client_get(struct magnet_client *client)
{
	kref_get(&client->ref);
}

void magnet_client_put(struct magnet_client *client)
{
	kref_put(&client->ref, free_client);
}

static struct magnet_client *find_client(u32 portid)
{
	struct magnet_client *client;

	list_for_each_entry(client, &clients, node)
		if (client->portid == portid)
			return client;
	return NULL;
}

/*
 * The client of a request. Its socket can't be closed while the request runs,
 * so the client stays in the list.
 */
static struct magnet_client *client_of(const struct genl_info *info)
{
	struct magnet_client *client, *new;

	new = kzalloc(sizeof(*new), GFP_KERNEL);
	spin_lock(&clients_lock);
	client = find_client(info->snd_portid);
	if (!client && new) {
		kref_init(&new->ref);
		new->portid = info->snd_portid;
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

static bool sub_of_point(const struct magnet_sub *sub, const void *point)
{
	return sub->point == point;
}

static bool point_is_orphan(const struct magnet_point *point)
{
	return client_is_dead(point->client);
}

/* Remove dynamic points, those that match or all; their subscriptions have ended. */
static void remove_points(bool (*match)(const struct magnet_point *point))
{
	struct magnet_point *point;
	unsigned int n = magnet_nr_points;

	while ((point = magnet_point_nth(n))) {
		if (match && !match(point)) {
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
	magnet_end_subs(sub_is_orphan, NULL);
	remove_points(point_is_orphan);
	while ((buffer = magnet_buffer_nth(n))) {
		if (client_is_dead(buffer->client))
			magnet_buffer_remove(buffer);
		else
			n++;
	}
	generation++;
	mutex_unlock(&magnet_mutex);
}

static bool any_sub(const struct magnet_sub *sub, const void *unused)
{
	return true;
}

/**
 * magnet_end_all() - end every subscription, dynamic point and buffer
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_end_all(void)
{
	struct magnet_buffer *buffer;

	magnet_end_subs(any_sub, NULL);
	remove_points(NULL);
	while ((buffer = magnet_buffer_nth(0)))
		magnet_buffer_remove(buffer);
	generation++;
}

/* ---- requests ---- */

static int may_change(const struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	if (netlink_capable(skb, CAP_PERFMON) || netlink_capable(skb, CAP_SYS_ADMIN))
		return 0;
	NL_SET_ERR_MSG(extack, "needs CAP_PERFMON or CAP_SYS_ADMIN");
	return -EPERM;
}

static const char *buffer_name_of(const struct genl_info *info)
{
	if (info->attrs[MAGNET_A_BUFFER])
		return nla_data(info->attrs[MAGNET_A_BUFFER]);
	NL_SET_ERR_MSG(info->extack, "the request does not name a buffer");
	return NULL;
}

static const char *point_name_of(const struct genl_info *info)
{
	if (info->attrs[MAGNET_A_POINT])
		return nla_data(info->attrs[MAGNET_A_POINT]);
	NL_SET_ERR_MSG(info->extack, "the request does not name a point");
	return NULL;
}

static struct sk_buff *reply_new(struct genl_info *info, u8 cmd, size_t size,
				 void **hdr)
{
	struct sk_buff *skb = genlmsg_new(size, GFP_KERNEL);

	if (!skb)
		return NULL;
	*hdr = genlmsg_put_reply(skb, info, &family, 0, cmd);
	if (*hdr)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

static int reply_send(struct sk_buff *skb, void *hdr, struct genl_info *info)
{
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

static int put_info(struct sk_buff *skb)
{
	struct magnet_clock_pair pair;

	magnet_clock_pair_now(&pair);
	return nla_put_u32(skb, MAGNET_A_ABI_VERSION, MAGNET_ABI_VERSION) ||
	       nla_put_string(skb, MAGNET_A_MODULE_VERSION, THIS_MODULE->version) ||
	       nla_put_u32(skb, MAGNET_A_LAYOUT, magnet_classic() ?
			   MAGNET_LAYOUT_CLASSIC : MAGNET_LAYOUT_WIDE) ||
	       nla_put_u32(skb, MAGNET_A_CLOCK, magnet_clock_source()) ||
	       nla_put_u32(skb, MAGNET_A_CLOCK_KHZ, magnet_clock_khz()) ||
	       nla_put_u64_64bit(skb, MAGNET_A_CLOCK_TIMER, pair.timer, MAGNET_A_PAD) ||
	       nla_put_u64_64bit(skb, MAGNET_A_CLOCK_REALTIME_NS, pair.realtime_ns,
				 MAGNET_A_PAD) ||
	       nla_put_u64_64bit(skb, MAGNET_A_CLOCK_MONOTONIC_NS, pair.monotonic_ns,
				 MAGNET_A_PAD);
}

static int info_get(struct sk_buff *request, struct genl_info *info)
{
	struct sk_buff *skb;
	void *hdr;

	skb = reply_new(info, MAGNET_CMD_INFO_GET, NLMSG_GOODSIZE, &hdr);
	if (!skb)
		return -ENOMEM;
	if (put_info(skb)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	return reply_send(skb, hdr, info);
}

static int put_buffer(struct sk_buff *skb, const struct magnet_buffer *buffer)
{
	return nla_put_string(skb, MAGNET_A_BUFFER, buffer->name) ||
	       nla_put_u64_64bit(skb, MAGNET_A_BUFFER_SIZE, buffer->size, MAGNET_A_PAD) ||
	       nla_put_u32(skb, MAGNET_A_FLAGS, buffer->flags) ||
	       nla_put_u32(skb, MAGNET_A_SUB_COUNT, buffer->nr_subs) ||
	       (buffer->client &&
		nla_put_u32(skb, MAGNET_A_OWNER, buffer->client->portid));
}

/* The owner of what a request makes: NULL when it is to be persistent. */
static int owner_of(const struct genl_info *info, u32 flags, struct magnet_client **owner)
{
	*owner = NULL;
	if (flags & MAGNET_F_PERSISTENT)
		return 0;
	*owner = client_of(info);
	return *owner ? 0 : -ENOMEM;
}

static int make_buffer(struct sk_buff *reply, const struct genl_info *info,
		       const char *name)
{
	const struct nlattr *size_attr = info->attrs[MAGNET_A_BUFFER_SIZE];
	const struct nlattr *flags_attr = info->attrs[MAGNET_A_FLAGS];
	const u64 size = size_attr ? nla_get_u64(size_attr) : MAGNET_BUFFER_SIZE_DEFAULT;
	const u32 flags = flags_attr ? nla_get_u32(flags_attr) : 0;
	struct magnet_client *owner;
	struct magnet_buffer *buffer;
	int err;

	err = owner_of(info, flags, &owner);
	if (err)
		return err;
	buffer = magnet_buffer_create(name, size, flags, owner, info->extack);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	generation++;
	return put_buffer(reply, buffer) ? -EMSGSIZE : 0;
}

static int buffer_new(struct sk_buff *request, struct genl_info *info)
{
	const char *name = buffer_name_of(info);
	struct sk_buff *skb;
	void *hdr;
	int err;

	err = may_change(request, info->extack);
	if (err)
		return err;
	if (!name)
		return -EINVAL;
	skb = reply_new(info, MAGNET_CMD_BUFFER_NEW, NLMSG_GOODSIZE, &hdr);
	if (!skb)
		return -ENOMEM;
	mutex_lock(&magnet_mutex);
	err = make_buffer(skb, info, name);
	mutex_unlock(&magnet_mutex);
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	return reply_send(skb, hdr, info);
}

static bool sub_of_buffer(const struct magnet_sub *sub, const void *buffer)
{
	return sub->buffer == buffer;
}

static int buffer_del(struct sk_buff *request, struct genl_info *info)
{
	const char *name = buffer_name_of(info);
	struct magnet_buffer *buffer;
	int err;

	err = may_change(request, info->extack);
	if (err)
		return err;
	if (!name)
		return -EINVAL;
	mutex_lock(&magnet_mutex);
	buffer = magnet_buffer_find(name);
	if (buffer) {
		magnet_end_subs(sub_of_buffer, buffer);
		magnet_buffer_remove(buffer);
		generation++;
	} else {
		NL_SET_ERR_MSG(info->extack, "there is no buffer of this name");
		err = -ENOENT;
	}
	mutex_unlock(&magnet_mutex);
	return err;
}

static int put_sub(struct sk_buff *skb, const struct magnet_sub *sub)
{
	return nla_put_u32(skb, MAGNET_A_SUB_ID, sub->id) ||
	       nla_put_string(skb, MAGNET_A_POINT, sub->point->name) ||
	       nla_put_u16(skb, MAGNET_A_EVENT, sub->point->event) ||
	       nla_put_string(skb, MAGNET_A_BUFFER, sub->buffer->name) ||
	       nla_put_u32(skb, MAGNET_A_FLAGS, sub->flags) ||
	       (sub->client && nla_put_u32(skb, MAGNET_A_OWNER, sub->client->portid));
}

static int put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, MAGNET_A_PAD);
}

/*
 * Kprobes do not say on which CPU they missed a hit: all are told with the
 * first one, so that the sum is right.
 */
static u64 missed_on(const struct magnet_sub *sub, int cpu)
{
	return cpu == cpumask_first(cpu_possible_mask) ? magnet_sub_missed(sub) : 0;
}

static int put_sub_cpu(struct sk_buff *skb, const struct magnet_sub *sub, int cpu)
{
	const struct magnet_sub_cpu *sc = per_cpu_ptr(sub->cpu, cpu);
	struct nlattr *nest = nla_nest_start(skb, MAGNET_A_CPU_STATS);

	if (nest && !nla_put_u32(skb, MAGNET_A_CPU, cpu) &&
	    !put_u64(skb, MAGNET_A_HITS, local_read(&sc->hits)) &&
	    !put_u64(skb, MAGNET_A_COMMITTED, local_read(&sc->committed)) &&
	    !put_u64(skb, MAGNET_A_FILTERED, local_read(&sc->filtered)) &&
	    !put_u64(skb, MAGNET_A_SAMPLED_OUT, local_read(&sc->sampled_out)) &&
	    !put_u64(skb, MAGNET_A_DROPPED_FULL, local_read(&sc->dropped_full)) &&
	    !put_u64(skb, MAGNET_A_DROPPED_BIG, local_read(&sc->dropped_big)) &&
	    !put_u64(skb, MAGNET_A_DROPPED_RECURSION, local_read(&sc->dropped_recursion)) &&
	    !put_u64(skb, MAGNET_A_MISSED, missed_on(sub, cpu))) {
		nla_nest_end(skb, nest);
		return 0;
	}
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/* Bytes that put_sub_cpu() may take. */
#define SUB_CPU_SIZE	(nla_total_size(0) + nla_total_size(sizeof(u32)) +	\
			 8 * nla_total_size_64bit(sizeof(u64)))

static bool sub_has_cpu(const struct magnet_sub *sub, int cpu)
{
	return per_cpu_ptr(sub->cpu, cpu)->ring;
}

static int make_sub(struct sk_buff *reply, const struct genl_info *info,
		    const char *point_name, const char *buffer_name)
{
	const struct nlattr *flags_attr = info->attrs[MAGNET_A_FLAGS];
	const u32 flags = flags_attr ? nla_get_u32(flags_attr) : 0;
	struct magnet_point *point = magnet_point_find(point_name);
	struct magnet_buffer *buffer = magnet_buffer_find(buffer_name);
	struct magnet_client *owner;
	struct magnet_sub *sub;
	int err;

	if (!point) {
		NL_SET_ERR_MSG(info->extack, "there is no point of this name; control/events lists them");
		return -ENOENT;
	}
	if (!buffer) {
		NL_SET_ERR_MSG(info->extack, "there is no buffer of this name");
		return -ENOENT;
	}
	err = owner_of(info, flags, &owner);
	if (err)
		return err;
	sub = magnet_subscribe(point, buffer, flags, owner, info->extack);
	if (IS_ERR(sub))
		return PTR_ERR(sub);
	generation++;
	return put_sub(reply, sub) ? -EMSGSIZE : 0;
}

static int sub_new(struct sk_buff *request, struct genl_info *info)
{
	const char *point = point_name_of(info);
	const char *buffer = buffer_name_of(info);
	struct sk_buff *skb;
	void *hdr;
	int err;

	err = may_change(request, info->extack);
	if (err)
		return err;
	if (!point || !buffer)
		return -EINVAL;
	skb = reply_new(info, MAGNET_CMD_SUB_NEW, NLMSG_GOODSIZE, &hdr);
	if (!skb)
		return -ENOMEM;
	mutex_lock(&magnet_mutex);
	err = make_sub(skb, info, point, buffer);
	mutex_unlock(&magnet_mutex);
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	return reply_send(skb, hdr, info);
}

/* Nothing is lost on the way out: the reply has the final counters. */
static void end_sub(struct sk_buff *reply, struct magnet_sub *sub)
{
	int cpu;

	magnet_sub_detach(sub);
	magnet_sub_quiesce();
	if (!put_sub(reply, sub))
		for_each_possible_cpu(cpu)
			if (sub_has_cpu(sub, cpu) && put_sub_cpu(reply, sub, cpu))
				break;
	magnet_sub_free(sub);
	generation++;
}

static int sub_del(struct sk_buff *request, struct genl_info *info)
{
	const struct nlattr *id = info->attrs[MAGNET_A_SUB_ID];
	struct magnet_sub *sub;
	struct sk_buff *skb;
	void *hdr;
	int err;

	err = may_change(request, info->extack);
	if (err)
		return err;
	if (!id) {
		NL_SET_ERR_MSG(info->extack, "the request does not name a subscription");
		return -EINVAL;
	}
	skb = reply_new(info, MAGNET_CMD_SUB_DEL,
			NLMSG_GOODSIZE + num_possible_cpus() * SUB_CPU_SIZE, &hdr);
	if (!skb)
		return -ENOMEM;
	mutex_lock(&magnet_mutex);
	sub = magnet_sub_find(nla_get_u32(id));
	if (sub)
		end_sub(skb, sub);
	mutex_unlock(&magnet_mutex);
	if (!sub) {
		NL_SET_ERR_MSG(info->extack, "there is no subscription of this id");
		nlmsg_free(skb);
		return -ENOENT;
	}
	return reply_send(skb, hdr, info);
}

static int shutdown(struct sk_buff *request, struct genl_info *info)
{
	int err = may_change(request, info->extack);

	if (err)
		return err;
	mutex_lock(&magnet_mutex);
	magnet_end_all();
	mutex_unlock(&magnet_mutex);
	return 0;
}

/* ---- dumps ---- */

/* Where a dump goes on: the item, and within it the CPU. */
struct cursor {
	unsigned int	item;
	int		cpu;
};

static struct cursor *cursor_of(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct cursor) > sizeof(cb->ctx));
	return (struct cursor *)cb->ctx;
}

static void *dump_header(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	void *hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				&family, NLM_F_MULTI, cmd);

	if (hdr)
		genl_dump_check_consistent(cb, hdr);
	return hdr;
}

static int put_fn(struct sk_buff *skb, const struct magnet_point *p, unsigned int i)
{
	const struct magnet_fn *fn = p->fns ? &p->fns[i] : NULL;
	const enum magnet_fn_state state = magnet_fn_state(p, i);
	struct nlattr *nest = nla_nest_start(skb, MAGNET_A_FN);
	const char *taken = magnet_point_target(p);
	char tried[128] = "";
	unsigned int j;

	if (!nest)
		return -EMSGSIZE;
	if (fn) {
		taken = fn->taken < 0 ? "" : fn->alternatives[fn->taken].symbol;
		for (j = 0; j < MAGNET_ALTERNATIVES_MAX && fn->alternatives[j].symbol; j++) {
			if (j)
				strlcat(tried, ",", sizeof(tried));
			strlcat(tried, fn->alternatives[j].symbol, sizeof(tried));
		}
	} else {
		strscpy(tried, taken, sizeof(tried));
	}
	if (nla_put_string(skb, MAGNET_A_FN_FAMILY, fn ? fn->family : "") ||
	    nla_put_string(skb, MAGNET_A_FN_NAME,
			   state == MAGNET_FN_UNRESOLVED ? "" : taken) ||
	    nla_put_u32(skb, MAGNET_A_FN_STATE, state) ||
	    nla_put_string(skb, MAGNET_A_FN_TRIED, tried))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_point(struct sk_buff *skb, const struct magnet_point *p)
{
	unsigned int i;

	if (nla_put_string(skb, MAGNET_A_POINT, p->name) ||
	    nla_put_u16(skb, MAGNET_A_EVENT, p->event) ||
	    nla_put_string(skb, MAGNET_A_SUBSYSTEM, p->subsystem) ||
	    nla_put_u32(skb, MAGNET_A_MECHANISM, p->mechanism) ||
	    nla_put_u32(skb, MAGNET_A_SUB_COUNT, p->nr_subs) ||
	    nla_put_u32(skb, MAGNET_A_HOOK, magnet_point_hook(p)) ||
	    put_u64(skb, MAGNET_A_MISSED, magnet_point_missed(p)) ||
	    (p->definition && nla_put_string(skb, MAGNET_A_DEFINITION, p->definition)) ||
	    (p->client && nla_put_u32(skb, MAGNET_A_OWNER, p->client->portid)))
		return -EMSGSIZE;
	for (i = 0; i < magnet_point_parts(p); i++)
		if (put_fn(skb, p, i))
			return -EMSGSIZE;
	return 0;
}

static int point_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct cursor *at = cursor_of(cb);
	struct magnet_point *point;

	mutex_lock(&magnet_mutex);
	cb->seq = generation;
	for (; (point = magnet_point_nth(at->item)); at->item++) {
		void *hdr = dump_header(skb, cb, MAGNET_CMD_POINT_GET);

		if (!hdr)
			break;
		if (put_point(skb, point)) {
			genlmsg_cancel(skb, hdr);
			break;
		}
		genlmsg_end(skb, hdr);
	}
	mutex_unlock(&magnet_mutex);
	return skb->len;
}

static int put_ring(struct sk_buff *skb, struct magnet_cpu_buffer *cb)
{
	struct nlattr *nest = nla_nest_start(skb, MAGNET_A_CPU_STATS);
	struct magnet_ring *r = &cb->ring;

	if (nest && !nla_put_u32(skb, MAGNET_A_CPU, r->cpu) &&
	    !put_u64(skb, MAGNET_A_RECORDS_WRITTEN, local_read(&r->records)) &&
	    !put_u64(skb, MAGNET_A_RECORDS_READ, cb->records_read) &&
	    !put_u64(skb, MAGNET_A_BYTES_WRITTEN, magnet_ring_published(r)) &&
	    !put_u64(skb, MAGNET_A_BYTES_READ, cb->bytes_read) &&
	    !put_u64(skb, MAGNET_A_LOST, magnet_ring_lost(r)) &&
	    !put_u64(skb, MAGNET_A_LOST_REPORTED, atomic_long_read(&r->lost_reported))) {
		nla_nest_end(skb, nest);
		return 0;
	}
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/*
 * One message for each item; when its CPUs do not fit, it goes on in another
 * message for the same item. Return: true when the item is through.
 */
static bool dump_buffer(struct sk_buff *skb, struct netlink_callback *cb,
			struct magnet_buffer *buffer)
{
	struct cursor *at = cursor_of(cb);
	void *hdr = dump_header(skb, cb, MAGNET_CMD_BUFFER_GET);
	int first = at->cpu;

	if (!hdr)
		return false;
	if (put_buffer(skb, buffer))
		goto cancel;
	for (; at->cpu < nr_cpu_ids; at->cpu++)
		if (buffer->cpu[at->cpu] && put_ring(skb, buffer->cpu[at->cpu]))
			break;
	if (at->cpu == first)
		goto cancel;
	genlmsg_end(skb, hdr);
	return at->cpu == nr_cpu_ids;

cancel:
	genlmsg_cancel(skb, hdr);
	return false;
}

static bool dump_sub(struct sk_buff *skb, struct netlink_callback *cb,
		     struct magnet_sub *sub)
{
	struct cursor *at = cursor_of(cb);
	void *hdr = dump_header(skb, cb, MAGNET_CMD_SUB_GET);
	int first = at->cpu;

	if (!hdr)
		return false;
	if (put_sub(skb, sub))
		goto cancel;
	for (; at->cpu < nr_cpu_ids; at->cpu++)
		if (cpu_possible(at->cpu) && sub_has_cpu(sub, at->cpu) &&
		    put_sub_cpu(skb, sub, at->cpu))
			break;
	if (at->cpu == first)
		goto cancel;
	genlmsg_end(skb, hdr);
	return at->cpu == nr_cpu_ids;

cancel:
	genlmsg_cancel(skb, hdr);
	return false;
}

static int buffer_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct cursor *at = cursor_of(cb);
	struct magnet_buffer *buffer;

	mutex_lock(&magnet_mutex);
	cb->seq = generation;
	while ((buffer = magnet_buffer_nth(at->item)) && dump_buffer(skb, cb, buffer)) {
		at->item++;
		at->cpu = 0;
	}
	mutex_unlock(&magnet_mutex);
	return skb->len;
}

static int sub_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct cursor *at = cursor_of(cb);
	struct magnet_sub *sub;

	mutex_lock(&magnet_mutex);
	cb->seq = generation;
	while ((sub = magnet_sub_nth(at->item)) && dump_sub(skb, cb, sub)) {
		at->item++;
		at->cpu = 0;
	}
	mutex_unlock(&magnet_mutex);
	return skb->len;
}

/* ---- dynamic points ---- */

static int add_point(struct sk_buff *reply, const struct genl_info *info,
		     struct magnet_point *point)
{
	const struct nlattr *flags_attr = info->attrs[MAGNET_A_FLAGS];
	struct magnet_client *owner;
	int err;

	err = owner_of(info, flags_attr ? nla_get_u32(flags_attr) : 0, &owner);
	if (!err)
		err = magnet_point_add(point, info->extack);
	if (err)
		return err;
	if (owner)
		magnet_client_get(owner);
	point->client = owner;
	generation++;
	/* There is room: a point has one function, and its texts are limited. */
	return put_point(reply, point);
}

static int point_insert(struct sk_buff *request, struct genl_info *info)
{
	const struct nlattr *definition = info->attrs[MAGNET_A_DEFINITION];
	const struct nlattr *name = info->attrs[MAGNET_A_POINT];
	struct magnet_point *point;
	struct sk_buff *skb;
	void *hdr;
	int err;

	err = may_change(request, info->extack);
	if (err)
		return err;
	if (!definition) {
		NL_SET_ERR_MSG(info->extack, "the request has no definition of a point");
		return -EINVAL;
	}
	skb = reply_new(info, MAGNET_CMD_POINT_INSERT, NLMSG_GOODSIZE, &hdr);
	if (!skb)
		return -ENOMEM;
	point = magnet_dynamic_new(name ? nla_data(name) : NULL, nla_data(definition),
				   info->extack);
	if (IS_ERR(point)) {
		nlmsg_free(skb);
		return PTR_ERR(point);
	}
	mutex_lock(&magnet_mutex);
	err = add_point(skb, info, point);
	mutex_unlock(&magnet_mutex);
	if (err) {
		magnet_dynamic_free(point);
		nlmsg_free(skb);
		return err;
	}
	return reply_send(skb, hdr, info);
}

static int remove_point(const char *name, struct netlink_ext_ack *extack)
{
	struct magnet_point *point = magnet_point_find(name);

	if (!point) {
		NL_SET_ERR_MSG(extack, "there is no point of this name; control/events lists them");
		return -ENOENT;
	}
	if (!point->definition) {
		NL_SET_ERR_MSG(extack, "only a point that was inserted can be removed");
		return -EINVAL;
	}
	magnet_end_subs(sub_of_point, point);
	magnet_point_del(point);
	magnet_dynamic_free(point);
	generation++;
	return 0;
}

static int point_remove(struct sk_buff *request, struct genl_info *info)
{
	const char *name = point_name_of(info);
	int err;

	err = may_change(request, info->extack);
	if (err)
		return err;
	if (!name)
		return -EINVAL;
	mutex_lock(&magnet_mutex);
	err = remove_point(name, info->extack);
	mutex_unlock(&magnet_mutex);
	return err;
}

/* ---- notices ---- */

enum { GROUP_EVENTS };

static const struct genl_multicast_group groups[] = {
	[GROUP_EVENTS] = { .name = MAGNET_GENL_MCGRP },
};

/* The family can be sent to; magnet_mutex. */
static bool registered;

/**
 * magnet_netlink_loss() - tell the multicast group that a buffer lost events
 * @name: the buffer
 * @lost: since it was made
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_netlink_loss(const char *name, u64 lost)
{
	struct sk_buff *skb;
	void *hdr;

	if (!registered)
		return;
	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!skb)
		return;
	hdr = genlmsg_put(skb, 0, 0, &family, 0, MAGNET_CMD_LOSS_NTF);
	if (!hdr || nla_put_string(skb, MAGNET_A_BUFFER, name) ||
	    put_u64(skb, MAGNET_A_LOST, lost)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	/* -ESRCH only says that nobody listens. */
	genlmsg_multicast(&family, skb, 0, GROUP_EVENTS, GFP_KERNEL);
}

/* ---- the family ---- */

static const struct nla_policy none_policy[MAGNET_A_MAX + 1] = {};

static const struct nla_policy buffer_new_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_BUFFER] = { .type = NLA_NUL_STRING, .len = MAGNET_NAME_SIZE - 1 },
	[MAGNET_A_BUFFER_SIZE] = { .type = NLA_U64 },
	[MAGNET_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, MAGNET_F_PERSISTENT),
};

static const struct nla_policy buffer_del_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_BUFFER] = { .type = NLA_NUL_STRING, .len = MAGNET_NAME_SIZE - 1 },
};

static const struct nla_policy sub_new_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_POINT] = { .type = NLA_NUL_STRING, .len = MAGNET_NAME_SIZE - 1 },
	[MAGNET_A_BUFFER] = { .type = NLA_NUL_STRING, .len = MAGNET_NAME_SIZE - 1 },
	[MAGNET_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, MAGNET_F_PERSISTENT | MAGNET_F_URGENT),
};

static const struct nla_policy sub_del_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_SUB_ID] = { .type = NLA_U32 },
};

static const struct nla_policy point_insert_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_POINT] = { .type = NLA_NUL_STRING, .len = MAGNET_NAME_SIZE - 1 },
	[MAGNET_A_FLAGS] = NLA_POLICY_MASK(NLA_U32, MAGNET_F_PERSISTENT),
	[MAGNET_A_DEFINITION] = { .type = NLA_NUL_STRING, .len = MAGNET_DEFINITION_SIZE - 1 },
};

static const struct nla_policy point_remove_policy[MAGNET_A_MAX + 1] = {
	[MAGNET_A_POINT] = { .type = NLA_NUL_STRING, .len = MAGNET_NAME_SIZE - 1 },
};

#define MAGNET_DO(cmd_, policy_, func_)				\
	{ .cmd = cmd_, .policy = policy_, .maxattr = MAGNET_A_MAX, .doit = func_ }
#define MAGNET_DUMP(cmd_, func_)				\
	{ .cmd = cmd_, .policy = none_policy, .maxattr = MAGNET_A_MAX, .dumpit = func_ }

static const struct genl_ops ops[] = {
	MAGNET_DO(MAGNET_CMD_INFO_GET, none_policy, info_get),
	MAGNET_DUMP(MAGNET_CMD_POINT_GET, point_dump),
	MAGNET_DO(MAGNET_CMD_BUFFER_NEW, buffer_new_policy, buffer_new),
	MAGNET_DO(MAGNET_CMD_BUFFER_DEL, buffer_del_policy, buffer_del),
	MAGNET_DUMP(MAGNET_CMD_BUFFER_GET, buffer_dump),
	MAGNET_DO(MAGNET_CMD_SUB_NEW, sub_new_policy, sub_new),
	MAGNET_DO(MAGNET_CMD_SUB_DEL, sub_del_policy, sub_del),
	MAGNET_DUMP(MAGNET_CMD_SUB_GET, sub_dump),
	MAGNET_DO(MAGNET_CMD_SHUTDOWN, none_policy, shutdown),
	MAGNET_DO(MAGNET_CMD_POINT_INSERT, point_insert_policy, point_insert),
	MAGNET_DO(MAGNET_CMD_POINT_REMOVE, point_remove_policy, point_remove),
};

static struct genl_family family __ro_after_init = {
	.name = MAGNET_GENL_NAME,
	.version = MAGNET_GENL_VERSION,
	.maxattr = MAGNET_A_MAX,
	.module = THIS_MODULE,
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
};

int magnet_netlink_init(void)
{
	int err;

	err = netlink_register_notifier(&socket_notifier);
	if (err)
		return err;
	err = genl_register_family(&family);
	if (err) {
		netlink_unregister_notifier(&socket_notifier);
		return err;
	}
	registered = true;
	return 0;
}

void magnet_netlink_exit(void)
{
	struct magnet_client *client, *next;

	/* Nobody is in magnet_netlink_loss() after this, nor comes there again. */
	mutex_lock(&magnet_mutex);
	registered = false;
	mutex_unlock(&magnet_mutex);
	genl_unregister_family(&family);
	netlink_unregister_notifier(&socket_notifier);
	list_for_each_entry_safe(client, next, &clients, node) {
		list_del(&client->node);
		magnet_client_put(client);
	}
}
