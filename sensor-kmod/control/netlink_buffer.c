// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests about buffers, and how messages describe them.
 */
#include "kernevesub/correlate.h"
#include "monisub/monisub.h"
#include "monisub/sub.h"
#include "netlink.h"
#include "owner.h"
#include "ring/buffer.h"
#include "ring/counts.h"
#include "ring/loss.h"
#include "ring/resize.h"
#include "ring/ring.h"
#include "ring/snapshot.h"

const char *magnet_buffer_name_of(const struct genl_info *info)
{
	if (info->attrs[MAGNET_A_BUFFER])
		return nla_data(info->attrs[MAGNET_A_BUFFER]);
	NL_SET_ERR_MSG(info->extack, "the request does not name a buffer; it needs the attribute BUFFER");
	return NULL;
}

/**
 * magnet_buffer_of() - the buffer that a request names
 * @info: the request
 *
 * Context: magnet_mutex held.
 * Return: the buffer, or an ERR_PTR and the extack says why.
 */
struct magnet_buffer *magnet_buffer_of(const struct genl_info *info)
{
	const char *name = magnet_buffer_name_of(info);
	struct magnet_buffer *buffer;

	if (!name)
		return ERR_PTR(-EINVAL);
	buffer = magnet_buffer_find(name);
	if (buffer)
		return buffer;
	NL_SET_ERR_MSG(info->extack, "there is no buffer of this name; control/buffers lists them");
	return ERR_PTR(-ENOENT);
}

/**
 * magnet_target_of() - the buffer that a request names to log to
 * @info: the request
 *
 * Not what a correlating filter reads: it would take others' events, and what
 * another filter has found, for those that it waits for.
 *
 * Context: magnet_mutex held.
 * Return: the buffer, or an ERR_PTR and the extack says why.
 */
struct magnet_buffer *magnet_target_of(const struct genl_info *info)
{
	struct magnet_buffer *buffer = magnet_buffer_of(info);

	if (IS_ERR(buffer))
		return buffer;
	if (magnet_buffer_dead(buffer)) {
		NL_SET_ERR_MSG(info->extack, "the buffer is a snapshot: nothing is logged there; choose a buffer or a flight recorder");
		return ERR_PTR(-EROFS);
	}
	if (magnet_correlation_reads(buffer)) {
		NL_SET_ERR_MSG(info->extack, "this buffer is what a correlating filter reads; choose one of yours");
		return ERR_PTR(-EINVAL);
	}
	return buffer;
}

static int put_buffer(struct sk_buff *skb, const struct magnet_buffer *buffer)
{
	return nla_put_string(skb, MAGNET_A_BUFFER, buffer->name) ||
	       magnet_put_u64(skb, MAGNET_A_BUFFER_SIZE, buffer->size) ||
	       nla_put_u32(skb, MAGNET_A_FLAGS, buffer->flags) ||
	       nla_put_u32(skb, MAGNET_A_SUB_COUNT, buffer->nr_writers) ||
	       magnet_put_u64(skb, MAGNET_A_MERGED_LATE, READ_ONCE(buffer->merged_late)) ||
	       (buffer->client &&
		nla_put_u32(skb, MAGNET_A_OWNER, buffer->client->portid));
}

/* A new buffer is described in @reply. */
int magnet_buffer_new(struct sk_buff *reply, struct genl_info *info)
{
	const struct nlattr *size_attr = info->attrs[MAGNET_A_BUFFER_SIZE];
	const u64 size = size_attr ? nla_get_u64(size_attr) : MAGNET_BUFFER_SIZE_DEFAULT;
	const char *name = magnet_buffer_name_of(info);
	const u32 flags = magnet_flags_of(info);
	struct magnet_client *owner;
	struct magnet_buffer *buffer;
	int err;

	if (!name)
		return -EINVAL;
	err = magnet_owner_of(info, flags, &owner);
	if (err)
		return err;
	buffer = magnet_buffer_create(name, size, flags, owner, info->extack);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	return put_buffer(reply, buffer) ? -EMSGSIZE : 0;
}

/* What it is now is described in @reply. */
int magnet_buffer_set_size(struct sk_buff *reply, struct genl_info *info)
{
	const struct nlattr *size = info->attrs[MAGNET_A_BUFFER_SIZE];
	struct magnet_buffer *buffer = magnet_buffer_of(info);
	int err;

	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	if (!size) {
		NL_SET_ERR_MSG(info->extack, "the request does not say which size the buffer is to have; it needs the attribute BUFFER_SIZE");
		return -EINVAL;
	}
	err = magnet_buffer_resize(buffer, nla_get_u64(size), info->extack);
	if (err)
		return err;
	return put_buffer(reply, buffer) ? -EMSGSIZE : 0;
}

/* The new buffer is described in @reply. */
int magnet_buffer_take(struct sk_buff *reply, struct genl_info *info)
{
	const struct nlattr *name = info->attrs[MAGNET_A_SNAPSHOT];
	struct magnet_buffer *buffer = magnet_buffer_of(info);
	const u32 flags = magnet_flags_of(info);
	struct magnet_client *owner;
	int err;

	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	if (!name) {
		NL_SET_ERR_MSG(info->extack, "the request does not say how the snapshot is to be called; it needs the attribute SNAPSHOT");
		return -EINVAL;
	}
	err = magnet_owner_of(info, flags, &owner);
	if (err)
		return err;
	buffer = magnet_buffer_snapshot(buffer, nla_data(name), flags, owner, info->extack);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	return put_buffer(reply, buffer) ? -EMSGSIZE : 0;
}

static bool sub_of_buffer(const struct magnet_sub *sub, const void *buffer)
{
	return sub->buffer == buffer;
}

int magnet_buffer_del(struct sk_buff *reply, struct genl_info *info)
{
	struct magnet_buffer *buffer = magnet_buffer_of(info);

	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	if (magnet_correlations_lose_buffer(buffer))
		return 0;
	magnet_end_subs(sub_of_buffer, buffer);
	magnet_buffer_remove(buffer);
	return 0;
}

static int put_ring(struct sk_buff *skb, struct magnet_cpu_buffer *cb)
{
	struct nlattr *nest = nla_nest_start(skb, MAGNET_A_CPU_STATS);
	const struct magnet_ring_counts c = magnet_ring_counts(cb);
	struct magnet_ring *r = &cb->ring;

	if (nest && !nla_put_u32(skb, MAGNET_A_CPU, r->cpu) &&
	    !magnet_put_u64(skb, MAGNET_A_RECORDS_WRITTEN, c.records_written) &&
	    !magnet_put_u64(skb, MAGNET_A_RECORDS_READ, c.records_read) &&
	    !magnet_put_u64(skb, MAGNET_A_BYTES_WRITTEN, c.bytes_written) &&
	    !magnet_put_u64(skb, MAGNET_A_BYTES_READ, c.bytes_read) &&
	    !magnet_put_u64(skb, MAGNET_A_LOST, magnet_ring_lost(r)) &&
	    !magnet_put_u64(skb, MAGNET_A_LOST_REPORTED, atomic_long_read(&r->lost_reported)) &&
	    !magnet_put_u64(skb, MAGNET_A_OVERWRITTEN, local_read(&r->overwritten))) {
		nla_nest_end(skb, nest);
		return 0;
	}
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static int dump_buffer(struct sk_buff *skb, struct magnet_cursor *at)
{
	const struct magnet_buffer *buffer = magnet_buffer_nth(at->item);

	if (!buffer)
		return -ENOENT;
	if (put_buffer(skb, buffer))
		return -EMSGSIZE;
	for (; at->part < nr_cpu_ids; at->part++) {
		/* Pairs with the release in magnet_buffer_add_ring(): the CPU may just come up. */
		struct magnet_cpu_buffer *ring = smp_load_acquire(&buffer->cpu[at->part]);

		if (ring && put_ring(skb, ring))
			return -EMSGSIZE;
	}
	return 0;
}

int magnet_buffer_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return magnet_dump(skb, cb, MAGNET_CMD_BUFFER_GET, dump_buffer);
}
