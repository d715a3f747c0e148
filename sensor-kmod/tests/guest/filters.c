// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules, sampling, storm guard: which of the events that were made are logged.
 * Most are markers, whose abstract id is a number of our choice.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "guest.h"
#include "request.h"
#include "sensor.h"

#define MARKERS	1009

static struct sensor s;
static int marker = -1;

static void mark(uint64_t id)
{
	char text[32];
	const int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)id);

	if (marker < 0)
		marker = open("/dev/magnet/marker", O_WRONLY | O_CLOEXEC);
	NEED(write(marker, text, len) == len, "marker: %s", strerror(errno));
}

static void mark_up_to(uint64_t n)
{
	uint64_t id;

	for (id = 0; id < n; id++)
		mark(id);
}

/* ---- requests ---- */

static void keep_id(struct attrs attrs, void *id)
{
	*(uint32_t *)id = attrs_u32(attrs, MAGNET_A_SUB_ID);
}

static void begin_sub(struct request *r, const char *point)
{
	request_begin(r, &s.ctl, MAGNET_CMD_SUB_NEW);
	request_put_text(r, MAGNET_A_POINT, point);
	request_put_text(r, MAGNET_A_BUFFER, s.buffer);
}

static void post_sub(struct request *r)
{
	const struct answer a = request_send(r, &s.ctl, keep_id, &s.sub);

	NEED(!a.error, "%s: %s", strerror(-a.error), a.text);
}

static void sub_with_rules(const char *point, const char *rules)
{
	struct request r;

	begin_sub(&r, point);
	request_put_text(&r, MAGNET_A_RULES, rules);
	post_sub(&r);
}

static void sub_with(const char *point, uint16_t attr, uint32_t value)
{
	struct request r;

	begin_sub(&r, point);
	request_put_u32(&r, attr, value);
	post_sub(&r);
}

static void begin_set(struct request *r)
{
	request_begin(r, &s.ctl, MAGNET_CMD_SUB_SET);
	request_put_u32(r, MAGNET_A_SUB_ID, s.sub);
}

static void done(struct request *r)
{
	const struct answer a = request_send(r, &s.ctl, NULL, NULL);

	NEED(!a.error, "%s: %s", strerror(-a.error), a.text);
}

static void set_rules(const char *rules)
{
	struct request r;

	begin_set(&r);
	request_put_text(&r, MAGNET_A_RULES, rules);
	done(&r);
}

/* The subscription's end: its counters have to add up. */
static struct magnet_ctl_counters end_sub(void)
{
	struct magnet_ctl_counters c;

	NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.hits, c.committed + c.filtered + c.sampled_out + c.dropped_full +
		  c.dropped_big + c.dropped_recursion + c.dropped_storm);
	return c;
}

/* ---- rules ---- */

#define IDS	300

struct rule_case {
	const char	*rules;
	bool		(*logged)(uint64_t id);
};

static int digits(uint64_t id)
{
	return id < 10 ? 1 : id < 100 ? 2 : 3;
}

static bool all(uint64_t id)		{ (void)id; return true; }
static bool none(uint64_t id)		{ (void)id; return false; }
static bool from_100(uint64_t id)	{ return id >= 100; }
static bool above_100(uint64_t id)	{ return id > 100; }
static bool below_100(uint64_t id)	{ return id < 100; }
static bool only_7(uint64_t id)		{ return id == 7; }
static bool not_7(uint64_t id)		{ return id != 7; }
static bool even(uint64_t id)		{ return !(id & 1); }
static bool neither_1_nor_4(uint64_t id) { return !(id & 5); }
static bool listed(uint64_t id)		{ return id == 3 || (id >= 5 && id <= 9) || id == 150; }
static bool unlisted(uint64_t id)	{ return !listed(id); }
static bool two_digits(uint64_t id)	{ return digits(id) == 2 && id != 50; }
static bool first_decides(uint64_t id)	{ return id >= 10 && id <= 12; }
static bool thirds(uint64_t id)		{ return id >= 200 || (id >= 100 && id % 10 == 0); }
static bool once(uint64_t id)		{ return id == 0; }
static bool once_from_20(uint64_t id)	{ return id <= 20; }

static const struct rule_case rule_cases[] = {
	{ "", all }, { " ; ;", all }, { "log", all }, { "drop", none }, { "drop; log", none },
	{ "log; drop", all }, { "drop if id < 100", from_100 }, { "drop if id <= 100", above_100 },
	{ "drop if id >= 100", below_100 }, { "drop if id > 99", below_100 },
	{ "drop if id != 7", only_7 }, { "drop if id == 7", not_7 }, { "drop if id == 0x7", not_7 },
	{ "drop if id & 1", even }, { "drop if id & 5", neither_1_nor_4 },
	{ "log if id in 3,5-9,150; drop", listed }, { "drop if id in 3,5-9,150", unlisted },
	{ "drop if id != 3,5-9,150", listed },
	{ "log if len == 2 and id != 50; drop", two_digits },
	{ "drop if len != 2;drop if id == 50", two_digits },
	{ "\tlog  if id in 10-12 \n drop if id >= 0", first_decides },
	{ "log if id >= 200; sample 10 if id >= 100; drop", thirds },
	{ "every 3600s", once }, { "log if id < 20; every 60000ms", once_from_20 },
	{ "every 1h", once }, { "every 60", once }, { "every 0.5h", once },
	{ "every 59.999999999m", once },
	{ "drop if cpu == 0", none }, { "drop if cpu in 1-65535", all },
	{ "drop if cpu > 0", all }, { "urgent if id == 7", all },
	{ "drop if id > 0xfffffffffffffffe", all },
	{ "drop if id >= 0 and id >= 1 and id >= 2 and id >= 3 and id >= 100", below_100 },
};

static bool is_marker(const struct record *rec)
{
	return rec->event == MAGNET_EVENT_MARKER;
}

/* Do the markers that are there have the ids that @logged wants, in order? */
static void expect_ids(const char *what, bool (*logged)(uint64_t id))
{
	static char data[DATA_ROOM];
	const ssize_t got = read(s.fd, data, sizeof(data));
	const void *at = data, *end = data + (got < 0 ? 0 : got);
	struct record rec;
	uint64_t id = 0;

	while (records_next(&at, end, &rec)) {
		if (!is_marker(&rec))
			continue;
		while (id < IDS && !logged(id))
			id++;
		EXPECT(rec.id == id, "%s: %llu is there, and not %llu", what,
		       (unsigned long long)rec.id, (unsigned long long)id);
		id = rec.id + 1;
	}
	while (id < IDS && !logged(id))
		id++;
	EXPECT(id >= IDS, "%s: %llu is missing", what, (unsigned long long)id);
}

static uint64_t count_of(bool (*logged)(uint64_t id))
{
	uint64_t id, n = 0;

	for (id = 0; id < IDS; id++)
		n += logged(id);
	return n;
}

static void rules_let_through_what_they_say(void)
{
	unsigned int i;

	sensor_make(&s, 1 << 20);
	sensor_open(&s, 0);
	guest_on_cpu(0);
	fcntl(s.fd, F_SETFL, O_NONBLOCK);
	for (i = 0; i < KTAP_SIZE(rule_cases); i++) {
		const struct rule_case *c = &rule_cases[i];
		struct magnet_ctl_counters counters;

		sub_with_rules("marker", c->rules);
		mark_up_to(IDS);
		counters = end_sub();
		EXPECT_EQ(counters.hits, IDS);
		EXPECT_EQ(counters.committed, count_of(c->logged));
		expect_ids(c->rules, c->logged);
	}
}

/* The running thread and process; and another thread is another one. */
static void rules_know_the_thread(void)
{
	struct magnet_ctl_counters c;
	char rules[128];

	sensor_make(&s, 1 << 20);
	snprintf(rules, sizeof(rules), "drop if tgid != %d; drop if tid != %d", getpid(),
		 guest_tid());
	sub_with_rules("marker", rules);
	mark_up_to(IDS);
	c = end_sub();
	EXPECT_EQ(c.committed, IDS);
	snprintf(rules, sizeof(rules), "drop if tid == %d", guest_tid());
	sub_with_rules("marker", rules);
	mark_up_to(IDS);
	c = end_sub();
	EXPECT_EQ(c.filtered, IDS);
}

/* Fields of a dynamic point, with a sign. */
static void rules_know_signs(void)
{
	static const struct { const char *rule; unsigned int logged; } cases[] = {
		{ "drop if ret >= 0", 100 }, { "drop if ret < 0", 50 },
		{ "drop if ret != -9", 100 },
		{ "drop if ret in -10--9", 50 }, { "drop if ret in -9-0", 0 },
		{ "drop if ret > -10", 0 }, { "drop if ret < -9", 150 },
	};
	char name[MAGNET_NAME_SIZE], rules[256];
	struct magnet_ctl_counters c;
	unsigned int i, n;

	umask(0);
	sensor_make(&s, 1 << 20);
	NEED(!ctl_point_insert(&s.ctl, "returns", "t:sys_exit ret=$arg2:s32", 0, name), "%s",
	     s.ctl.error);
	for (i = 0; i < KTAP_SIZE(cases); i++) {
		snprintf(rules, sizeof(rules), "drop if tid != %d; %s", guest_tid(), cases[i].rule);
		sub_with_rules(name, rules);
		for (n = 0; n < 100; n++)
			syscall(SYS_close, -1);
		for (n = 0; n < 50; n++)
			syscall(SYS_umask, 0);
		c = end_sub();
		/* The request is among them, and its answer in two parts: all return lengths. */
		EXPECT(c.committed >= cases[i].logged && c.committed <= cases[i].logged + 3,
		       "%s: %llu are logged, not %u", cases[i].rule,
		       (unsigned long long)c.committed, cases[i].logged);
	}
}

struct bad_rule {
	const char *rules;
	const char *text;
};

static const struct bad_rule bad_rules[] = {
	{ "log drop", "if TEST" }, { "keep", "begins with log" }, { "drop if", "FIELD OP VALUE" },
	{ "drop if id", "FIELD OP VALUE" }, { "drop if id ==", "FIELD OP VALUE" },
	{ "drop if id = 5", "OP is ==" }, { "drop if id == 5 or id == 6", "joined by" },
	{ "drop if id == 5 and", "FIELD OP VALUE" },
	{ "drop if nosuch == 5", "no field of this name" },
	{ "drop if id == five", "no number" }, { "drop if id == -1", "no number" },
	{ "drop if len == 4294967296", "no number" }, { "drop if id in 9-5", "smaller value" },
	{ "drop if id < 0", "smallest" }, { "drop if len > 4294967295", "smallest" },
	{ "sample", "wants a number" }, { "sample 0", "wants a number" },
	{ "sample x if id == 1", "wants a number" }, { "every", "wants a time" },
	{ "every 0s", "wants a time" }, { "every 5min", "wants a time" },
	{ "every 2h", "wants a time" }, { "every 1d", "wants a time" },
	{ "every 0.9us", "wants a time" }, { "every .5s", "wants a time" },
	{ "every 1.s", "wants a time" }, { "every 5M", "wants a time" },
	{ "every 1234567890123us", "wants a time" }, { "every 0.1234567890s", "wants a time" },
	{ "every 999999999999d", "wants a time" }, { "every 20 ms", "or: if TEST" },
	{ "every 3601s", "wants a time" }, { "drop if saddr == 10.0.0.1", "no packet" },
	{ "drop if dport == 53", "no packet" }, { "log; drop if id == 1x", "no number" },
};

static void bad_rules_are_explained(void)
{
	unsigned int i;

	sensor_make(&s, 1 << 20);
	for (i = 0; i < KTAP_SIZE(bad_rules); i++) {
		struct request r;
		struct answer a;

		begin_sub(&r, "marker");
		request_put_text(&r, MAGNET_A_RULES, bad_rules[i].rules);
		a = request_send(&r, &s.ctl, NULL, NULL);
		EXPECT(a.error && strstr(a.text, bad_rules[i].text), "%s: %d, %s",
		       bad_rules[i].rules, a.error, a.text);
	}
	EXPECT(!guest_file_has(MAGNET_CONTROL "/filters", " marker "), "a refused one is there");
}

static void too_many_rules_are_refused(void)
{
	char rules[MAGNET_RULES_SIZE] = "";
	struct request r;
	struct answer a;
	unsigned int i;

	sensor_make(&s, 1 << 20);
	for (i = 0; i <= MAGNET_RULES_MAX; i++)
		strcat(rules, "drop if id == 5;");
	begin_sub(&r, "marker");
	request_put_text(&r, MAGNET_A_RULES, rules);
	a = request_send(&r, &s.ctl, NULL, NULL);
	EXPECT(a.error == -E2BIG && strstr(a.text, "64"), "%d, %s", a.error, a.text);
	rules[strlen(rules) - strlen("drop if id == 5;")] = '\0';
	sub_with_rules("marker", rules);
	mark_up_to(IDS);
	EXPECT_EQ(end_sub().filtered, 1);
}

/* ---- chains that change ---- */

struct rule_seen {
	uint32_t	sub;
	uint32_t	id;
	uint64_t	matched;
	char		text[64];
};

struct rules_seen {
	unsigned int		nr;
	struct rule_seen	rule[2 * MAGNET_RULES_MAX];
};

static void keep_rules(struct attrs attrs, void *arg)
{
	struct rules_seen *seen = arg;
	const uint32_t sub = attrs_u32(attrs, MAGNET_A_SUB_ID);
	struct attrs rule;
	uint16_t type;

	while (attrs_next(&attrs, &type, &rule)) {
		struct rule_seen *one = &seen->rule[seen->nr];

		if (type != MAGNET_A_RULE)
			continue;
		one->sub = sub;
		one->id = attrs_u32(rule, MAGNET_A_RULE_ID);
		one->matched = attrs_u64(rule, MAGNET_A_MATCHED);
		snprintf(one->text, sizeof(one->text), "%s", attrs_text(rule, MAGNET_A_RULE_TEXT));
		NEED(++seen->nr < KTAP_SIZE(seen->rule), "too many rules");
	}
}

static struct rules_seen rules_now(void)
{
	struct rules_seen seen = {};
	const struct answer a = request_dump(&s.ctl, MAGNET_CMD_RULE_GET, keep_rules, &seen);

	NEED(!a.error, "%s", a.text);
	return seen;
}

static uint32_t rule_new(const char *text, uint32_t before)
{
	struct rules_seen seen = {};
	struct request r;
	struct answer a;

	request_begin(&r, &s.ctl, MAGNET_CMD_RULE_NEW);
	request_put_u32(&r, MAGNET_A_SUB_ID, s.sub);
	request_put_text(&r, MAGNET_A_RULE_TEXT, text);
	if (before)
		request_put_u32(&r, MAGNET_A_RULE_BEFORE, before);
	a = request_send(&r, &s.ctl, keep_rules, &seen);
	NEED(!a.error && seen.nr == 1, "%s: %s", text, a.text);
	return seen.rule[0].id;
}

static struct rule_seen rule_del(uint32_t id)
{
	struct rules_seen seen = {};
	struct request r;
	struct answer a;

	request_begin(&r, &s.ctl, MAGNET_CMD_RULE_DEL);
	request_put_u32(&r, MAGNET_A_SUB_ID, s.sub);
	request_put_u32(&r, MAGNET_A_RULE_ID, id);
	a = request_send(&r, &s.ctl, keep_rules, &seen);
	NEED(!a.error && seen.nr == 1, "%u: %s", id, a.text);
	return seen.rule[0];
}

/* Rules come and go at their places; those that stay keep their counters. */
static void rules_come_and_go(void)
{
	struct rules_seen seen;
	uint32_t first, second, last;

	sensor_make(&s, 1 << 20);
	sub_with_rules("marker", "");
	last = rule_new("drop", 0);
	first = rule_new("log if id < 100", last);
	second = rule_new("log if id < 200", last);
	mark_up_to(IDS);
	seen = rules_now();
	REQUIRE_EQ(seen.nr, 3);
	EXPECT(seen.rule[0].id == first && seen.rule[1].id == second && seen.rule[2].id == last,
	       "the order is %u %u %u", seen.rule[0].id, seen.rule[1].id, seen.rule[2].id);
	EXPECT(seen.rule[0].matched == 100 && seen.rule[1].matched == 100 &&
	       seen.rule[2].matched == 100, "matched: %llu %llu %llu",
	       (unsigned long long)seen.rule[0].matched, (unsigned long long)seen.rule[1].matched,
	       (unsigned long long)seen.rule[2].matched);
	EXPECT(!strcmp(seen.rule[1].text, "log if id < 200"), "%s", seen.rule[1].text);
	EXPECT_EQ(rule_del(first).matched, 100);
	mark_up_to(IDS);
	seen = rules_now();
	REQUIRE_EQ(seen.nr, 2);
	EXPECT_EQ(seen.rule[0].matched, 300);
	EXPECT_EQ(seen.rule[1].matched, 200);
	EXPECT(guest_file_has(MAGNET_CONTROL "/filters", "log if id < 200"),
	       "control/filters lacks it");
	rule_del(last);
	rule_del(second);
	EXPECT_EQ(rules_now().nr, 0);
	mark_up_to(IDS);
	EXPECT_EQ(end_sub().filtered, 200);
}

static void unknown_rules_and_subscriptions_are_refused(void)
{
	struct request r;
	struct answer a;

	sensor_make(&s, 1 << 20);
	sub_with_rules("marker", "log");
	request_begin(&r, &s.ctl, MAGNET_CMD_RULE_DEL);
	request_put_u32(&r, MAGNET_A_SUB_ID, s.sub);
	request_put_u32(&r, MAGNET_A_RULE_ID, 0x7fffffff);
	a = request_send(&r, &s.ctl, NULL, NULL);
	EXPECT(a.error == -ENOENT && strstr(a.text, "no rule"), "%d, %s", a.error, a.text);
	request_begin(&r, &s.ctl, MAGNET_CMD_SUB_SET);
	request_put_u32(&r, MAGNET_A_SUB_ID, 0x7fffffff);
	a = request_send(&r, &s.ctl, NULL, NULL);
	EXPECT(a.error == -ENOENT && strstr(a.text, "no subscription"), "%d, %s", a.error, a.text);
	request_begin(&r, &s.ctl, MAGNET_CMD_RULE_NEW);
	request_put_u32(&r, MAGNET_A_SUB_ID, s.sub);
	a = request_send(&r, &s.ctl, NULL, NULL);
	EXPECT(a.error == -EINVAL && strstr(a.text, "no text"), "%d, %s", a.error, a.text);
}

/* A full chain does not fit into one message. */
static void all_rules_are_listed(void)
{
	struct rules_seen seen;
	char text[512];
	unsigned int i;

	sensor_make(&s, 1 << 20);
	sub_with_rules("marker", "");
	for (i = 0; i < MAGNET_RULES_MAX; i++) {
		snprintf(text, sizeof(text), "drop if id == %u and tgid != 1%*s", i + 1000, 400, "");
		rule_new(text, 0);
	}
	seen = rules_now();
	REQUIRE_EQ(seen.nr, MAGNET_RULES_MAX);
	for (i = 0; i < MAGNET_RULES_MAX; i++) {
		snprintf(text, sizeof(text), "drop if id == %u and tgid != 1", i + 1000);
		EXPECT(!strcmp(seen.rule[i].text, text), "%u: %s", i, seen.rule[i].text);
	}
}

static volatile bool stop;
static uint64_t marked;

static void *mark_on(void *cpu)
{
	uint64_t id;

	guest_on_cpu((uintptr_t)cpu);
	for (id = 0; !stop; id++)
		mark(id % 1000);
	__atomic_fetch_add(&marked, id, __ATOMIC_RELAXED);
	return NULL;
}

/* A filter is swapped under load: every event is judged by one chain or the other. */
static void chains_change_while_events_flow(void)
{
	pthread_t thread[2];
	struct magnet_ctl_counters c;
	struct request r;
	uintptr_t cpu;
	unsigned int i;

	sensor_make(&s, 1 << 20);
	mark(0);
	sub_with_rules("marker", "drop");
	for (cpu = 0; cpu < 2; cpu++)
		NEED(!pthread_create(&thread[cpu], NULL, mark_on, (void *)cpu), "no thread");
	for (i = 0; i < 20; i++) {
		uint32_t id;

		set_rules(i % 2 ? "" : "drop if id & 1; sample 3 if id < 500; log if cpu == 0");
		id = rule_new("drop if id > 3", 0);
		begin_set(&r);
		request_put_u32(&r, MAGNET_A_SAMPLE_COUNT, i % 3 ? 5 : 0);
		done(&r);
		rule_del(id);
	}
	stop = true;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	c = end_sub();
	EXPECT_EQ(c.hits, marked);
	EXPECT(c.committed && c.filtered && c.sampled_out,
	       "%llu committed, %llu filtered, %llu sampled out",
	       (unsigned long long)c.committed, (unsigned long long)c.filtered,
	       (unsigned long long)c.sampled_out);
}

/* ---- sampling ---- */

static void one_of_n_is_logged(void)
{
	static char data[DATA_ROOM];
	const void *at = data, *end;
	struct magnet_ctl_counters c;
	struct record rec;
	uint64_t id = 0;

	guest_on_cpu(0);
	sensor_make(&s, 1 << 20);
	sub_with("marker", MAGNET_A_SAMPLE_COUNT, 7);
	mark_up_to(MARKERS);
	c = end_sub();
	EXPECT_EQ(c.hits, MARKERS);
	EXPECT_EQ(c.committed, (MARKERS + 6) / 7);
	EXPECT_EQ(c.sampled_out, MARKERS - (MARKERS + 6) / 7);
	sensor_open(&s, 0);
	end = data + read(s.fd, data, sizeof(data));
	while (records_next(&at, end, &rec)) {
		if (!is_marker(&rec))
			continue;
		EXPECT_EQ(rec.id, id);
		id += 7;
	}
}

/* One hour is longer than this test. */
static void at_most_one_in_a_time_is_logged(void)
{
	struct magnet_ctl_counters c;
	struct request r;

	sensor_make(&s, 1 << 20);
	sub_with("marker", MAGNET_A_SAMPLE_INTERVAL_US, 3600000000U);
	guest_on_cpu(0);
	mark_up_to(IDS);
	/* On all CPUs together. */
	guest_on_cpu(1);
	mark_up_to(IDS);
	begin_set(&r);
	request_put_u32(&r, MAGNET_A_SAMPLE_INTERVAL_US, 0);
	done(&r);
	mark_up_to(IDS);
	c = end_sub();
	EXPECT_EQ(c.hits, 3 * IDS);
	EXPECT_EQ(c.committed, 1 + IDS);
	EXPECT_EQ(c.sampled_out, 2 * IDS - 1);
}

/* Another subscription of the same point is not filtered with it. */
static void subscriptions_are_filtered_on_their_own(void)
{
	struct magnet_ctl_counters c;
	uint32_t plain, other;

	guest_on_cpu(0);
	sensor_make(&s, 1 << 20);
	NEED(!ctl_sub_new(&s.ctl, "marker", s.buffer, 0, &plain), "%s", s.ctl.error);
	mark_up_to(IDS);
	sub_with_rules("marker", "drop if id >= 10");
	mark_up_to(IDS);
	NEED(!ctl_sub_new(&s.ctl, "marker", s.buffer, 0, &other), "%s", s.ctl.error);
	mark_up_to(IDS);
	c = end_sub();
	EXPECT_EQ(c.hits, 2 * IDS);
	EXPECT_EQ(c.committed, 20);
	mark_up_to(IDS);
	NEED(!ctl_sub_del(&s.ctl, plain, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.committed, 4 * IDS);
	NEED(!ctl_sub_del(&s.ctl, other, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.committed, 2 * IDS);
}

/* ---- counters ---- */

/* What every CPU has; a guest's may have no others. */
#define SOFTWARE	(MAGNET_COUNTER_CPU_CLOCK | MAGNET_COUNTER_CONTEXT_SWITCHES)

/* Each record is followed by its counters, which only go up. */
static void counters_follow_each_record(void)
{
	static char data[DATA_ROOM];
	const void *at = data, *end;
	struct magnet_ctl_counters c;
	uint64_t last[2] = {}, timer = 0;
	unsigned int markers = 0, n = 0;
	struct record rec;

	guest_on_cpu(0);
	sensor_make(&s, 1 << 20);
	sub_with("marker", MAGNET_A_COUNTERS, SOFTWARE);
	mark_up_to(IDS);
	c = end_sub();
	EXPECT_EQ(c.committed, IDS);
	sensor_open(&s, 0);
	end = data + read(s.fd, data, sizeof(data));
	while (records_next(&at, end, &rec)) {
		const struct magnet_counters *counters = rec.payload;
		const uint64_t *value = (const uint64_t *)(counters + 1);

		if (is_marker(&rec)) {
			EXPECT(markers == n, "marker %u has no counters", markers);
			markers++;
			timer = rec.timer;
		}
		if (rec.event != MAGNET_EVENT_COUNTERS)
			continue;
		n++;
		EXPECT(rec.timer == timer, "they are of another instant");
		REQUIRE(counters->which == SOFTWARE && counters->n == 2, "%#x, %u", counters->which,
			counters->n);
		EXPECT(value[0] > last[0] && value[0] != UINT64_MAX, "CPU clock %llu after %llu",
		       (unsigned long long)value[0], (unsigned long long)last[0]);
		EXPECT(value[1] >= last[1] && value[1] != UINT64_MAX, "%llu context switches after %llu",
		       (unsigned long long)value[1], (unsigned long long)last[1]);
		last[0] = value[0];
		last[1] = value[1];
	}
	EXPECT_EQ(markers, IDS);
	EXPECT_EQ(n, IDS);
}

/* ---- points ---- */

static void begin_point(struct request *r, const char *point)
{
	request_begin(r, &s.ctl, MAGNET_CMD_POINT_SET);
	request_put_text(r, MAGNET_A_POINT, point);
}

static void set_point(const char *point, uint16_t attr, uint32_t value)
{
	struct request r;

	begin_point(&r, point);
	request_put_u32(&r, attr, value);
	done(&r);
}

static void disabled_points_log_nothing(void)
{
	sensor_start(&s);
	sensor_emit(10);
	set_point("inet_sendmsg", MAGNET_A_ENABLED, 0);
	EXPECT(!guest_file_has("/sys/kernel/tracing/enabled_functions", "inet_sendmsg") &&
	       !guest_file_has("/sys/kernel/debug/tracing/enabled_functions", "inet_sendmsg"),
	       "it is still hooked");
	sensor_emit(10);
	set_point("inet_sendmsg", MAGNET_A_ENABLED, 1);
	sensor_emit(10);
	EXPECT_EQ(data_drain(s.fd).events, 20);
	EXPECT_EQ(end_sub().hits, 20);
}

struct storm {
	unsigned int	markers, storms;
	uint64_t	refused;
};

/* What was logged since it was read last. */
static struct storm read_storm(void)
{
	static char data[DATA_ROOM];
	const struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	const ssize_t got = preadv2(s.fd, &iov, 1, -1, RWF_NOWAIT);
	const void *at = data, *end = data + (got > 0 ? got : 0);
	struct storm seen = {};
	struct record rec;

	while (records_next(&at, end, &rec)) {
		if (is_marker(&rec))
			seen.markers++;
		if (rec.event != MAGNET_EVENT_STORM)
			continue;
		EXPECT_EQ(rec.id, MAGNET_EVENT_MARKER);
		seen.storms++;
		seen.refused += ((const struct magnet_storm *)rec.payload)->refused;
	}
	return seen;
}

/* The burst is let through, then what comes in seconds; the rest is refused, counted and told. */
static void storms_are_held_back(void)
{
	const uint64_t begin = guest_now_us();
	struct magnet_ctl_counters c;
	struct request r;
	struct storm seen;
	uint64_t seconds;

	guest_on_cpu(0);
	sensor_make(&s, 1 << 20);
	sub_with_rules("marker", "");
	begin_point(&r, "marker");
	request_put_u32(&r, MAGNET_A_STORM_RATE, 1);
	request_put_u32(&r, MAGNET_A_STORM_BURST, 10);
	done(&r);
	mark_up_to(MARKERS);
	seconds = (guest_now_us() - begin) / US_PER_S + 1;
	/* From here on everything passes, and the first one tells. */
	set_point("marker", MAGNET_A_STORM_RATE, MAGNET_STORM_RATE_MAX);
	mark(0);
	sensor_open(&s, 0);
	seen = read_storm();
	set_point("marker", MAGNET_A_STORM_RATE, 0);
	c = end_sub();
	EXPECT_EQ(c.hits, MARKERS + 1);
	EXPECT(c.committed >= 11 && c.committed <= 11 + seconds, "%llu were let through in %llu s",
	       (unsigned long long)c.committed, (unsigned long long)seconds);
	EXPECT_EQ(seen.markers, c.committed);
	EXPECT_EQ(seen.refused, c.dropped_storm);
	EXPECT(seen.storms, "no record tells of the storm");
}

/* As many at once, of which the first passes. */
static void refuse(unsigned int n)
{
	struct request r;

	guest_on_cpu(0);
	sensor_make(&s, 1 << 20);
	sub_with_rules("marker", "");
	begin_point(&r, "marker");
	/* The next one passes when this has long ended. */
	request_put_u32(&r, MAGNET_A_STORM_RATE, 1);
	request_put_u32(&r, MAGNET_A_STORM_BURST, 1);
	done(&r);
	mark_up_to(n);
	sensor_open(&s, 0);
}

/* No event comes after those that were refused: magnetk tells of them. */
static void last_of_a_storm_is_told_in_time(void)
{
	struct magnet_ctl_counters c;
	uint64_t told = 0, passed = 0;
	struct storm seen;

	refuse(MARKERS);
	while (passed + told < MARKERS) {
		guest_nap();
		seen = read_storm();
		passed += seen.markers;
		told += seen.refused;
	}
	c = end_sub();
	EXPECT_EQ(told, c.dropped_storm);
	EXPECT_EQ(passed, c.committed);
	EXPECT_EQ(read_storm().storms, 0);
	EXPECT(told > 0, "no storm");
	set_point("marker", MAGNET_A_STORM_RATE, 0);
}

/* Or the end of the subscription does. */
static void last_of_a_storm_is_told_at_the_end(void)
{
	struct magnet_ctl_counters c;
	struct storm seen;

	refuse(MARKERS);
	c = end_sub();
	seen = read_storm();
	EXPECT_EQ(seen.refused, c.dropped_storm);
	EXPECT_EQ(seen.markers, c.committed);
	EXPECT(c.dropped_storm > 0, "no storm");
	set_point("marker", MAGNET_A_STORM_RATE, 0);
}

/* Or the guard is taken away, and with it what looks for what is to be told. */
static void last_of_a_storm_is_told_with_the_guard(void)
{
	struct magnet_ctl_counters c;
	struct storm seen;

	refuse(MARKERS);
	set_point("marker", MAGNET_A_STORM_RATE, 0);
	seen = read_storm();
	c = end_sub();
	EXPECT_EQ(seen.refused, c.dropped_storm);
	EXPECT_EQ(seen.markers, c.committed);
	EXPECT(c.dropped_storm > 0, "no storm");
}

static void points_have_limits(void)
{
	struct request r;
	struct answer a;

	sensor_make(&s, 1 << 20);
	begin_point(&r, "marker");
	request_put_u32(&r, MAGNET_A_STORM_RATE, MAGNET_STORM_RATE_MAX + 1);
	a = request_send(&r, &s.ctl, NULL, NULL);
	EXPECT(a.error == -EINVAL && strstr(a.text, "1000000"), "%d, %s", a.error, a.text);
	begin_point(&r, "marker");
	request_put_u32(&r, MAGNET_A_ENABLED, 2);
	a = request_send(&r, &s.ctl, NULL, NULL);
	EXPECT_EQ(a.error, -ERANGE);
	begin_sub(&r, "marker");
	request_put_u32(&r, MAGNET_A_SNAP_LEN, 64);
	a = request_send(&r, &s.ctl, NULL, NULL);
	EXPECT(a.error == -EINVAL && strstr(a.text, "no packet"), "%d, %s", a.error, a.text);
}

/* ---- urgent events ---- */

struct notice {
	uint64_t	urgents;
	uint32_t	sub;
};

static void join_group(struct magnet_ctl *listener)
{
	NEED(!ctl_open(listener), "%s", listener->error);
	NEED(!setsockopt(listener->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &listener->mcgrp,
			 sizeof(listener->mcgrp)), "group: %s", strerror(errno));
}

/* Wait for notices of our subscription until @urgents are told. */
static void expect_notice(const struct magnet_ctl *listener, uint64_t urgents)
{
	char data[8192] __attribute__((aligned(8)));

	for (;;) {
		const ssize_t got = recv(listener->fd, data, sizeof(data), 0);
		const struct nlmsghdr *nl = (void *)data;
		const struct genlmsghdr *genl = NLMSG_DATA(nl);
		struct attrs attrs = { (const char *)genl + GENL_HDRLEN, 0 };

		NEED(got > 0, "recv: %s", strerror(errno));
		if (genl->cmd != MAGNET_CMD_URGENT_NTF)
			continue;
		attrs.len = nl->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
		if (attrs_u32(attrs, MAGNET_A_SUB_ID) != s.sub)
			continue;
		EXPECT(!strcmp(attrs_text(attrs, MAGNET_A_POINT), "marker"), "%s",
		       attrs_text(attrs, MAGNET_A_POINT));
		EXPECT(!strcmp(attrs_text(attrs, MAGNET_A_BUFFER), s.buffer), "%s",
		       attrs_text(attrs, MAGNET_A_BUFFER));
		if (attrs_u64(attrs, MAGNET_A_URGENT) == urgents)
			return;
	}
}

/* It wakes a reader that waits for much more, and everybody is told. */
static void urgent_rules_wake_and_announce(void)
{
	struct magnet_ctl listener;
	struct sleeper reader = {};

	sensor_make(&s, 1 << 20);
	join_group(&listener);
	sub_with_rules("marker", "urgent if id == 77");
	sensor_open(&s, 0);
	data_drain(s.fd);
	attr_need(s.fd, MAGNET_ATTR_READSIZE_WATERMARK, 1 << 19);
	sleeper_read(&reader, s.fd);
	guest_on_cpu(0);
	mark_up_to(77);
	EXPECT(sleeper_sleeps(&reader, SYS_read), "it returned too early");
	mark(77);
	EXPECT(sleeper_join(&reader) > 0, "it returned %ld", reader.result);
	EXPECT_EQ(reader.batch.events, 78);
	expect_notice(&listener, 1);
	mark(77);
	mark(78);
	mark(77);
	expect_notice(&listener, 3);
}

/* What happened while nobody listened keeps nobody from being told of what follows. */
static void urgent_events_are_told_to_who_listens_later(void)
{
	struct magnet_ctl listener;

	sensor_make(&s, 1 << 20);
	sub_with_rules("marker", "urgent if id == 77");
	guest_on_cpu(0);
	mark(77);
	join_group(&listener);
	mark(77);
	expect_notice(&listener, 2);
}

/* However soon after the event that is: magnetk has no time to tell. */
static void urgent_events_are_told_before_the_end(void)
{
	struct magnet_ctl_counters c;
	struct magnet_ctl listener;
	unsigned int i;

	sensor_make(&s, 1 << 20);
	join_group(&listener);
	guest_on_cpu(0);
	for (i = 0; i < 50; i++) {
		sub_with_rules("marker", "urgent if id == 77");
		mark(76);
		mark(77);
		NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
		expect_notice(&listener, 1);
	}
	sub_with_rules("marker", "urgent if id == 77");
	mark(77);
	mark(77);
	NEED(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	expect_notice(&listener, 2);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(rules_let_through_what_they_say),
	KTAP_TEST(rules_know_the_thread),
	KTAP_TEST(rules_know_signs),
	KTAP_TEST(bad_rules_are_explained),
	KTAP_TEST(too_many_rules_are_refused),
	KTAP_TEST(rules_come_and_go),
	KTAP_TEST(unknown_rules_and_subscriptions_are_refused),
	KTAP_TEST(all_rules_are_listed),
	KTAP_TEST(chains_change_while_events_flow),
	KTAP_TEST(one_of_n_is_logged),
	KTAP_TEST(at_most_one_in_a_time_is_logged),
	KTAP_TEST(subscriptions_are_filtered_on_their_own),
	KTAP_TEST(counters_follow_each_record),
	KTAP_TEST(disabled_points_log_nothing),
	KTAP_TEST(storms_are_held_back),
	KTAP_TEST(last_of_a_storm_is_told_in_time),
	KTAP_TEST(last_of_a_storm_is_told_at_the_end),
	KTAP_TEST(last_of_a_storm_is_told_with_the_guard),
	KTAP_TEST(points_have_limits),
	KTAP_TEST(urgent_rules_wake_and_announce),
	KTAP_TEST(urgent_events_are_told_to_who_listens_later),
	KTAP_TEST(urgent_events_are_told_before_the_end),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
