/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control by generic netlink: what the files of its requests share. netlink.c
 * is the family; netlink_{buffer,point,sub,rule,correlation,drop_reason}.c are the
 * requests about each kind of thing, and how messages describe it;
 * netlink_rights.c is who may ask for what.
 */
#ifndef _MAGNET_NETLINK_H
#define _MAGNET_NETLINK_H

#include <net/genetlink.h>

#include <uapi/magnet.h>

struct magnet_buffer;
struct magnet_client;
struct magnet_point;
struct magnet_sub;

/**
 * typedef magnet_request_t - a request that changes something
 * @reply: where the answer goes, the first of its messages; NULL when the
 *	command has none
 * @info: the request
 *
 * Context: may sleep; magnet_mutex held; the sender may change things.
 * Return: 0, or an error whose extack says what was wrong.
 */
typedef int magnet_request_t(struct sk_buff *reply, struct genl_info *info);

/* ---- what the sender may (netlink_rights.c) ---- */

bool magnet_may_change(const struct sk_buff *request);
int magnet_refuse_change(const struct sk_buff *request, struct netlink_ext_ack *extack);
int magnet_refuse_fetch(const struct genl_info *info, const struct magnet_point *point);
int magnet_refuse_snap(const struct genl_info *info, u32 bytes);

/**
 * struct magnet_exchange - a request that changes something, and its answer
 * @request: the request itself, which struct genl_info has not on all kernels
 * @replies: messages that were made for the answer before anything changes; those
 *	that stay empty are not sent
 */
struct magnet_exchange {
	const struct sk_buff	*request;
	struct sk_buff_head	replies;
};

static inline struct magnet_exchange *magnet_exchange_of(const struct genl_info *info)
{
	return info->user_ptr[1];
}

static inline const struct sk_buff *magnet_request_of(const struct genl_info *info)
{
	return magnet_exchange_of(info)->request;
}

/* The message for what does not fit into @reply; NULL: that was the last. */
static inline struct sk_buff *magnet_next_reply(const struct genl_info *info, struct sk_buff *reply)
{
	return skb_peek_next(reply, &magnet_exchange_of(info)->replies);
}

magnet_request_t magnet_buffer_new, magnet_buffer_del, magnet_buffer_set_size, magnet_buffer_take;
int magnet_point_prepare(struct genl_info *info);
magnet_request_t magnet_point_insert, magnet_point_remove, magnet_point_set;
magnet_request_t magnet_sub_new, magnet_sub_del, magnet_sub_set;
magnet_request_t magnet_rule_new, magnet_rule_del;

magnet_request_t magnet_correlation_make, magnet_correlation_del;

int magnet_buffer_dump(struct sk_buff *skb, struct netlink_callback *cb);
int magnet_correlation_dump(struct sk_buff *skb, struct netlink_callback *cb);
int magnet_drop_reason_dump(struct sk_buff *skb, struct netlink_callback *cb);
int magnet_point_dump(struct sk_buff *skb, struct netlink_callback *cb);
int magnet_sub_dump(struct sk_buff *skb, struct netlink_callback *cb);
int magnet_rule_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* ---- what requests say ---- */

const char *magnet_buffer_name_of(const struct genl_info *info);
const char *magnet_point_name_of(const struct genl_info *info);
struct magnet_buffer *magnet_buffer_of(const struct genl_info *info);
struct magnet_buffer *magnet_target_of(const struct genl_info *info);
struct magnet_point *magnet_point_of(const struct genl_info *info);
struct magnet_sub *magnet_sub_of(const struct genl_info *info);
int magnet_owner_of(const struct genl_info *info, u32 flags, struct magnet_client **owner);

/* A u32 of the request, or what it is without one. */
static inline u32 magnet_u32_of(const struct genl_info *info, int attr, u32 absent)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) : absent;
}

static inline u32 magnet_flags_of(const struct genl_info *info)
{
	return magnet_u32_of(info, MAGNET_A_FLAGS, 0);
}

/* ---- what replies say ---- */

static inline int magnet_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, MAGNET_A_PAD);
}

/* Bytes that the counters of one CPU may take in a reply. */
#define MAGNET_CPU_STATS_SIZE	(nla_total_size(0) + nla_total_size(sizeof(u32)) +	\
				 9 * nla_total_size_64bit(sizeof(u64)))

/* Counters of so many CPUs fit into a message beside what it is about. */
#define MAGNET_REPLY_CPUS	((GENLMSG_DEFAULT_SIZE - 512) / MAGNET_CPU_STATS_SIZE)

/* Where a dump goes on: the item, and within it the CPU, or the rule; and who asked. */
struct magnet_cursor {
	unsigned int	item;
	int		part;
	const struct sk_buff	*request;
};

static inline struct magnet_cursor *magnet_cursor_of(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct magnet_cursor) > sizeof(cb->ctx));
	return (struct magnet_cursor *)cb->ctx;
}

/**
 * typedef magnet_dump_t - tell of one thing
 * @skb: the message
 * @at: which one; parts from @at->part on, which is raised for each that fits
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0 when it has all been told; -EMSGSIZE when there is no room for the
 * rest of it; -ENOENT when there is no such thing.
 */
typedef int magnet_dump_t(struct sk_buff *skb, struct magnet_cursor *at);

int magnet_dump(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd, magnet_dump_t *put);

/* ---- the family ---- */

int magnet_netlink_init(void);
void magnet_netlink_exit(void);
void magnet_netlink_loss(const char *name, u64 lost);
bool magnet_netlink_listened(void);
void magnet_netlink_urgent(const struct magnet_sub *sub, u64 urgents);

#endif /* _MAGNET_NETLINK_H */
