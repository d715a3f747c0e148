// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to the netlink family: all commands of the ABI, also those that this
 * module may not know yet, good ones and such with one or more mistakes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "request.h"

#define ATTRS_MAX	7
#define POINTS_MAX	64
#define IDS		16

/* The largest size that is asked for and given: a guest has not much memory. */
#define SIZE_MAX_GIVEN	(8U << 20)

struct recipe {
	uint8_t		cmd;
	uint16_t	attrs[ATTRS_MAX];	/* most of them optional */
};

static const struct recipe fast[] = {
	{ MAGNET_CMD_INFO_GET, {} },
	{ MAGNET_CMD_POINT_GET, {} },
	{ MAGNET_CMD_BUFFER_GET, {} },
	{ MAGNET_CMD_SUB_GET, {} },
	{ MAGNET_CMD_RULE_GET, {} },
	{ MAGNET_CMD_CORRELATION_GET, {} },
	{ MAGNET_CMD_DROP_REASON_GET, {} },
	{ MAGNET_CMD_LOSS_NTF, { MAGNET_A_BUFFER, MAGNET_A_LOST } },
	{ MAGNET_CMD_URGENT_NTF, { MAGNET_A_POINT, MAGNET_A_BUFFER } },
};

/* Fast only while they are wrong. */
static const struct recipe slow[] = {
	{ MAGNET_CMD_BUFFER_NEW, { MAGNET_A_BUFFER, MAGNET_A_BUFFER_SIZE, MAGNET_A_FLAGS } },
	{ MAGNET_CMD_BUFFER_NEW, { MAGNET_A_BUFFER, MAGNET_A_BUFFER_SIZE, MAGNET_A_FLAGS } },
	{ MAGNET_CMD_BUFFER_DEL, { MAGNET_A_BUFFER } },
	{ MAGNET_CMD_BUFFER_RESIZE, { MAGNET_A_BUFFER, MAGNET_A_BUFFER_SIZE } },
	{ MAGNET_CMD_BUFFER_SNAPSHOT, { MAGNET_A_BUFFER, MAGNET_A_SNAPSHOT, MAGNET_A_FLAGS } },
	{ MAGNET_CMD_SUB_NEW, { MAGNET_A_POINT, MAGNET_A_BUFFER, MAGNET_A_FLAGS,
				MAGNET_A_RULES, MAGNET_A_SNAP_LEN, MAGNET_A_SAMPLE_COUNT,
				MAGNET_A_COUNTERS } },
	{ MAGNET_CMD_SUB_NEW, { MAGNET_A_POINT, MAGNET_A_BUFFER } },
	{ MAGNET_CMD_SUB_NEW, { MAGNET_A_POINT, MAGNET_A_BUFFER, MAGNET_A_FLAGS } },
	{ MAGNET_CMD_SUB_DEL, { MAGNET_A_SUB_ID } },
	{ MAGNET_CMD_SUB_SET, { MAGNET_A_SUB_ID, MAGNET_A_SAMPLE_COUNT,
				MAGNET_A_SAMPLE_INTERVAL_US, MAGNET_A_SNAP_LEN,
				MAGNET_A_COUNTERS, MAGNET_A_RULES } },
	{ MAGNET_CMD_RULE_NEW, { MAGNET_A_SUB_ID, MAGNET_A_RULE_TEXT, MAGNET_A_RULE_BEFORE } },
	{ MAGNET_CMD_RULE_DEL, { MAGNET_A_SUB_ID, MAGNET_A_RULE_ID } },
	{ MAGNET_CMD_POINT_SET, { MAGNET_A_POINT, MAGNET_A_ENABLED, MAGNET_A_STORM_RATE,
				  MAGNET_A_STORM_BURST } },
	{ MAGNET_CMD_POINT_INSERT, { MAGNET_A_DEFINITION, MAGNET_A_POINT, MAGNET_A_FLAGS } },
	{ MAGNET_CMD_POINT_REMOVE, { MAGNET_A_POINT } },
	{ MAGNET_CMD_CORRELATION_NEW, { MAGNET_A_DEFINITION, MAGNET_A_BUFFER, MAGNET_A_FLAGS } },
	{ MAGNET_CMD_CORRELATION_DEL, { MAGNET_A_CORRELATION_ID } },
};

static uint16_t family;
static uint32_t group;
static int sockets[FUZZ_SOCKETS];
static char points[POINTS_MAX][MAGNET_NAME_SIZE];
static unsigned int nr_points;

/* Ids that the module gave out, by attribute. */
static const uint16_t id_attrs[] = {
	MAGNET_A_SUB_ID, MAGNET_A_RULE_ID, MAGNET_A_CORRELATION_ID,
};

static uint32_t ids[KTAP_SIZE(id_attrs)][IDS];

/*
 * A subscription or filter whose place in @ids another one takes is removed,
 * or soon the points would have so many that a run shows little else.
 */
static const uint8_t del_cmds[KTAP_SIZE(id_attrs)] = {
	[0] = MAGNET_CMD_SUB_DEL, [2] = MAGNET_CMD_CORRELATION_DEL,
};

/* Requests on their way. */
struct parcel {
	size_t		len;
	char		data[FUZZ_BATCH * sizeof(struct request)] __attribute__((aligned(8)));
};

static __thread struct parcel parcel;
/* Answers that one call takes, and room for each. */
#define ANSWERS	16
#define ANSWER_ROOM	32768

void fuzz_point_name(struct chance *c, char *name, size_t size)
{
	/* Points with few events, mostly, so that there is time for the rest. */
	if (chance_below(c, 3))
		snprintf(name, size, "%s", chance_one_of(c, 2) ? "inet_sendmsg" : "marker");
	else if (chance_one_of(c, 3))
		snprintf(name, size, "fuzzed-%u", chance_below(c, 4));
	else
		snprintf(name, size, "%s", points[chance_below(c, nr_points)]);
}

/* ---- attributes ---- */

static void put(struct request *r, uint16_t type, const void *data, size_t len)
{
	/* What does not fit is not part of it. */
	if (r->nl.nlmsg_len + NLA_HDRLEN + NLA_ALIGN(len) <= sizeof(*r))
		request_put(r, type, data, len);
}

static void put_text(struct request *r, uint16_t type, const char *text)
{
	put(r, type, text, strlen(text) + 1);
}

static uint64_t size_of(struct chance *c)
{
	switch (chance_below(c, 4)) {
	case 0:
		return MAGNET_BUFFER_SIZE_MAX + 1 + chance_number(c) / 2;
	case 1:
		return chance_below(c, SIZE_MAX_GIVEN);
	default:
		return MAGNET_BUFFER_SIZE_MIN << chance_below(c, 3);
	}
}

static bool is_id(uint16_t attr, unsigned int *kind)
{
	for (*kind = 0; *kind < KTAP_SIZE(id_attrs); ++*kind)
		if (id_attrs[*kind] == attr)
			return true;
	return false;
}

static void put_number(struct chance *c, struct request *r, uint16_t attr)
{
	uint32_t number = chance_number(c);
	unsigned int kind;

	if (attr == MAGNET_A_FLAGS)
		number = chance_below(c, 4) ? chance_below(c, 8) : number;
	else if (attr == MAGNET_A_SNAP_LEN || attr == MAGNET_A_SAMPLE_COUNT)
		number = chance_below(c, 4) ? chance_below(c, 5000) : number;
	else if (attr == MAGNET_A_COUNTERS)
		number = chance_below(c, 4) ? number & 0xc0 : number;
	else if (is_id(attr == MAGNET_A_RULE_BEFORE ? MAGNET_A_RULE_ID : attr, &kind) &&
		 chance_below(c, 8))
		number = __atomic_load_n(&ids[kind][chance_below(c, IDS)], __ATOMIC_RELAXED);
	put(r, attr, &number, sizeof(number));
}

static void put_good(struct chance *c, struct request *r, uint16_t attr)
{
	char text[MAGNET_RULES_SIZE];
	uint64_t size;

	switch (attr) {
	case MAGNET_A_POINT:
		fuzz_point_name(c, text, sizeof(text));
		break;
	case MAGNET_A_BUFFER:
	case MAGNET_A_SNAPSHOT:
		fuzz_buffer_name(c, text, sizeof(text));
		break;
	case MAGNET_A_DEFINITION:
		if (r->genl.cmd == MAGNET_CMD_CORRELATION_NEW)
			fuzz_correlation(c, text, MAGNET_DEFINITION_SIZE);
		else
			fuzz_definition(c, text, MAGNET_DEFINITION_SIZE);
		break;
	case MAGNET_A_RULES:
	case MAGNET_A_RULE_TEXT:
		fuzz_rules(c, text, sizeof(text));
		break;
	case MAGNET_A_BUFFER_SIZE:
	case MAGNET_A_LOST:
		size = size_of(c);
		put(r, attr, &size, sizeof(size));
		return;
	default:
		put_number(c, r, attr);
		return;
	}
	put_text(r, attr, text);
}

static void put_garbage(struct chance *c, struct request *r)
{
	uint64_t data[1024];
	const size_t len = chance_below(c, 4) ? chance_below(c, 16) : chance_below(c, 5000);
	uint16_t type = chance_below(c, MAGNET_A_MAX + 4);
	size_t i;

	for (i = 0; i <= len / 8; i++)
		data[i] = chance_one_of(c, 2) ? 0x4141414141414141ULL : chance_next(c);
	if (chance_one_of(c, 3))
		type |= NLA_F_NESTED;
	if (chance_one_of(c, 8))
		type |= NLA_F_NET_BYTEORDER;
	put(r, type, data, len);
}

/* ---- requests ---- */

static void begin(struct chance *c, struct request *r, const struct recipe *recipe)
{
	const struct magnet_ctl ctl = { .family = family };

	request_begin(r, &ctl, recipe->cmd);
	r->nl.nlmsg_seq = chance_next(c);
}

static void put_attrs(struct chance *c, struct request *r, const struct recipe *recipe)
{
	unsigned int i;

	for (i = 0; i < ATTRS_MAX && recipe->attrs[i]; i++)
		if (i < 2 ? chance_below(c, 50) : chance_one_of(c, 3))
			put_good(c, r, recipe->attrs[i]);
}

/* The length of some attribute, or of the message, is not what it is. */
static void wrong_length(struct chance *c, struct request *r)
{
	struct nlattr *attr = (void *)r->attrs;

	if (r->nl.nlmsg_len > NLMSG_HDRLEN + GENL_HDRLEN && chance_one_of(c, 2))
		attr->nla_len = chance_one_of(c, 2) ? chance_below(c, 16) : chance_next(c);
	else
		r->nl.nlmsg_len -= chance_below(c, r->nl.nlmsg_len - NLMSG_HDRLEN + 1);
}

static void wrong_byte(struct chance *c, struct request *r)
{
	const size_t len = r->nl.nlmsg_len - NLMSG_HDRLEN;

	((uint8_t *)&r->genl)[chance_below(c, len)] = chance_next(c);
}

static void make_mistake(struct chance *c, struct request *r)
{
	do {
		switch (chance_below(c, 6)) {
		case 0:
			wrong_length(c, r);
			/* Nothing can be put behind this. */
			return;
		case 1:
			wrong_byte(c, r);
			break;
		case 2:
			r->genl.cmd = chance_next(c);
			break;
		case 3:
			r->nl.nlmsg_flags = chance_next(c);
			break;
		default:
			put_garbage(c, r);
		}
	} while (chance_one_of(c, 3));
	/* Ends what everybody has; done now and then, as a slow request. */
	if (r->genl.cmd == MAGNET_CMD_SHUTDOWN)
		r->genl.cmd = MAGNET_CMD_UNSPEC;
}

/* ---- sending, and what comes back ---- */

static int some_socket(struct chance *c)
{
	return __atomic_load_n(&sockets[chance_below(c, FUZZ_SOCKETS)], __ATOMIC_RELAXED);
}

static void pack(const struct request *r)
{
	memcpy(parcel.data + parcel.len, r, r->nl.nlmsg_len);
	parcel.len += NLMSG_ALIGN(r->nl.nlmsg_len);
}

static void send_parcel(int fd)
{
	send(fd, parcel.data, parcel.len, MSG_DONTWAIT | MSG_NOSIGNAL);
	parcel.len = 0;
}

static void end(unsigned int kind, uint32_t id)
{
	const struct magnet_ctl ctl = { .family = family };
	struct request r;

	if (!del_cmds[kind] || parcel.len + sizeof(r) > sizeof(parcel.data))
		return;
	request_begin(&r, &ctl, del_cmds[kind]);
	request_put_u32(&r, id_attrs[kind], id);
	pack(&r);
}

static void learn(struct attrs attrs)
{
	struct attrs value;
	uint16_t type;
	uint32_t id, old;
	unsigned int kind;

	while (attrs_next(&attrs, &type, &value)) {
		if (!is_id(type, &kind) || value.len != sizeof(id))
			continue;
		fuzz_note(FUZZ_DESCRIBED);
		memcpy(&id, value.at, sizeof(id));
		old = __atomic_exchange_n(&ids[kind][id % IDS], id, __ATOMIC_RELAXED);
		if (old && old != id)
			end(kind, old);
	}
}

/* Nothing of the subscription runs any more: its counters add up. */
static void reckon(struct attrs attrs)
{
	struct attrs cpu;
	uint16_t type;

	while (attrs_next(&attrs, &type, &cpu)) {
		if (type != MAGNET_A_CPU_STATS)
			continue;
		EXPECT_EQ(attrs_u64(cpu, MAGNET_A_HITS),
			  attrs_u64(cpu, MAGNET_A_COMMITTED) + attrs_u64(cpu, MAGNET_A_FILTERED) +
			  attrs_u64(cpu, MAGNET_A_SAMPLED_OUT) +
			  attrs_u64(cpu, MAGNET_A_DROPPED_FULL) +
			  attrs_u64(cpu, MAGNET_A_DROPPED_BIG) +
			  attrs_u64(cpu, MAGNET_A_DROPPED_RECURSION) +
			  attrs_u64(cpu, MAGNET_A_DROPPED_STORM));
		fuzz_note(FUZZ_RECKONED);
	}
}

static void hear_one(const struct nlmsghdr *nl)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nl);
	const struct nlmsgerr *e = NLMSG_DATA(nl);
	const struct attrs attrs = {
		(const char *)genl + GENL_HDRLEN, nl->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN,
	};

	if (nl->nlmsg_type == NLMSG_ERROR)
		fuzz_note(e->error ? FUZZ_REFUSED : FUZZ_ACKNOWLEDGED);
	if (nl->nlmsg_type != family)
		return;
	if (genl->cmd == MAGNET_CMD_SUB_DEL)
		reckon(attrs);
	else
		learn(attrs);
}

/* Returns whether there may be more. */
static bool hear_some(int fd)
{
	static __thread char data[ANSWERS][ANSWER_ROOM] __attribute__((aligned(8)));
	struct iovec iov[ANSWERS];
	struct mmsghdr msgs[ANSWERS];
	struct nlmsghdr *nl;
	int i, got;

	memset(msgs, 0, sizeof(msgs));
	for (i = 0; i < ANSWERS; i++) {
		iov[i] = (struct iovec){ data[i], ANSWER_ROOM };
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	got = recvmmsg(fd, msgs, ANSWERS, MSG_DONTWAIT, NULL);
	for (i = 0; i < got; i++) {
		unsigned int len = msgs[i].msg_len;

		for (nl = (void *)data[i]; NLMSG_OK(nl, len); nl = NLMSG_NEXT(nl, len))
			hear_one(nl);
	}
	return got == ANSWERS;
}

/* Sends what is packed; hears some answers, to this or to another thread's. */
static void dispatch(struct chance *c)
{
	const int fd = some_socket(c);
	unsigned int most = 1 + chance_below(c, 4);

	send_parcel(fd);
	while (most-- && hear_some(fd))
		;
	/* Those that were learned to be too many. */
	if (parcel.len)
		send_parcel(fd);
}

static void pack_bad_request(struct chance *c)
{
	/* With an attribute of an unknown number it is refused whatever else it says. */
	const struct recipe *all = chance_one_of(c, 4) ? fast : slow;
	const struct recipe *recipe = &all[chance_below(c, all == fast ? KTAP_SIZE(fast) :
								KTAP_SIZE(slow))];
	const uint32_t none = 0;
	struct request r;

	begin(c, &r, recipe);
	put(&r, MAGNET_A_MAX + 1 + chance_below(c, 100), &none, sizeof(none));
	put_attrs(c, &r, recipe);
	make_mistake(c, &r);
	pack(&r);
}

void fuzz_bad_requests(struct chance *c)
{
	unsigned int i;

	for (i = 0; i < FUZZ_BATCH; i++)
		pack_bad_request(c);
	dispatch(c);
}

void fuzz_dump(struct chance *c)
{
	const struct recipe *recipe = &fast[chance_below(c, KTAP_SIZE(fast))];
	struct request r;

	begin(c, &r, recipe);
	put_attrs(c, &r, recipe);
	if (recipe->cmd != MAGNET_CMD_INFO_GET)
		r.nl.nlmsg_flags |= NLM_F_DUMP;
	pack(&r);
	dispatch(c);
}

void fuzz_slow_request(struct chance *c)
{
	static const struct recipe all_ends = { MAGNET_CMD_SHUTDOWN, {} };
	const struct recipe *recipe = &slow[chance_below(c, KTAP_SIZE(slow))];
	struct request r;

	if (chance_one_of(c, 300))
		recipe = &all_ends;
	begin(c, &r, recipe);
	put_attrs(c, &r, recipe);
	if (chance_one_of(c, 5))
		make_mistake(c, &r);
	pack(&r);
	dispatch(c);
}

void fuzz_good_request(struct chance *c)
{
	static const struct recipe buffer_new = { MAGNET_CMD_BUFFER_NEW, {} };
	static const struct recipe sub_new = { MAGNET_CMD_SUB_NEW, {} };
	char name[MAGNET_NAME_SIZE];
	struct request r;

	fuzz_buffer_name(c, name, sizeof(name));
	begin(c, &r, &buffer_new);
	put_text(&r, MAGNET_A_BUFFER, name);
	pack(&r);
	begin(c, &r, &sub_new);
	put_text(&r, MAGNET_A_BUFFER, name);
	put_text(&r, MAGNET_A_POINT, "marker");
	pack(&r);
	dispatch(c);
}

/* ---- sockets ---- */

static int new_socket(struct chance *c)
{
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	const int one = 1;

	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	if (chance_one_of(c, 2))
		setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group));
	if (chance_one_of(c, 4))
		setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &one, sizeof(one));
	return fd;
}

void fuzz_new_socket(struct chance *c)
{
	const int fd = new_socket(c);

	close(__atomic_exchange_n(&sockets[chance_below(c, FUZZ_SOCKETS)], fd, __ATOMIC_RELAXED));
}

static void note_point(struct attrs attrs, void *arg)
{
	(void)arg;
	if (nr_points < POINTS_MAX)
		strncpy(points[nr_points++], attrs_text(attrs, MAGNET_A_POINT),
			MAGNET_NAME_SIZE - 1);
}

bool fuzz_netlink_begin(void)
{
	struct magnet_ctl ctl;

	if (ctl_open(&ctl))
		return false;
	family = ctl.family;
	group = ctl.mcgrp;
	request_dump(&ctl, MAGNET_CMD_POINT_GET, note_point, NULL);
	ctl_close(&ctl);
	return nr_points;
}

void fuzz_sockets_begin(void)
{
	struct chance c = {};
	unsigned int i;

	for (i = 0; i < FUZZ_SOCKETS; i++)
		sockets[i] = new_socket(&c);
}

void fuzz_sockets_end(void)
{
	unsigned int i;

	for (i = 0; i < FUZZ_SOCKETS; i++)
		close(sockets[i]);
}

/* What is persistent ends as well, and the points are as they were. */
void fuzz_netlink_end(void)
{
	struct magnet_ctl ctl;
	struct request r;
	unsigned int i;

	NEED(!ctl_open(&ctl), "%s", ctl.error);
	NEED(!ctl_shutdown(&ctl), "%s", ctl.error);
	for (i = 0; i < nr_points; i++) {
		request_begin(&r, &ctl, MAGNET_CMD_POINT_SET);
		request_put_text(&r, MAGNET_A_POINT, points[i]);
		request_put_u32(&r, MAGNET_A_ENABLED, 1);
		request_put_u32(&r, MAGNET_A_STORM_RATE, 0);
		/* A module that can't change points says so. */
		request_send(&r, &ctl, NULL, NULL);
	}
	ctl_close(&ctl);
}
