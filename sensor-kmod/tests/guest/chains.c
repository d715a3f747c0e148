// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random chains of rules against a model of them: which events are logged, and
 * what each rule has counted. The same is asked of all ways that an event can
 * take: handlers that look at rules by themselves, before they fetch the payload
 * or after it, and the gate. Events are calls of send(), which nobody else
 * makes here. MAGNET_SEED repeats a run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <netinet/in.h>

#include "guest.h"
#include "namespace.h"
#include "request.h"
#include "sensor.h"

#define CHAINS		150
#define EVENTS		24
#define RULES		5
#define TESTS		3
#define RANGES		3
#define SOCKETS		3
#define LEN_MAX		160

/* Any value of any field. */
typedef __int128 num;

enum field { ID, CPU, TGID, TID, LEN, FAMILY, PROTOCOL, LOW, FIELDS };

static const struct {
	const char	*name;
	num		min, max;
} fields[FIELDS] = {
	[ID]		= { "id", 0, UINT64_MAX },
	[CPU]		= { "cpu", 0, UINT64_MAX },
	[TGID]		= { "tgid", 0, UINT32_MAX },
	[TID]		= { "tid", 0, UINT32_MAX },
	[LEN]		= { "len", 0, UINT32_MAX },
	[FAMILY]	= { "family", 0, UINT16_MAX },
	[PROTOCOL]	= { "protocol", 0, UINT16_MAX },
	[LOW]		= { "low", INT8_MIN, INT8_MAX },
};

/* A point, and what its events have. */
struct way {
	const char	*point;		/* or its definition, with a colon */
	bool		another;	/* a second subscription: gates are asked */
	unsigned int	sockets;
	unsigned int	len_at;		/* in the payload */
	unsigned int	headers;	/* bytes in front of the data: there are packets */
	unsigned int	nr;
	enum field	field[FIELDS];
};

struct event {
	num		value[FIELDS];
	unsigned int	socket;
};

enum action { LOG, DROP, URGENT, SAMPLE, EVERY };

struct range {
	num lo, hi;
};

struct test {
	enum field	field;
	bool		negated;
	bool		bits;		/* one of them is set: range[0].lo */
	unsigned int	nr;
	struct range	range[RANGES];
};

struct rule {
	enum action	action;
	int		n;		/* of SAMPLE */
	unsigned int	nr;
	struct test	test[TESTS];
	/* What it did. */
	uint64_t	matched;
	int		left[2];
	bool		passed;
};

static struct sensor s;
static const struct way *way;
static int sockets[SOCKETS];
static uint64_t cookies[SOCKETS];
static struct event events[EVENTS];
static struct rule chain[RULES];
static unsigned int nr_rules;
static char text[MAGNET_RULES_SIZE];
static uint64_t seed;

static unsigned int below(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

/* ---- events ---- */

static void open_sockets(void)
{
	unsigned int i;

	for (i = 0; i < SOCKETS; i++) {
		socklen_t size = sizeof(cookies[i]);

		sockets[i] = socket(i == SOCKETS - 1 ? AF_INET6 : AF_INET,
				    SOCK_DGRAM | SOCK_CLOEXEC, 0);
		NEED(sockets[i] >= 0 && !getsockopt(sockets[i], SOL_SOCKET, SO_COOKIE, &cookies[i],
						    &size), "socket: %s", strerror(errno));
	}
}

/* To where nobody reads: what there is no room for has passed the point all the same. */
static void connect_sockets(void)
{
	struct sockaddr_in sink = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(sink);
	unsigned int i;

	NEED(fd >= 0 && !bind(fd, (struct sockaddr *)&sink, size) &&
	     !getsockname(fd, (struct sockaddr *)&sink, &size), "sink: %s", strerror(errno));
	for (i = 0; i < way->sockets; i++)
		NEED(!connect(sockets[i], (struct sockaddr *)&sink, size), "connect: %s",
		     strerror(errno));
}

static void plan_events(void)
{
	unsigned int i;

	for (i = 0; i < EVENTS; i++) {
		struct event *e = &events[i];

		e->socket = below(way->sockets);
		e->value[ID] = way->field[0] == ID ? cookies[e->socket] : 0;
		e->value[LEN] = way->headers + below(LEN_MAX);
		e->value[LOW] = (int8_t)e->value[LEN];
		e->value[FAMILY] = e->socket == SOCKETS - 1 ? AF_INET6 : AF_INET;
		e->value[PROTOCOL] = IPPROTO_UDP;
		e->value[TGID] = getpid();
		/* Of the second half somebody else makes more of it. */
		e->value[TID] = guest_tid();
		e->value[CPU] = i / (EVENTS / 2);
	}
}

/* Without a destination: an event, and no packet. */
static bool send_one(const struct event *e)
{
	static const char data[LEN_MAX];
	const ssize_t len = e->value[LEN] - way->headers;
	const ssize_t sent = send(sockets[e->socket], data, len, 0);

	return way->headers ? sent == len : sent < 0 && errno == EDESTADDRREQ;
}

static void *make_half(void *of)
{
	struct event *e = of, *end = e + EVENTS / 2;

	guest_on_cpu(e->value[CPU]);
	for (; e < end; e++) {
		e->value[TID] = guest_tid();
		NEED(send_one(e), "send: %s", strerror(errno));
	}
	return NULL;
}

static void make_events(void)
{
	pthread_t other;

	make_half(events);
	NEED(!pthread_create(&other, NULL, make_half, events + EVENTS / 2), "no thread");
	pthread_join(other, NULL);
}

/* ---- rules: their text ---- */

static void __attribute__((format(printf, 1, 2))) add_text(const char *fmt, ...)
{
	const size_t len = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, args);
	va_end(args);
}

static void add_num(num value)
{
	if (value < 0)
		add_text("%lld", (long long)value);
	else
		add_text("%llu", (unsigned long long)value);
}

/* Where something changes: at the values of events, and at the ends. */
static num some_value(enum field field)
{
	const num min = fields[field].min, max = fields[field].max;
	num value = events[below(EVENTS)].value[field] + (int)below(5) - 2;

	if (!below(16))
		value = min;
	if (!below(16))
		value = max;
	return value < min ? min : value > max ? max : value;
}

static void make_list(struct test *t)
{
	unsigned int i;

	t->nr = 1 + below(RANGES);
	for (i = 0; i < t->nr; i++) {
		const num a = some_value(t->field), b = below(2) ? some_value(t->field) : a;

		t->range[i] = (struct range){ a < b ? a : b, a < b ? b : a };
		add_text("%s", i ? "," : "");
		add_num(t->range[i].lo);
		if (a != b || !below(8)) {
			add_text("-");
			add_num(t->range[i].hi);
		}
	}
}

static void make_comparison(struct test *t)
{
	const num min = fields[t->field].min, max = fields[t->field].max;
	const bool less = below(2), equal = below(2);
	num v = some_value(t->field);

	/* Beyond the ends is nothing. */
	if (!equal && v == (less ? min : max))
		v += less ? 1 : -1;
	t->nr = 1;
	t->range[0] = less ? (struct range){ min, equal ? v : v - 1 } :
			     (struct range){ equal ? v : v + 1, max };
	add_text("%s%s ", less ? "<" : ">", equal ? "=" : "");
	add_num(v);
}

static void make_test(struct test *t)
{
	*t = (struct test){ .field = way->field[below(way->nr)] };
	add_text("%s ", fields[t->field].name);
	switch (below(5)) {
	case 0:
		add_text("& ");
		t->bits = true;
		t->range[0].lo = some_value(t->field);
		add_num(t->range[0].lo);
		break;
	case 1:
		t->negated = true;
		add_text("!= ");
		make_list(t);
		break;
	case 2:
		add_text(below(2) ? "in " : "== ");
		make_list(t);
		break;
	default:
		make_comparison(t);
	}
}

static void make_rule(struct rule *r)
{
	static const char *const names[] = {
		[LOG] = "log", [DROP] = "drop", [URGENT] = "urgent", [SAMPLE] = "sample",
		[EVERY] = "every 3600s",
	};
	unsigned int i;

	*r = (struct rule){ .action = below(2) ? DROP : below(EVERY + 1), .n = 1 + below(4) };
	add_text("%s", names[r->action]);
	if (r->action == SAMPLE)
		add_text(" %d", r->n);
	r->nr = below(8) ? 1 + below(TESTS) : 0;
	for (i = 0; i < r->nr; i++) {
		add_text(i ? " and " : " if ");
		make_test(&r->test[i]);
	}
	add_text("; ");
}

static void make_chain(void)
{
	unsigned int i;

	text[0] = '\0';
	nr_rules = 1 + below(RULES);
	for (i = 0; i < nr_rules; i++)
		make_rule(&chain[i]);
}

/* ---- rules: what they mean ---- */

static bool is_true(const struct test *t, const struct event *e)
{
	const num value = e->value[t->field];
	unsigned int i;

	if (t->bits)
		/* Of a negative number there are more bits than the field has. */
		return value & t->range[0].lo & (fields[t->field].max - fields[t->field].min);
	for (i = 0; i < t->nr; i++)
		if (value >= t->range[i].lo && value <= t->range[i].hi)
			return !t->negated;
	return t->negated;
}

static bool matches(const struct rule *r, const struct event *e)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		if (!is_true(&r->test[i], e))
			return false;
	return true;
}

/* What becomes of an event, counted. */
static bool is_logged(const struct event *e, struct magnet_ctl_counters *sum)
{
	struct rule *r = chain, *end = chain + nr_rules;
	int *left;
	bool logged = true;

	while (r < end && !matches(r, e))
		r++;
	sum->hits++;
	if (r < end) {
		r->matched++;
		left = &r->left[e->value[CPU]];
		if (r->action == SAMPLE) {
			logged = --*left < 0;
			*left += logged ? r->n : 0;
		} else if (r->action == EVERY) {
			logged = !r->passed;
			r->passed = true;
		} else {
			logged = r->action != DROP;
		}
	}
	sum->committed += logged;
	sum->filtered += !logged && r->action == DROP;
	sum->sampled_out += !logged && r->action != DROP;
	return logged;
}

/* ---- what the module did ---- */

static void set_rules(const char *rules)
{
	struct request r;
	struct answer a;

	request_begin(&r, &s.ctl, MAGNET_CMD_SUB_SET);
	request_put_u32(&r, MAGNET_A_SUB_ID, s.sub);
	request_put_text(&r, MAGNET_A_RULES, rules);
	a = request_send(&r, &s.ctl, NULL, NULL);
	NEED(!a.error, "%s: %s", rules, a.text);
}

/* Of each rule of our subscription, in their order. */
static void compare_matched(struct attrs attrs, void *arg)
{
	unsigned int *at = arg;
	struct attrs rule;
	uint16_t type;

	if (attrs_u32(attrs, MAGNET_A_SUB_ID) != s.sub)
		return;
	while (attrs_next(&attrs, &type, &rule)) {
		if (type != MAGNET_A_RULE)
			continue;
		NEED(*at < nr_rules, "there are more rules");
		EXPECT(attrs_u64(rule, MAGNET_A_MATCHED) == chain[*at].matched,
		       "%s: rule %u matched %llu, not %llu", text, *at,
		       (unsigned long long)attrs_u64(rule, MAGNET_A_MATCHED),
		       (unsigned long long)chain[*at].matched);
		++*at;
	}
}

/* Are the events that have to be there in the ring, in order? */
static void compare_ring(const int fd, const bool *logged, const struct event *e, unsigned int n)
{
	static char data[65536];
	const ssize_t got = read(fd, data, sizeof(data));
	const void *at = data, *end = data + (got < 0 ? 0 : got);
	unsigned int i = 0;
	struct record rec;

	NEED(got >= 0 || errno == EAGAIN, "read: %s", strerror(errno));
	while (records_next(&at, end, &rec)) {
		if (rec.event == MAGNET_EVENT_CLOCK)
			continue;
		while (i < n && !logged[i])
			i++;
		EXPECT(i < n && *(const uint32_t *)((const char *)rec.payload + way->len_at) ==
		       e[i].value[LEN], "%s: another event is there than the %u.", text, i);
		i++;
	}
	while (i < n && !logged[i])
		i++;
	EXPECT(i >= n, "%s: the %u. event is missing", text, i);
}

static void compare(const int fd[2], struct magnet_ctl_counters *sum)
{
	unsigned int i, rules = 0;
	bool logged[EVENTS];
	struct answer a;

	for (i = 0; i < EVENTS; i++)
		logged[i] = is_logged(&events[i], sum);
	a = request_dump(&s.ctl, MAGNET_CMD_RULE_GET, compare_matched, &rules);
	NEED(!a.error, "%s", a.text);
	EXPECT_EQ(rules, nr_rules);
	compare_ring(fd[0], logged, events, EVENTS / 2);
	compare_ring(fd[1], logged + EVENTS / 2, events + EVENTS / 2, EVENTS / 2);
}

/* ---- all ways ---- */

static void begin(const struct way *w)
{
	static struct sensor other;
	char point[MAGNET_NAME_SIZE];

	way = w;
	seed = getenv("MAGNET_SEED") ? strtoull(getenv("MAGNET_SEED"), NULL, 0) : guest_now_us();
	printf("# MAGNET_SEED=%llu\n", (unsigned long long)seed);
	sensor_make(&s, 1 << 20);
	if (w->headers)
		namespace_enter();
	open_sockets();
	if (w->headers)
		connect_sockets();
	snprintf(point, sizeof(point), "%s", w->point);
	if (strchr(w->point, ':'))
		NEED(!ctl_point_insert(&s.ctl, "sends", w->point, 0, point), "%s", s.ctl.error);
	sensor_subscribe(&s, point, 0);
	if (!w->another)
		return;
	other = s;
	snprintf(other.buffer, sizeof(other.buffer), "other");
	NEED(!ctl_buffer_new(&s.ctl, other.buffer, MAGNET_BUFFER_SIZE_MIN, 0, NULL), "%s",
	     s.ctl.error);
	sensor_subscribe(&other, point, 0);
}

static void chains_do_what_they_say(const struct way *w)
{
	struct magnet_ctl_counters sum = {}, c;
	int fd[2];
	unsigned int i;

	begin(w);
	for (i = 0; i < 2; i++) {
		fd[i] = ctl_data_open(s.buffer, i, O_NONBLOCK);
		NEED(fd[i] >= 0, "cpu%u: %s", i, strerror(-fd[i]));
	}
	for (i = 0; i < CHAINS && !ktap_complaints; i++) {
		plan_events();
		make_chain();
		set_rules(text);
		make_events();
		compare(fd, &sum);
	}
	NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.hits, sum.hits);
	EXPECT_EQ(c.committed, sum.committed);
	EXPECT_EQ(c.filtered, sum.filtered);
	EXPECT_EQ(c.sampled_out, sum.sampled_out);
	EXPECT(c.committed && c.filtered && c.sampled_out, "these chains test nothing");
}

#define OF_ALL		ID, CPU, TGID, TID, LEN
#define OF_DYNAMIC	CPU, TGID, TID, LEN, LOW
#define DYNAMIC_FIELDS	" len=$arg3:u32 low=$arg3:s8"

static const struct way built_in = {
	"inet_sendmsg", .sockets = SOCKETS, .nr = 7, .field = { OF_ALL, FAMILY, PROTOCOL },
};

static const struct way with_another = {
	"inet_sendmsg", true, SOCKETS, .nr = 7, .field = { OF_ALL, FAMILY, PROTOCOL },
};

static const struct way packets = {
	"ip_send_skb", .sockets = 2, .len_at = 8, .headers = 28, .nr = 5, .field = { OF_ALL },
};

static const struct way dynamic = {
	"f:inet_sendmsg" DYNAMIC_FIELDS, .sockets = 2, .nr = 5, .field = { OF_DYNAMIC },
};

/* The latency comes first. */
static const struct way at_return = {
	"r:inet_sendmsg" DYNAMIC_FIELDS, .sockets = 2, .len_at = 8, .nr = 5,
	.field = { OF_DYNAMIC },
};

static void handlers_look_at_chains(void)		{ chains_do_what_they_say(&built_in); }
static void gates_look_at_chains(void)			{ chains_do_what_they_say(&with_another); }
static void handlers_of_packets_look_at_chains(void)	{ chains_do_what_they_say(&packets); }
static void dynamic_points_look_at_chains(void)		{ chains_do_what_they_say(&dynamic); }
static void returns_look_at_chains(void)		{ chains_do_what_they_say(&at_return); }

/* ---- chains that change ---- */

#define LEN_DROPPED	64
#define CHANGES		60

static volatile bool stop;
static uint64_t made, to_drop;

static void *send_on(void *cpu)
{
	static const char data[2 * LEN_DROPPED];
	uint64_t n, dropped = 0;

	guest_on_cpu((uintptr_t)cpu);
	for (n = 0; !stop; n++) {
		const size_t len = n * 7 % sizeof(data);

		dropped += len >= LEN_DROPPED;
		NEED(send(sockets[0], data, len, 0) < 0, "it was sent");
	}
	__atomic_fetch_add(&made, n, __ATOMIC_RELAXED);
	__atomic_fetch_add(&to_drop, dropped, __ATOMIC_RELAXED);
	return NULL;
}

/* All of them drop the same events: those of 64 bytes and more. */
static void set_other_rules(unsigned int which)
{
	static const char *const chains[] = {
		"drop if len >= 64",
		"log if len < 64; drop",
		"drop if tgid == %d and len > 63",
		"drop if tgid != %d; drop if cpu in 0,1 and len & 64",
		"log if len in 0-31,32-63; drop if tgid == %d; log",
		"urgent if id == 0xffffffffffffffff; drop if len != 0-10,11-20,21-63",
		"drop if tgid == %d and cpu < 2 and tid > 1 and len in 100-127,64-99",
		"log if tgid == %d and len < 64; log if tid == 1; drop if cpu == 0; drop if cpu == 1",
	};
	char rules[256];

	snprintf(rules, sizeof(rules), chains[which % KTAP_SIZE(chains)], (int)getpid());
	set_rules(rules);
}

/* Whatever chain sees an event, and by whichever way, it says the same. */
static void chains_change_under_fire(const struct way *w)
{
	struct magnet_ctl_counters c;
	pthread_t thread[2];
	uint32_t another;
	uintptr_t cpu;
	unsigned int i;

	begin(w);
	set_other_rules(0);
	for (cpu = 0; cpu < 2; cpu++)
		NEED(!pthread_create(&thread[cpu], NULL, send_on, (void *)cpu), "no thread");
	for (i = 0; i < CHANGES; i++) {
		set_other_rules(below(64));
		if (i % 4)
			continue;
		/* Meanwhile gates are asked. */
		NEED(!ctl_sub_new(&s.ctl, strchr(w->point, ':') ? "sends" : w->point, s.buffer, 0,
				  &another), "%s", s.ctl.error);
		set_other_rules(below(64));
		NEED(!ctl_sub_del(&s.ctl, another, NULL), "%s", s.ctl.error);
	}
	stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.hits, made);
	EXPECT_EQ(c.filtered, to_drop);
	EXPECT_EQ(c.committed + c.dropped_full, made - to_drop);
	EXPECT(to_drop, "nothing was made");
}

static void chains_of_handlers_change_under_fire(void)	{ chains_change_under_fire(&built_in); }
static void chains_of_dynamic_points_change_under_fire(void) { chains_change_under_fire(&dynamic); }

static const struct ktap_test tests[] = {
	KTAP_TEST(handlers_look_at_chains),
	KTAP_TEST(gates_look_at_chains),
	KTAP_TEST(handlers_of_packets_look_at_chains),
	KTAP_TEST(dynamic_points_look_at_chains),
	KTAP_TEST(returns_look_at_chains),
	KTAP_TEST(chains_of_handlers_change_under_fire),
	KTAP_TEST(chains_of_dynamic_points_change_under_fire),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
