// SPDX-License-Identifier: GPL-2.0-only
/*
 * answers: what the module really says on the control socket, and what it
 * takes. It brings about everything that an answer can contain and prints
 * lines for whoever compares them with magnet.yaml:
 *
 *   do|dump CMD MESSAGES	a command was carried out, with so many messages
 *   reply|event CMD ATTR...	each message: the types of its attributes, their
 *				lengths, what is nested in brackets; "=" and the
 *				value of four bytes, "z" where the only NUL is
 *				the last byte
 *   takes CMD ATTR SHAPE...	what requests may contain: TEXT, 4 or 8 bytes
 *   longest CMD ATTR LENGTH	and how long a text, without the NUL
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <magnet.h>
#include "guest.h"
#include "request.h"
#include "sensor.h"

#define RING		(64 << 10)
#define TEXT_MAX	8000

static struct magnet_ctl ctl, listener;

/* ---- messages ---- */

static void print_attrs(struct attrs attrs)
{
	struct attrs value;
	uint16_t type;

	while (attrs_next(&attrs, &type, &value)) {
		const struct nlattr *attr = (const void *)((const char *)value.at - NLA_HDRLEN);
		const char *nul = memchr(value.at, 0, value.len);

		printf(" %u", type);
		if (attr->nla_type & NLA_F_NESTED) {
			printf(" [");
			print_attrs(value);
			printf(" ]");
			continue;
		}
		printf(":%zu", value.len);
		if (value.len == sizeof(uint32_t))
			printf("=%u", *(const uint32_t *)value.at);
		if (nul && nul == (const char *)value.at + value.len - 1)
			printf("z");
	}
}

static uint8_t print_message(const char *kind, struct attrs attrs)
{
	const struct genlmsghdr *genl = (const void *)((const char *)attrs.at - GENL_HDRLEN);

	printf("%s %u", kind, genl->cmd);
	print_attrs(attrs);
	printf("\n");
	return genl->cmd;
}

static void print_reply(struct attrs attrs, void *arg)
{
	(void)arg;
	print_message("reply", attrs);
}

static void print_event(struct attrs attrs, void *seen)
{
	const uint8_t cmd = print_message("event", attrs);

	((bool *)seen)[cmd] = true;
}

/* ---- requests that are carried out ---- */

static struct request r;

static void ask(uint8_t cmd)
{
	request_begin(&r, &ctl, cmd);
}

static void carry_out(void)
{
	const struct answer a = request_send(&r, &ctl, print_reply, NULL);

	NEED(!a.error, "command %u: %d, %s", r.genl.cmd, a.error, a.text);
	printf("do %u %u\n", r.genl.cmd, a.messages);
}

static void dump(uint8_t cmd)
{
	const struct answer a = request_dump(&ctl, cmd, print_reply, NULL);

	NEED(!a.error, "dump %u: %d, %s", cmd, a.error, a.text);
	printf("dump %u %u\n", cmd, a.messages);
}

static void make_buffer(const char *name, uint32_t flags)
{
	ask(MAGNET_CMD_BUFFER_NEW);
	request_put_text(&r, MAGNET_A_BUFFER, name);
	request_put_u64(&r, MAGNET_A_BUFFER_SIZE, RING);
	request_put_u32(&r, MAGNET_A_FLAGS, flags);
	carry_out();
}

static void make_buffers(void)
{
	make_buffer("owned", 0);
	make_buffer("kept", MAGNET_F_PERSISTENT);
	make_buffer("flight", MAGNET_F_OVERWRITE);
	ask(MAGNET_CMD_BUFFER_RESIZE);
	request_put_text(&r, MAGNET_A_BUFFER, "kept");
	request_put_u64(&r, MAGNET_A_BUFFER_SIZE, 2 * RING);
	carry_out();
	ask(MAGNET_CMD_BUFFER_RESIZE);
	request_put_text(&r, MAGNET_A_BUFFER, "owned");
	request_put_u64(&r, MAGNET_A_BUFFER_SIZE, RING);
	carry_out();
}

static void make_points(void)
{
	ask(MAGNET_CMD_POINT_INSERT);
	request_put_text(&r, MAGNET_A_POINT, "opened");
	request_put_text(&r, MAGNET_A_DEFINITION, "f:vfs_read");
	carry_out();
	ask(MAGNET_CMD_POINT_INSERT);
	request_put_text(&r, MAGNET_A_POINT, "kept_point");
	request_put_text(&r, MAGNET_A_DEFINITION, "f:vfs_read");
	request_put_u32(&r, MAGNET_A_FLAGS, MAGNET_F_PERSISTENT);
	carry_out();
	ask(MAGNET_CMD_POINT_SET);
	request_put_text(&r, MAGNET_A_POINT, "opened");
	request_put_u32(&r, MAGNET_A_ENABLED, 0);
	request_put_u32(&r, MAGNET_A_STORM_RATE, 1000);
	request_put_u32(&r, MAGNET_A_STORM_BURST, 100);
	carry_out();
}

static uint32_t make_sub(const char *point, const char *buffer, uint32_t flags)
{
	uint32_t id;

	ask(MAGNET_CMD_SUB_NEW);
	request_put_text(&r, MAGNET_A_POINT, point);
	request_put_text(&r, MAGNET_A_BUFFER, buffer);
	request_put_u32(&r, MAGNET_A_FLAGS, flags);
	request_put_u32(&r, MAGNET_A_SAMPLE_COUNT, 1);
	request_put_u32(&r, MAGNET_A_SAMPLE_INTERVAL_US, 0);
	request_put_u32(&r, MAGNET_A_COUNTERS, 0);
	request_put_text(&r, MAGNET_A_RULES, "log if cpu >= 0");
	carry_out();
	/* A second one is for its number; each event is logged twice. */
	NEED(!ctl_sub_new(&ctl, point, buffer, flags, &id), "%s: %s", point, ctl.error);
	return id;
}

static void change_sub(uint32_t id)
{
	ask(MAGNET_CMD_SUB_SET);
	request_put_u32(&r, MAGNET_A_SUB_ID, id);
	request_put_u32(&r, MAGNET_A_SAMPLE_COUNT, 2);
	request_put_u32(&r, MAGNET_A_SAMPLE_INTERVAL_US, 1);
	request_put_u32(&r, MAGNET_A_SNAP_LEN, 64);
	request_put_u32(&r, MAGNET_A_COUNTERS, MAGNET_COUNTER_CPU_CLOCK);
	carry_out();
}

static void keep_rule(struct attrs attrs, void *id)
{
	struct attrs rule;

	print_reply(attrs, NULL);
	NEED(attrs_find(attrs, MAGNET_A_RULE, &rule), "no rule");
	*(uint32_t *)id = attrs_u32(rule, MAGNET_A_RULE_ID);
}

static uint32_t make_rule(uint32_t sub, const char *text, uint32_t before)
{
	struct answer a;
	uint32_t id = 0;

	ask(MAGNET_CMD_RULE_NEW);
	request_put_u32(&r, MAGNET_A_SUB_ID, sub);
	request_put_text(&r, MAGNET_A_RULE_TEXT, text);
	if (before)
		request_put_u32(&r, MAGNET_A_RULE_BEFORE, before);
	a = request_send(&r, &ctl, keep_rule, &id);
	NEED(!a.error, "%s: %s", text, a.text);
	printf("do %u %u\n", r.genl.cmd, a.messages);
	return id;
}

static void change_rules(uint32_t sub)
{
	const uint32_t last = make_rule(sub, "drop if cpu == 4095", 0);

	make_rule(sub, "log if cpu < 4095", last);
	dump(MAGNET_CMD_RULE_GET);
	ask(MAGNET_CMD_RULE_DEL);
	request_put_u32(&r, MAGNET_A_SUB_ID, sub);
	request_put_u32(&r, MAGNET_A_RULE_ID, last);
	carry_out();
}

static void keep_correlation(struct attrs attrs, void *id)
{
	print_reply(attrs, NULL);
	*(uint32_t *)id = attrs_u32(attrs, MAGNET_A_CORRELATION_ID);
}

static void correlate(const char *buffer, uint32_t flags)
{
	struct answer a;
	uint32_t id = 0;

	ask(MAGNET_CMD_CORRELATION_NEW);
	request_put_text(&r, MAGNET_A_DEFINITION, "burst marker more than 1 in 1ms");
	request_put_text(&r, MAGNET_A_BUFFER, buffer);
	request_put_u32(&r, MAGNET_A_FLAGS, flags);
	a = request_send(&r, &ctl, keep_correlation, &id);
	NEED(!a.error, "correlating filter: %s", a.text);
	printf("do %u %u\n", r.genl.cmd, a.messages);
	dump(MAGNET_CMD_CORRELATION_GET);
	ask(MAGNET_CMD_CORRELATION_DEL);
	request_put_u32(&r, MAGNET_A_CORRELATION_ID, id);
	carry_out();
}

/* More than its ring holds: urgent events, and of these some are lost. */
static void hear_events(void)
{
	bool seen[UINT8_MAX + 1] = {};
	struct answer unused = {};

	sensor_emit(RING / sizeof(struct magnet_record));
	/* Notices have the number 0. */
	listener.seq = 0;
	while (!seen[MAGNET_CMD_LOSS_NTF] || !seen[MAGNET_CMD_URGENT_NTF])
		request_receive(&listener, print_event, seen, &unused);
}

static void take_snapshot(const char *name, uint32_t flags)
{
	ask(MAGNET_CMD_BUFFER_SNAPSHOT);
	request_put_text(&r, MAGNET_A_BUFFER, "flight");
	request_put_text(&r, MAGNET_A_SNAPSHOT, name);
	request_put_u32(&r, MAGNET_A_FLAGS, flags);
	carry_out();
}

static void take_away(uint32_t sub)
{
	ask(MAGNET_CMD_SUB_DEL);
	request_put_u32(&r, MAGNET_A_SUB_ID, sub);
	carry_out();
	ask(MAGNET_CMD_POINT_REMOVE);
	request_put_text(&r, MAGNET_A_POINT, "opened");
	carry_out();
	ask(MAGNET_CMD_BUFFER_DEL);
	request_put_text(&r, MAGNET_A_BUFFER, "owned");
	carry_out();
	ask(MAGNET_CMD_SHUTDOWN);
	carry_out();
}

/* ---- what requests may contain ---- */

/*
 * A request with the attribute, and after it one that no command knows: so it
 * is refused in any case and nothing happens. Return: is the second the one
 * that was wrong?
 */
static bool takes(uint8_t cmd, uint16_t flags, uint16_t type, const void *data, size_t len)
{
	struct answer a;

	ask(cmd);
	r.nl.nlmsg_flags |= flags;
	request_put(&r, type, data, len);
	request_put_u32(&r, MAGNET_A_MAX + 1, 0);
	a = request_send(&r, &ctl, NULL, NULL);
	NEED(a.error, "command %u took attribute %u", cmd, MAGNET_A_MAX + 1);
	return strstr(a.text, "Unknown attribute type");
}

static void print_longest(uint8_t cmd, uint16_t flags, uint16_t type)
{
	static char text[TEXT_MAX + 1];
	unsigned int fits = 1, over = TEXT_MAX;

	while (over - fits > 1) {
		const unsigned int len = (fits + over) / 2;

		memset(text, 'x', len);
		text[len] = 0;
		if (takes(cmd, flags, type, text, len + 1))
			fits = len;
		else
			over = len;
	}
	printf("longest %u %u %u\n", cmd, type, fits);
}

static void print_shapes(uint8_t cmd, uint16_t flags, uint16_t type)
{
	static const char zero[8];
	const bool text = takes(cmd, flags, type, "x", 2);
	const bool four = takes(cmd, flags, type, zero, 4);
	const bool eight = takes(cmd, flags, type, zero, 8);

	if (text || four || eight)
		printf("takes %u %u%s%s%s\n", cmd, type, text ? " text" : "", four ? " 4" : "",
		       eight ? " 8" : "");
	if (text)
		print_longest(cmd, flags, type);
}

static void print_requests(void)
{
	static const uint8_t dumps[] = { MAGNET_CMD_POINT_GET, MAGNET_CMD_BUFFER_GET,
					 MAGNET_CMD_SUB_GET, MAGNET_CMD_RULE_GET,
					 MAGNET_CMD_CORRELATION_GET,
					 MAGNET_CMD_DROP_REASON_GET };
	unsigned int cmd, type;

	for (cmd = 1; cmd <= MAGNET_CMD_MAX; cmd++)
		for (type = 1; type <= MAGNET_A_MAX; type++)
			print_shapes(cmd, memchr(dumps, cmd, sizeof(dumps)) ? NLM_F_DUMP : 0, type);
}

int main(void)
{
	const int on = 1, room = 8 << 20;
	uint32_t sub;

	NEED(!ctl_open(&ctl), "%s", ctl.error);
	NEED(!ctl_open(&listener), "%s", listener.error);
	/* It is not read for long. Of notices that find no room the first are enough. */
	NEED(!setsockopt(listener.fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) &&
	     !setsockopt(listener.fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &on, sizeof(on)),
	     "room for notices: %s", strerror(errno));
	NEED(!setsockopt(listener.fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &listener.mcgrp,
			 sizeof(listener.mcgrp)), "group: %s", strerror(errno));
	guest_on_cpu(0);
	ask(MAGNET_CMD_INFO_GET);
	carry_out();
	make_buffers();
	make_points();
	make_sub("udp_sendmsg", "kept", MAGNET_F_PERSISTENT);
	make_sub("inet_sendmsg", "flight", 0);
	make_sub("inet_sendmsg", "owned", MAGNET_F_URGENT);
	hear_events();
	take_snapshot("shot", 0);
	take_snapshot("kept_shot", MAGNET_F_PERSISTENT);
	sub = make_sub("ip_send_skb", "owned", 0);
	change_sub(sub);
	change_rules(sub);
	correlate("owned", 0);
	correlate("kept", MAGNET_F_PERSISTENT);
	dump(MAGNET_CMD_POINT_GET);
	dump(MAGNET_CMD_BUFFER_GET);
	dump(MAGNET_CMD_SUB_GET);
	dump(MAGNET_CMD_DROP_REASON_GET);
	print_requests();
	take_away(sub);
	return 0;
}
