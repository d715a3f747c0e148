// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <linux/genetlink.h>

#include <magnet.h>
#include "magnet_ctl.h"

#define MESSAGE_MAX	65536

struct message {
	struct nlmsghdr		nl;
	struct genlmsghdr	genl;
	char			attrs[MESSAGE_MAX];
};

typedef void (*attr_fn)(const struct nlattr *attr, void *arg);

/* The netlink macros of the kernel know no attributes inside genetlink. */
#define ATTR_DATA(attr)		((const void *)((const char *)(attr) + NLA_HDRLEN))
#define ATTR_TYPE(attr)		((attr)->nla_type & NLA_TYPE_MASK)

static void put(struct message *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr *attr = (void *)((char *)m + NLMSG_ALIGN(m->nl.nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	m->nl.nlmsg_len = NLMSG_ALIGN(m->nl.nlmsg_len) + NLA_ALIGN(attr->nla_len);
}

static void put_string(struct message *m, uint16_t type, const char *text)
{
	put(m, type, text, strlen(text) + 1);
}

static void put_u32(struct message *m, uint16_t type, uint32_t value)
{
	put(m, type, &value, sizeof(value));
}

static void begin(struct message *m, uint16_t family, uint8_t cmd)
{
	memset(m, 0, sizeof(m->nl) + sizeof(m->genl));
	m->nl.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
	m->nl.nlmsg_type = family;
	m->nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	m->genl.cmd = cmd;
	m->genl.version = MAGNET_GENL_VERSION;
}

static void each_attr(const void *from, size_t len, attr_fn fn, void *arg)
{
	while (len >= NLA_HDRLEN) {
		const struct nlattr *attr = from;
		size_t step = NLA_ALIGN(attr->nla_len);

		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > len)
			return;
		fn(attr, arg);
		if (step >= len)
			return;
		from = (const char *)from + step;
		len -= step;
	}
}

/* The kernel's own words for the refusal, if it sent any. */
static void explain(struct magnet_ctl *ctl, const struct nlmsghdr *nl, int err)
{
	const struct nlmsgerr *e = NLMSG_DATA(nl);
	const char *at = (const char *)(e + 1);
	const char *end = (const char *)nl + nl->nlmsg_len;

	snprintf(ctl->error, sizeof(ctl->error), "%s", strerror(-err));
	if (!(nl->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!(nl->nlmsg_flags & NLM_F_CAPPED))
		at += e->msg.nlmsg_len - sizeof(e->msg);
	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *attr = (const void *)at;

		if (attr->nla_len < NLA_HDRLEN || at + attr->nla_len > end)
			return;
		if (ATTR_TYPE(attr) == NLMSGERR_ATTR_MSG)
			snprintf(ctl->error, sizeof(ctl->error), "%.*s",
				 (int)(attr->nla_len - NLA_HDRLEN), (const char *)ATTR_DATA(attr));
		at += NLA_ALIGN(attr->nla_len);
	}
}

static int failed(struct magnet_ctl *ctl)
{
	int err = -errno;

	snprintf(ctl->error, sizeof(ctl->error), "%s", strerror(errno));
	return err;
}

/* Send, hand the reply's attributes to @fn, and wait for the acknowledgment. */
static int request(struct magnet_ctl *ctl, struct message *m, attr_fn fn, void *arg)
{
	static char answer[MESSAGE_MAX] __attribute__((aligned(8)));

	m->nl.nlmsg_seq = ++ctl->seq;
	if (send(ctl->fd, m, m->nl.nlmsg_len, 0) < 0)
		return failed(ctl);
	for (;;) {
		ssize_t got = recv(ctl->fd, answer, sizeof(answer), 0);
		struct nlmsghdr *nl = (void *)answer;

		if (got < 0) {
			if (errno == EINTR)
				continue;
			return failed(ctl);
		}
		for (; NLMSG_OK(nl, (unsigned int)got); nl = NLMSG_NEXT(nl, got)) {
			if (nl->nlmsg_seq != ctl->seq)
				continue;
			if (nl->nlmsg_type == NLMSG_ERROR) {
				int err = ((struct nlmsgerr *)NLMSG_DATA(nl))->error;

				if (err)
					explain(ctl, nl, err);
				return err;
			}
			if (nl->nlmsg_type == NLMSG_DONE)
				return 0;
			if (fn)
				each_attr((char *)NLMSG_DATA(nl) + GENL_HDRLEN,
					  nl->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, fn, arg);
		}
	}
}

static void read_group(const struct nlattr *attr, void *arg)
{
	struct magnet_ctl *ctl = arg;

	if (ATTR_TYPE(attr) == CTRL_ATTR_MCAST_GRP_ID)
		ctl->mcgrp = *(const uint32_t *)ATTR_DATA(attr);
}

static void read_groups(const struct nlattr *attr, void *arg)
{
	each_attr(ATTR_DATA(attr), attr->nla_len - NLA_HDRLEN, read_group, arg);
}

static void read_family(const struct nlattr *attr, void *arg)
{
	struct magnet_ctl *ctl = arg;

	if (ATTR_TYPE(attr) == CTRL_ATTR_FAMILY_ID)
		ctl->family = *(const uint16_t *)ATTR_DATA(attr);
	else if (ATTR_TYPE(attr) == CTRL_ATTR_MCAST_GROUPS)
		each_attr(ATTR_DATA(attr), attr->nla_len - NLA_HDRLEN, read_groups, ctl);
}

int ctl_open(struct magnet_ctl *ctl)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	static struct message m;
	int on = 1, err;

	memset(ctl, 0, sizeof(*ctl));
	ctl->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (ctl->fd < 0 || bind(ctl->fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		return failed(ctl);
	setsockopt(ctl->fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(ctl->fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	begin(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	put_string(&m, CTRL_ATTR_FAMILY_NAME, MAGNET_GENL_NAME);
	err = request(ctl, &m, read_family, ctl);
	if (err == -ENOENT)
		snprintf(ctl->error, sizeof(ctl->error),
			 "the kernel module is not loaded; load it with modprobe magnet, or insmod magnet.ko where it was built");
	if (err) {
		close(ctl->fd);
		ctl->fd = -1;
	}
	return err;
}

void ctl_close(struct magnet_ctl *ctl)
{
	if (ctl->fd >= 0)
		close(ctl->fd);
	ctl->fd = -1;
}

static void read_size(const struct nlattr *attr, void *arg)
{
	if (ATTR_TYPE(attr) == MAGNET_A_BUFFER_SIZE)
		memcpy(arg, ATTR_DATA(attr), sizeof(uint64_t));
}

int ctl_buffer_new(struct magnet_ctl *ctl, const char *name, uint64_t size, uint32_t flags,
		   uint64_t *made)
{
	static struct message m;
	uint64_t unused;

	begin(&m, ctl->family, MAGNET_CMD_BUFFER_NEW);
	put_string(&m, MAGNET_A_BUFFER, name);
	if (size)
		put(&m, MAGNET_A_BUFFER_SIZE, &size, sizeof(size));
	put_u32(&m, MAGNET_A_FLAGS, flags);
	return request(ctl, &m, read_size, made ? made : &unused);
}

int ctl_buffer_resize(struct magnet_ctl *ctl, const char *name, uint64_t size, uint64_t *made)
{
	static struct message m;
	uint64_t unused;

	begin(&m, ctl->family, MAGNET_CMD_BUFFER_RESIZE);
	put_string(&m, MAGNET_A_BUFFER, name);
	put(&m, MAGNET_A_BUFFER_SIZE, &size, sizeof(size));
	return request(ctl, &m, read_size, made ? made : &unused);
}

int ctl_buffer_snapshot(struct magnet_ctl *ctl, const char *name, const char *snapshot,
			uint32_t flags)
{
	static struct message m;

	begin(&m, ctl->family, MAGNET_CMD_BUFFER_SNAPSHOT);
	put_string(&m, MAGNET_A_BUFFER, name);
	put_string(&m, MAGNET_A_SNAPSHOT, snapshot);
	put_u32(&m, MAGNET_A_FLAGS, flags);
	return request(ctl, &m, NULL, NULL);
}

int ctl_buffer_del(struct magnet_ctl *ctl, const char *name)
{
	static struct message m;

	begin(&m, ctl->family, MAGNET_CMD_BUFFER_DEL);
	put_string(&m, MAGNET_A_BUFFER, name);
	return request(ctl, &m, NULL, NULL);
}

static void read_sub_id(const struct nlattr *attr, void *arg)
{
	if (ATTR_TYPE(attr) == MAGNET_A_SUB_ID)
		memcpy(arg, ATTR_DATA(attr), sizeof(uint32_t));
}

static void put_wish(struct message *m, const struct magnet_ctl_wish *wish)
{
	if (wish->rules)
		put_string(m, MAGNET_A_RULES, wish->rules);
	if (wish->sample_count)
		put_u32(m, MAGNET_A_SAMPLE_COUNT, wish->sample_count);
	if (wish->sample_interval_us)
		put_u32(m, MAGNET_A_SAMPLE_INTERVAL_US, wish->sample_interval_us);
	if (wish->snap_len)
		put_u32(m, MAGNET_A_SNAP_LEN, wish->snap_len);
	if (wish->counters)
		put_u32(m, MAGNET_A_COUNTERS, wish->counters);
}

int ctl_sub_new_wish(struct magnet_ctl *ctl, const char *point, const char *buffer, uint32_t flags,
		     const struct magnet_ctl_wish *wish, uint32_t *id)
{
	static struct message m;
	uint32_t unused;

	begin(&m, ctl->family, MAGNET_CMD_SUB_NEW);
	put_string(&m, MAGNET_A_POINT, point);
	put_string(&m, MAGNET_A_BUFFER, buffer);
	put_u32(&m, MAGNET_A_FLAGS, flags);
	put_wish(&m, wish);
	return request(ctl, &m, read_sub_id, id ? id : &unused);
}

int ctl_sub_new(struct magnet_ctl *ctl, const char *point, const char *buffer, uint32_t flags,
		uint32_t *id)
{
	return ctl_sub_new_wish(ctl, point, buffer, flags, &(struct magnet_ctl_wish){}, id);
}

static void read_counter(const struct nlattr *attr, void *arg)
{
	struct magnet_ctl_counters *c = arg;
	uint64_t value;

	if (attr->nla_len != NLA_HDRLEN + sizeof(value))
		return;
	memcpy(&value, ATTR_DATA(attr), sizeof(value));
	switch (ATTR_TYPE(attr)) {
	case MAGNET_A_HITS:
		c->hits += value;
		break;
	case MAGNET_A_COMMITTED:
		c->committed += value;
		break;
	case MAGNET_A_FILTERED:
		c->filtered += value;
		break;
	case MAGNET_A_SAMPLED_OUT:
		c->sampled_out += value;
		break;
	case MAGNET_A_DROPPED_FULL:
		c->dropped_full += value;
		break;
	case MAGNET_A_DROPPED_BIG:
		c->dropped_big += value;
		break;
	case MAGNET_A_DROPPED_RECURSION:
		c->dropped_recursion += value;
		break;
	case MAGNET_A_DROPPED_STORM:
		c->dropped_storm += value;
		break;
	case MAGNET_A_MISSED:
		c->missed += value;
		break;
	}
}

static void read_cpu_stats(const struct nlattr *attr, void *arg)
{
	if (ATTR_TYPE(attr) == MAGNET_A_CPU_STATS)
		each_attr(ATTR_DATA(attr), attr->nla_len - NLA_HDRLEN, read_counter, arg);
}

int ctl_sub_del(struct magnet_ctl *ctl, uint32_t id, struct magnet_ctl_counters *counters)
{
	struct magnet_ctl_counters unused;
	static struct message m;

	if (!counters)
		counters = &unused;
	memset(counters, 0, sizeof(*counters));
	begin(&m, ctl->family, MAGNET_CMD_SUB_DEL);
	put_u32(&m, MAGNET_A_SUB_ID, id);
	return request(ctl, &m, read_cpu_stats, counters);
}

static void read_point_name(const struct nlattr *attr, void *arg)
{
	if (ATTR_TYPE(attr) == MAGNET_A_POINT)
		snprintf(arg, MAGNET_NAME_SIZE, "%s", (const char *)ATTR_DATA(attr));
}

int ctl_point_insert(struct magnet_ctl *ctl, const char *name, const char *definition,
		     uint32_t flags, char *made)
{
	char unused[MAGNET_NAME_SIZE];
	static struct message m;

	begin(&m, ctl->family, MAGNET_CMD_POINT_INSERT);
	if (name)
		put_string(&m, MAGNET_A_POINT, name);
	put_string(&m, MAGNET_A_DEFINITION, definition);
	put_u32(&m, MAGNET_A_FLAGS, flags);
	return request(ctl, &m, read_point_name, made ? made : unused);
}

int ctl_point_remove(struct magnet_ctl *ctl, const char *name)
{
	static struct message m;

	begin(&m, ctl->family, MAGNET_CMD_POINT_REMOVE);
	put_string(&m, MAGNET_A_POINT, name);
	return request(ctl, &m, NULL, NULL);
}

int ctl_shutdown(struct magnet_ctl *ctl)
{
	static struct message m;

	begin(&m, ctl->family, MAGNET_CMD_SHUTDOWN);
	return request(ctl, &m, NULL, NULL);
}

int ctl_raw(struct magnet_ctl *ctl, uint8_t cmd, uint16_t flags, const void *attrs, size_t len)
{
	static struct message m;

	begin(&m, ctl->family, cmd);
	m.nl.nlmsg_flags |= flags;
	memcpy(m.attrs, attrs, len);
	m.nl.nlmsg_len += len;
	return request(ctl, &m, NULL, NULL);
}

int ctl_data_open(const char *buffer, unsigned int cpu, int flags)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/dev/magnet/%s/cpu%u", buffer, cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	if (fd < 0 && errno == ENOENT) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/magnet/data/%s/cpu%u", buffer, cpu);
		fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	}
	return fd < 0 ? -errno : fd;
}
