// SPDX-License-Identifier: GPL-2.0-only
/*
 * Correlating filters. What they find is compared with what follows from the
 * times of the events themselves: beside the filter the same points are
 * subscribed to buffers that this program reads. Each subscription of an event
 * takes a time of its own, the youngest first; so one is made before the
 * filter's and one after it, and the time that the filter saw is between the
 * two. So no test depends on how quick the machine is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "guest.h"
#include "request.h"
#include "sensor.h"

#define BIG_RING	(16 << 20)
#define WINDOW_EVENTS	4096
#define RECORDS_MAX	(1 << 17)
#define HOUR_US		3600000000U

static struct magnet_ctl ctl;
static char early_buffer[32], late_buffer[32], found_buffer[32];

/* ---- filters ---- */

struct filter {
	uint32_t		id;
	unsigned long long	matched, lost_before, forgotten, dropped;
	bool			there;
};

static void look_at_filter(struct attrs attrs, void *arg)
{
	struct filter *f = arg;

	if (f->id && attrs_u32(attrs, MAGNET_A_CORRELATION_ID) != f->id)
		return;
	f->there = true;
	f->id = attrs_u32(attrs, MAGNET_A_CORRELATION_ID);
	f->matched = attrs_u64(attrs, MAGNET_A_MATCHED);
	f->lost_before = attrs_u64(attrs, MAGNET_A_LOST_BEFORE);
	f->forgotten = attrs_u64(attrs, MAGNET_A_FORGOTTEN);
	f->dropped = attrs_u64(attrs, MAGNET_A_DROPPED);
}

static struct answer ask_new(const char *definition, const char *buffer, uint32_t flags,
			     struct filter *f)
{
	struct filter unused = {};
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_CORRELATION_NEW);
	if (definition)
		request_put_text(&r, MAGNET_A_DEFINITION, definition);
	if (buffer)
		request_put_text(&r, MAGNET_A_BUFFER, buffer);
	if (flags)
		request_put_u32(&r, MAGNET_A_FLAGS, flags);
	return request_send(&r, &ctl, look_at_filter, f ? f : &unused);
}

static struct answer ask_del(uint32_t id)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_CORRELATION_DEL);
	if (id)
		request_put_u32(&r, MAGNET_A_CORRELATION_ID, id);
	return request_send(&r, &ctl, NULL, NULL);
}

static struct filter state(uint32_t id)
{
	struct filter f = { .id = id };

	EXPECT_EQ(request_dump(&ctl, MAGNET_CMD_CORRELATION_GET, look_at_filter, &f).error, 0);
	return f;
}

static void make_buffer(char *name, size_t size, const char *what, uint64_t bytes)
{
	snprintf(name, size, "%s-%d", what, (int)getpid());
	NEED(!ctl_buffer_new(&ctl, name, bytes, 0, NULL), "%s", ctl.error);
}

static void begin(void)
{
	NEED(!ctl_open(&ctl), "%s", ctl.error);
	make_buffer(early_buffer, sizeof(early_buffer), "early", BIG_RING);
	make_buffer(late_buffer, sizeof(late_buffer), "late", BIG_RING);
	make_buffer(found_buffer, sizeof(found_buffer), "found", BIG_RING);
	guest_on_cpu(0);
}

static uint32_t make_filter(const char *definition)
{
	struct answer answer;
	struct filter f = {};

	answer = ask_new(definition, found_buffer, 0, &f);
	NEED(!answer.error, "%s: %s", definition, answer.text);
	return f.id;
}

static uint32_t filter(const char *fmt, ...)
{
	char definition[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(definition, sizeof(definition), fmt, args);
	va_end(args);
	return make_filter(definition);
}

/* ---- the same events, for the test itself ---- */

#define POINTS_MAX	2

static uint32_t watched[2 * POINTS_MAX];
static unsigned int nr_watched;

static void watch(const char *const *points, const char *buffer)
{
	for (; *points; points++) {
		NEED(!ctl_sub_new(&ctl, *points, buffer, 0, &watched[nr_watched]), "%s: %s",
		     *points, ctl.error);
		nr_watched++;
	}
}

/* A filter between two subscriptions of each of its points. */
static uint32_t watched_filter(const char *const *points, const char *fmt, ...)
{
	char definition[256];
	va_list args;
	uint32_t id;

	va_start(args, fmt);
	vsnprintf(definition, sizeof(definition), fmt, args);
	va_end(args);
	watch(points, late_buffer);
	id = make_filter(definition);
	watch(points, early_buffer);
	return id;
}

#define POINTS(...)	((const char *const []){ __VA_ARGS__, NULL })

static void end_watch(void)
{
	struct magnet_ctl_counters c;

	while (nr_watched) {
		NEED(!ctl_sub_del(&ctl, watched[--nr_watched], &c), "%s", ctl.error);
		EXPECT_EQ(c.hits, c.committed);
	}
}

/* ---- work ---- */

static int marker_fd = -1;

static void mark(uint64_t number)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)number);

	if (marker_fd < 0)
		marker_fd = open(MAGNET_DEBUGFS "/marker", O_WRONLY | O_CLOEXEC);
	NEED(write(marker_fd, text, len) == len, "marker: %s", strerror(errno));
}

/* ---- what was logged ---- */

struct list {
	unsigned int	n;
	struct record	*at;
	uint64_t	*late;	/* of each, its time in the other buffer */
};

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->timer < y->timer ? -1 : x->timer > y->timer;
}

static void keep(struct list *list, const void *data, size_t len)
{
	const void *end = (const char *)data + len;
	struct record rec;

	while (records_next(&data, end, &rec)) {
		EXPECT(rec.event != MAGNET_EVENT_LOST, "the test's own buffer was too small");
		if (rec.event == MAGNET_EVENT_LOST || rec.event == MAGNET_EVENT_CLOCK)
			continue;
		NEED(list->n < RECORDS_MAX, "too many records");
		list->at[list->n++] = rec;
	}
}

/* All that a buffer has, in the order of time. */
static struct list take(const char *buffer)
{
	struct list list = { .at = calloc(RECORDS_MAX, sizeof(struct record)) };
	unsigned int cpu;

	for (cpu = 0; cpu < (unsigned int)sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		char *data = malloc(BIG_RING);
		int fd = ctl_data_open(buffer, cpu, O_NONBLOCK);
		ssize_t got;

		NEED(list.at && data && fd >= 0, "cpu%u: %s", cpu, strerror(-fd));
		got = read(fd, data, BIG_RING);
		if (got > 0)
			keep(&list, data, got);
		close(fd);
	}
	qsort(list.at, list.n, sizeof(*list.at), by_time);
	return list;
}

/* The events, each with the two times between which the filter's is. */
static struct list watched_events(void)
{
	struct list list, late;
	unsigned int i, j;

	end_watch();
	list = take(early_buffer);
	late = take(late_buffer);
	list.late = calloc(list.n + 1, sizeof(*list.late));
	NEED(list.n == late.n, "%u events here, %u there", list.n, late.n);
	for (i = 0; i < list.n; i++) {
		for (j = 0; j < late.n; j++)
			if (late.at[j].event == list.at[i].event && late.at[j].id == list.at[i].id)
				break;
		NEED(j < late.n, "an event is in one buffer only");
		list.late[i] = late.at[j].timer;
		EXPECT(list.late[i] > list.at[i].timer, "the second is not the later one");
		late.at[j].event = 0;
	}
	return list;
}

/* Is it this long from event @j to event @i? Between the two times nobody can tell. */
static bool is_within(const struct list *list, unsigned int i, unsigned int j, uint64_t within)
{
	if (list->late[i] - list->at[j].timer <= within)
		return true;
	if (i == j || list->at[i].timer - list->late[j] <= within) {
		guest_disturbed();
		ABORT("two events are %llu to %llu ticks apart, and the filter looks %llu far",
		      (unsigned long long)(list->at[i].timer - list->late[j]),
		      (unsigned long long)(list->late[i] - list->at[j].timer),
		      (unsigned long long)within);
	}
	return false;
}

/* Ticks of the timer, as the module reckons them. */
static uint64_t ticks(uint64_t us)
{
	const long long khz = guest_file_number(MAGNET_CONTROL "/clock", "khz");

	NEED(khz > 0, "control/clock has no khz");
	return us * khz / 1000;
}

/* ---- what has to be found ---- */

struct span {
	uint64_t	from, to;
};

struct match {
	uint64_t	id;
	struct span	first, last;
	uint32_t	count, tgid, tid;
};

struct matches {
	unsigned int	n;
	struct match	at[8192];
};

static struct match *new_match(struct matches *m, const struct record *last, uint32_t count)
{
	NEED(m->n < KTAP_SIZE(m->at), "too many matches");
	m->at[m->n] = (struct match){
		.id = last->id, .count = count, .tgid = last->tgid, .tid = last->tid,
	};
	return &m->at[m->n++];
}

static void add_match(struct matches *m, const struct list *list, unsigned int first,
		      unsigned int last, uint32_t count)
{
	struct match *match = new_match(m, &list->at[last], count);

	match->first = (struct span){ list->at[first].timer, list->late[first] };
	match->last = (struct span){ list->at[last].timer, list->late[last] };
}

/* The slow and obvious way: back from each second event to the first before it. */
static struct matches *reckon_pairs(const struct list *raw, unsigned int a, unsigned int b,
				    uint64_t within)
{
	struct matches *m = calloc(1, sizeof(*m));
	bool *taken = calloc(raw->n + 1, 1);
	unsigned int i, j;

	NEED(m && taken, "no memory");
	for (i = 0; i < raw->n; i++) {
		if (raw->at[i].event != b)
			continue;
		for (j = i; j-- > 0;) {
			if (raw->at[j].event != a || raw->at[j].id != raw->at[i].id)
				continue;
			if (!taken[j] && is_within(raw, i, j, within)) {
				add_match(m, raw, j, i, 2);
				taken[j] = true;
			}
			break;
		}
	}
	free(taken);
	return m;
}

/* Since the last match of an id: does the window that ends here have more than @n? */
static struct matches *reckon_bursts(const struct list *raw, unsigned int event, unsigned int n,
				     uint64_t within)
{
	struct matches *m = calloc(1, sizeof(*m));
	bool *taken = calloc(raw->n + 1, 1);
	unsigned int i, j, first, count;

	NEED(m && taken, "no memory");
	for (i = 0; i < raw->n; i++) {
		if (raw->at[i].event != event)
			continue;
		for (j = first = i, count = 1; j-- > 0;) {
			if (raw->at[j].event != event || raw->at[j].id != raw->at[i].id)
				continue;
			if (taken[j] || !is_within(raw, i, j, within))
				break;
			first = j;
			count++;
		}
		if (count <= n)
			continue;
		add_match(m, raw, first, i, count);
		for (j = 0; j <= i; j++)
			taken[j] |= raw->at[j].id == raw->at[i].id;
	}
	free(taken);
	return m;
}

static int by_last(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	return x->last.from < y->last.from ? -1 : x->last.from > y->last.from;
}

static void keep_found(struct matches *m, const struct list *list, uint32_t filter_id)
{
	unsigned int i;

	for (i = 0; i < list->n; i++) {
		const struct magnet_correlated *c = list->at[i].payload;
		struct match *match;

		EXPECT_EQ(list->at[i].event, MAGNET_EVENT_CORRELATED);
		EXPECT_EQ(list->at[i].size, records_header_size() + sizeof(*c));
		if (c->correlation != filter_id)
			continue;
		match = new_match(m, &list->at[i], c->count);
		match->first.from = c->first_timer;
		match->last.from = c->last_timer;
	}
	qsort(m->at, m->n, sizeof(*m->at), by_last);
}

/* The filter's thread has got so far; all matches have a record then. */
static struct matches *found(uint32_t filter_id, unsigned int wanted)
{
	struct matches *m = calloc(1, sizeof(*m));
	struct list list;

	NEED(m, "no memory");
	UNTIL(state(filter_id).matched >= wanted);
	list = take(found_buffer);
	keep_found(m, &list, filter_id);
	return m;
}

static void expect_in(uint64_t time, struct span span)
{
	EXPECT(span.from < time && time < span.to, "%llu is not between %llu and %llu",
	       (unsigned long long)time, (unsigned long long)span.from,
	       (unsigned long long)span.to);
}

static void expect_same(const struct matches *is, const struct matches *should)
{
	unsigned int i;

	EXPECT_EQ(is->n, should->n);
	for (i = 0; i < is->n && i < should->n && ktap_complaints < 5; i++) {
		EXPECT_EQ(is->at[i].id, should->at[i].id);
		EXPECT_EQ(is->at[i].count, should->at[i].count);
		expect_in(is->at[i].first.from, should->at[i].first);
		expect_in(is->at[i].last.from, should->at[i].last);
		EXPECT_EQ(is->at[i].tgid, should->at[i].tgid);
		EXPECT_EQ(is->at[i].tid, should->at[i].tid);
	}
}

/* Nothing between CPUs was read in the wrong order, or else the test is run again. */
static void check_order(uint32_t filter_id)
{
	char line[64];

	snprintf(line, sizeof(line), "merged correlation-%u late 0 ", filter_id);
	if (!guest_file_has(MAGNET_CONTROL "/stats", line))
		guest_disturbed();
}

/* ---- bursts ---- */

/* 5 more than 3 and 3 not; the marker 1 at the end says that the filter is through. */
static void a_burst_is_more_than_n(void)
{
	struct matches *is, *should;
	struct list raw;
	uint32_t id;
	unsigned int i;

	begin();
	id = watched_filter(POINTS("marker"), "burst marker more than 3 in %uus", HOUR_US);
	for (i = 0; i < 3; i++)
		mark(11);
	for (i = 0; i < 4; i++)
		mark(12);
	for (i = 0; i < 11; i++)
		mark(13 + i % 2);
	for (i = 0; i < 4; i++)
		mark(1);
	raw = watched_events();
	should = reckon_bursts(&raw, MAGNET_EVENT_MARKER, 3, ticks(HOUR_US));
	/* 12 once, 13 and 14 once each (six and five), 1 once. */
	EXPECT_EQ(should->n, 4);
	is = found(id, should->n);
	expect_same(is, should);
	EXPECT_EQ(state(id).matched, 4);
	EXPECT_EQ(state(id).lost_before, 0);
	EXPECT_EQ(state(id).forgotten, 0);
	EXPECT_EQ(state(id).dropped, 0);
}

/* Of events that are as close as can be, until the filter takes some for a match. */
static void mark_until_found(uint32_t id, unsigned int n)
{
	const unsigned long long before = state(id).matched;

	do {
		unsigned int i;

		for (i = 0; i < n; i++)
			mark(0xe0d);
		usleep(50000);
	} while (state(id).matched == before);
}

/*
 * With pauses, so that some windows have enough and some not; which is which
 * the times say. A pause is either much longer than the filter looks or none,
 * for the machine may well add some milliseconds between two times of an event.
 */
static void a_burst_is_within_its_time(void)
{
	static const unsigned int us = 100000;
	struct matches *is, *should;
	struct list raw;
	uint32_t id;
	unsigned int i;

	begin();
	id = watched_filter(POINTS("marker"), "burst marker more than 4 in %uus", us);
	for (i = 0; i < 600; i++) {
		mark(100 + i % 3);
		if (i % 45 == 7 || i % 45 == 14)
			usleep(us * 3);
	}
	mark_until_found(id, 10);
	raw = watched_events();
	should = reckon_bursts(&raw, MAGNET_EVENT_MARKER, 4, ticks(us));
	is = found(id, should->n);
	expect_same(is, should);
}

/* ---- pairs ---- */

struct udp {
	int			out, in;
	struct sockaddr_in	to;
};

static void udp_open(struct udp *u)
{
	socklen_t len = sizeof(u->to);

	u->to = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	u->in = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	u->out = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	NEED(!bind(u->in, (void *)&u->to, len) && !getsockname(u->in, (void *)&u->to, &len),
	     "bind: %s", strerror(errno));
}

static void udp_send(const struct udp *u)
{
	NEED(sendto(u->out, "x", 1, 0, (void *)&u->to, sizeof(u->to)) == 1, "send: %s",
	     strerror(errno));
}

static void udp_receive(const struct udp *u)
{
	char byte;

	NEED(recv(u->in, &byte, 1, 0) == 1, "recv: %s", strerror(errno));
}

/* inet_sendmsg calls udp_sendmsg: each pair is within an hour, for its own socket. */
static void every_send_is_a_pair(void)
{
	struct matches *is, *should;
	struct udp u[3];
	struct list raw;
	uint32_t id;
	unsigned int i;

	begin();
	for (i = 0; i < 3; i++)
		udp_open(&u[i]);
	id = watched_filter(POINTS("inet_sendmsg", "udp_sendmsg"),
			    "pair inet_sendmsg then udp_sendmsg within %uus", HOUR_US);
	for (i = 0; i < 499; i++)
		udp_send(&u[i % 3]);
	raw = watched_events();
	should = reckon_pairs(&raw, MAGNET_EVENT_INET_SENDMSG, MAGNET_EVENT_UDP_SENDMSG,
			      ticks(HOUR_US));
	EXPECT(should->n >= 499, "%u pairs", should->n);
	is = found(id, should->n);
	check_order(id);
	expect_same(is, should);
}

/* A packet waits in its socket's queue for as long as the program wants. */
static void a_pair_is_within_its_time(void)
{
	static const unsigned int us = 100000;
	struct matches *is, *should;
	struct list raw;
	uint32_t id;
	unsigned int i;
	struct udp u;

	begin();
	udp_open(&u);
	id = watched_filter(POINTS("udp_enqueue", "skb_consume_udp"),
			    "pair udp_enqueue then skb_consume_udp within %uus", us);
	for (i = 0; i < 200; i++) {
		udp_send(&u);
		if (i % 10 == 0)
			usleep(us * 3);
		else if (i % 10 == 1)
			usleep(us / 10);
		udp_receive(&u);
	}
	/* At least one at the end is quick enough to be a pair. */
	do {
		const unsigned long long before = state(id).matched;

		udp_send(&u);
		udp_receive(&u);
		usleep(50000);
		if (state(id).matched > before)
			break;
	} while (true);
	raw = watched_events();
	should = reckon_pairs(&raw, MAGNET_EVENT_UDP_ENQUEUE, MAGNET_EVENT_SKB_CONSUME_UDP,
			      ticks(us));
	EXPECT(should->n && should->n <= raw.n / 2 - 20, "%u pairs of %u events", should->n, raw.n);
	is = found(id, should->n);
	check_order(id);
	expect_same(is, should);
}

/* A packet that arrives at another socket is no pair of that one's. */
static void different_ids_are_no_pair(void)
{
	struct udp a, b;
	uint32_t id;
	unsigned int i;

	begin();
	udp_open(&a);
	udp_open(&b);
	id = filter("pair udp_enqueue then udp_sendmsg within %uus", HOUR_US);
	/* The ids are those of the receiving and of the sending socket. */
	for (i = 0; i < 100; i++)
		udp_send(&a);
	/* Only this socket receives and sends. */
	udp_send(&(struct udp){ .out = a.out, .to = b.to });
	udp_send(&(struct udp){ .out = b.in, .to = a.to });
	UNTIL(state(id).matched);
	EXPECT_EQ(state(id).matched, 1);
}

/* ---- limits ---- */

/* Not more at once than the filter's buffer holds. */
static void mark_paced(uint32_t id, uint64_t number)
{
	static unsigned int n;
	char line[64];

	mark(number);
	if (++n % 1000)
		return;
	snprintf(line, sizeof(line), "ring correlation-%u cpu0 size 262144 unread 0 ", id);
	UNTIL(guest_file_has(MAGNET_CONTROL "/stats", line));
}

static void what_does_not_fit_is_forgotten_and_counted(void)
{
	const unsigned int too_many = 1000;
	unsigned int i;
	uint32_t id;

	begin();
	id = filter("burst marker more than 1 in %uus", HOUR_US);
	for (i = 0; i < WINDOW_EVENTS + too_many; i++)
		mark_paced(id, 1000 + i);
	/* The first ones are forgotten, the last ones are not; each of these forgets one more. */
	for (i = 0; i < 100; i++)
		mark_paced(id, 1000 + i);
	for (i = 0; i < 100; i++)
		mark_paced(id, 1000 + WINDOW_EVENTS + too_many - 1 - i);
	UNTIL(state(id).matched >= 100);
	EXPECT_EQ(state(id).matched, 100);
	/* The first of the last hundred was added when it was full; its match made room. */
	EXPECT_EQ(state(id).forgotten, too_many + 100 + 1);
	EXPECT_EQ(state(id).lost_before, 0);
}

/* What a window does not reach any more is not forgotten but over. */
static void what_is_too_old_is_not_counted(void)
{
	unsigned int i;
	uint32_t id;

	begin();
	id = filter("burst marker more than 1 in 2ms");
	for (i = 0; i < 3 * WINDOW_EVENTS; i++)
		mark_paced(id, 1000 + i);
	mark_until_found(id, 2);
	EXPECT_EQ(state(id).forgotten, 0);
	EXPECT_EQ(state(id).lost_before, 0);
}

static uint64_t dropped(const char *buffer)
{
	char text[65536], *line, *rest = text;
	uint64_t sum = 0;
	FILE *f = fopen(MAGNET_CONTROL "/stats", "re");

	NEED(f, "stats: %s", strerror(errno));
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	while ((line = strsep(&rest, "\n"))) {
		const char *at = strstr(line, "dropped_full ");

		if (!strncmp(line, "subscription", 12) && strstr(line, buffer) && at)
			sum += strtoull(at + 13, NULL, 10);
	}
	return sum;
}

/* CORRELATED records of a buffer, and what its LOST records tell of. */
static void count_found(const char *buffer, unsigned int *found, uint64_t *lost)
{
	static char data[MAGNET_BUFFER_SIZE_MIN];
	const void *at, *end;
	struct record rec;
	unsigned int cpu;

	for (cpu = 0; cpu < (unsigned int)sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		const int fd = ctl_data_open(buffer, cpu, O_NONBLOCK);
		ssize_t got;

		NEED(fd >= 0, "cpu%u: %s", cpu, strerror(-fd));
		/* A loss at the end is told when all else was read. */
		while ((got = read(fd, data, sizeof(data))) > 0)
			for (at = data, end = data + got; records_next(&at, end, &rec);) {
				*found += rec.event == MAGNET_EVENT_CORRELATED;
				if (rec.event == MAGNET_EVENT_LOST)
					*lost += ((const struct magnet_lost *)rec.payload)->count;
			}
		close(fd);
	}
}

static void what_finds_no_room_is_counted(void)
{
	const unsigned int n = 3001;
	unsigned int i, logged = 0;
	struct filter f = {};
	struct answer answer;
	uint64_t lost = 0;
	char small[32];

	begin();
	make_buffer(small, sizeof(small), "small", MAGNET_BUFFER_SIZE_MIN);
	answer = ask_new("burst marker more than 1 in 1h", small, 0, &f);
	NEED(!answer.error, "%s", answer.text);
	for (i = 0; i < 2 * n; i++)
		mark_paced(f.id, 7);
	UNTIL(state(f.id).matched >= n);
	f = state(f.id);
	EXPECT_EQ(f.matched, n);
	EXPECT_EQ(f.lost_before, 0);
	/* There is room for fewer than that, whichever CPU it is on. */
	EXPECT(f.dropped >= n - 2 * (MAGNET_BUFFER_SIZE_MIN / (sizeof(struct magnet_record) +
		sizeof(struct magnet_correlated))), "only %llu", f.dropped);
	count_found(small, &logged, &lost);
	EXPECT_EQ(f.dropped + logged, n);
	EXPECT_EQ(lost, f.dropped);
}

static void *hog(void *stop)
{
	const struct sched_param param = { .sched_priority = 10 };

	guest_on_cpu(1);
	NEED(!sched_setscheduler(0, SCHED_FIFO, &param), "FIFO: %s", strerror(errno));
	__atomic_store_n((int *)stop, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n((int *)stop, __ATOMIC_ACQUIRE) != 2)
		;
	return NULL;
}

/* The filter's thread gets no CPU, so its buffer fills up. */
static void what_was_lost_before_is_counted(void)
{
	const struct sched_param fifo = { .sched_priority = 10 }, other = {};
	const unsigned int n = 30000;
	uint64_t lost;
	char name[32];
	pthread_t thread;
	int stop = 0;
	unsigned int i;
	uint32_t id;

	begin();
	NEED(guest_write_file("/proc/sys/kernel/sched_rt_runtime_us", "-1"), "sched_rt_runtime_us");
	id = filter("burst marker more than 1 in %uus", HOUR_US);
	snprintf(name, sizeof(name), "correlation-%u ", id);
	NEED(!pthread_create(&thread, NULL, hog, &stop), "no thread");
	UNTIL(__atomic_load_n(&stop, __ATOMIC_ACQUIRE) == 1);
	NEED(!sched_setscheduler(0, SCHED_FIFO, &fifo), "FIFO: %s", strerror(errno));
	for (i = 0; i < n; i++)
		mark(7);
	NEED(!sched_setscheduler(0, SCHED_OTHER, &other), "OTHER: %s", strerror(errno));
	__atomic_store_n(&stop, 2, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	lost = dropped(name);
	EXPECT(lost > 0, "nothing was lost");
	UNTIL(state(id).lost_before >= lost);
	/* The rest was seen: two by two. */
	UNTIL(state(id).matched >= (n - lost) / 2);
	EXPECT_EQ(state(id).lost_before, lost);
	EXPECT_EQ(state(id).matched, (n - lost) / 2);
	guest_write_file("/proc/sys/kernel/sched_rt_runtime_us", "950000");
}

/* ---- requests ---- */

#define EXPECT_REFUSED(asked, code, words)					\
	do {									\
		const struct answer a_ = (asked);				\
										\
		EXPECT(a_.error == -(code), "%s: \"%s\", not \"%s\"", #asked,	\
		       strerror(-a_.error), strerror(code));			\
		EXPECT(strstr(a_.text, words), "the text is \"%s\", without \"%s\"",	\
		       a_.text, words);						\
	} while (0)

#define EXPECT_NOT(definition, code, words)	\
	EXPECT_REFUSED(ask_new(definition, found_buffer, 0, NULL), code, words)

static void bad_ones_are_told_why(void)
{
	begin();
	EXPECT_REFUSED(ask_new(NULL, found_buffer, 0, NULL), EINVAL, "has no definition");
	EXPECT_REFUSED(ask_new("burst marker more than 1 in 5", NULL, 0, NULL), EINVAL,
		       "does not name a buffer");
	EXPECT_REFUSED(ask_new("burst marker more than 1 in 5", "none", 0, NULL), ENOENT,
		       "no buffer of this name");
	EXPECT_REFUSED(ask_new("burst marker more than 1 in 5", found_buffer, MAGNET_F_OVERWRITE,
			       NULL), EINVAL, "");
	EXPECT_NOT("", EINVAL, "a correlating filter is");
	EXPECT_NOT("pair marker then", EINVAL, "a correlating filter is");
	EXPECT_NOT("burst marker more than 1 within 5", EINVAL, "a correlating filter is");
	EXPECT_NOT("burst marker more than 1 in 5 us and so on", EINVAL, "a correlating filter is");
	EXPECT_NOT("burst nothing more than 1 in 5", ENOENT, "no point of this name");
	EXPECT_NOT("pair marker then nothing within 5", ENOENT, "no point of this name");
	EXPECT_NOT("pair marker then marker within 5", EINVAL, "of two points");
	EXPECT_NOT("pair netif_receive_skb then marker within 5", EINVAL, "no abstract id");
	EXPECT_NOT("burst marker more than 0 in 5", ERANGE, "1 to 4095");
	EXPECT_NOT("burst marker more than 4096 in 5", ERANGE, "1 to 4095");
	EXPECT_NOT("burst marker more than 1 in 0", ERANGE, "at most an hour");
	EXPECT_NOT("burst marker more than 1 in 3600000001us", ERANGE, "at most an hour");
	EXPECT_NOT("burst marker more than 1 in 3601", ERANGE, "at most an hour");
	EXPECT_NOT("pair udp_enqueue then udp_sendmsg within 1.5.0s", ERANGE, "at most an hour");
	EXPECT_NOT("burst marker more than 1 in soon", ERANGE, "at most an hour");
	EXPECT_REFUSED(ask_del(0), EINVAL, "does not name");
	EXPECT_REFUSED(ask_del(0xffffffff), ENOENT, "no correlating filter");
	EXPECT(!guest_file_has(MAGNET_CONTROL "/buffers", "correlation-"), "something is left");
	EXPECT(!guest_file_has(MAGNET_CONTROL "/events", "=on"), "a point is hooked");
}

static void they_are_shown(void)
{
	struct filter f;
	char line[160];
	uint32_t id;

	begin();
	id = filter("burst marker more than 2 in 1s");
	f = state(id);
	EXPECT(f.there, "it is not in the dump");
	snprintf(line, sizeof(line),
		 "correlation %u %s matched 0 dropped 0 lost_before 0 forgotten 0 burst marker more than 2 in 1s\n",
		 id, found_buffer);
	EXPECT(guest_file_has(MAGNET_CONTROL "/filters", line), "no line %s", line);
	EXPECT(guest_file_has(MAGNET_CONTROL "/format", "correlated sensor"), "no format");
	snprintf(line, sizeof(line), "correlation-%u ", id);
	EXPECT(guest_file_has(MAGNET_CONTROL "/buffers", line), "its buffer is not shown");
	/* What it reads is no place for others. */
	snprintf(line, sizeof(line), "correlation-%u", id);
	EXPECT_REFUSED(ask_new("burst marker more than 1 in 5", line, 0, NULL), EINVAL,
		       "a correlating filter reads");
	EXPECT_EQ(ctl_sub_new(&ctl, "udp_sendmsg", line, 0, NULL), -EINVAL);
	EXPECT(strstr(ctl.error, "a correlating filter reads"), "%s", ctl.error);
	EXPECT_EQ(ctl_data_open(line, 0, 0), -EBUSY);
}

/* ---- what it subscribed for itself ---- */

struct own {
	char		buffer[32];
	uint32_t	sub;
};

static void find_own(struct attrs attrs, void *arg)
{
	struct own *own = arg;

	if (!strcmp(attrs_text(attrs, MAGNET_A_BUFFER), own->buffer))
		own->sub = attrs_u32(attrs, MAGNET_A_SUB_ID);
}

static struct answer ask_sub(uint8_t cmd, uint32_t sub, uint16_t attr, const char *text)
{
	struct request r;

	request_begin(&r, &ctl, cmd);
	request_put_u32(&r, MAGNET_A_SUB_ID, sub);
	if (text)
		request_put_text(&r, attr, text);
	return request_send(&r, &ctl, NULL, NULL);
}

/* Whoever changed or ended it would blind the filter. */
static void its_subscription_is_its_own(void)
{
	struct own own;
	uint32_t id;

	begin();
	id = filter("burst marker more than 1 in %uus", HOUR_US);
	snprintf(own.buffer, sizeof(own.buffer), "correlation-%u", id);
	own.sub = 0;
	EXPECT_EQ(request_dump(&ctl, MAGNET_CMD_SUB_GET, find_own, &own).error, 0);
	NEED(own.sub, "no subscription to %s", own.buffer);
	EXPECT_REFUSED(ask_sub(MAGNET_CMD_SUB_DEL, own.sub, 0, NULL), EBUSY, "correlation-ID");
	EXPECT_REFUSED(ask_sub(MAGNET_CMD_SUB_SET, own.sub, MAGNET_A_RULES, "drop"), EBUSY,
		       "CORRELATION_DEL");
	EXPECT_REFUSED(ask_sub(MAGNET_CMD_RULE_NEW, own.sub, MAGNET_A_RULE_TEXT, "drop"), EBUSY,
		       "--remove-correlation");
	EXPECT_REFUSED(ask_sub(MAGNET_CMD_RULE_DEL, own.sub, 0, NULL), EBUSY, "own");
	mark(5);
	mark(5);
	UNTIL(state(id).matched);
	EXPECT_EQ(ask_del(id).error, 0);
	EXPECT_REFUSED(ask_sub(MAGNET_CMD_SUB_DEL, own.sub, 0, NULL), ENOENT, "no subscription");
}

static void expect_gone(uint32_t id)
{
	char line[64];

	EXPECT(!state(id).there, "the filter is there");
	snprintf(line, sizeof(line), "correlation-%u ", id);
	EXPECT(!guest_file_has(MAGNET_CONTROL "/buffers", line), "its buffer is there");
	EXPECT(guest_file_has(MAGNET_CONTROL "/events", "marker=off"), "its point is hooked");
}

static void they_end(void)
{
	char name[32];
	uint32_t id;

	begin();
	id = filter("burst marker more than 1 in 5");
	EXPECT_EQ(ask_del(id).error, 0);
	expect_gone(id);
	/* With the buffer that it writes to. */
	id = filter("burst marker more than 1 in 5");
	NEED(!ctl_buffer_del(&ctl, found_buffer), "%s", ctl.error);
	expect_gone(id);
	/* With the buffer that it reads. */
	make_buffer(found_buffer, sizeof(found_buffer), "found", BIG_RING);
	id = filter("burst marker more than 1 in 5");
	snprintf(name, sizeof(name), "correlation-%u", id);
	NEED(!ctl_buffer_del(&ctl, name), "%s", ctl.error);
	expect_gone(id);
	/* With everything. */
	id = filter("burst marker more than 1 in 5");
	NEED(!ctl_shutdown(&ctl), "%s", ctl.error);
	expect_gone(id);
}

static void they_end_with_their_points(void)
{
	uint32_t id;

	begin();
	NEED(!ctl_point_insert(&ctl, "opened", "f:vfs_read", 0, NULL), "%s", ctl.error);
	EXPECT_REFUSED(ask_new("burst opened more than 1 in 5", found_buffer, 0, NULL), EINVAL,
		       "no abstract id");
	id = filter("burst marker more than 1 in 5");
	NEED(!ctl_point_remove(&ctl, "opened"), "%s", ctl.error);
	EXPECT(state(id).there, "it ended with another point");
}

static void they_end_with_their_socket(void)
{
	struct filter persistent = {};
	uint32_t id;

	begin();
	NEED(!ctl_buffer_new(&ctl, "outlives", 0x10000, MAGNET_F_PERSISTENT, NULL), "%s",
	     ctl.error);
	id = filter("burst marker more than 1 in 5");
	NEED(!ask_new("burst marker more than 1 in 6", "outlives", MAGNET_F_PERSISTENT,
		      &persistent).error, "persistent");
	ctl_close(&ctl);
	NEED(!ctl_open(&ctl), "%s", ctl.error);
	UNTIL(!state(id).there);
	EXPECT(state(persistent.id).there, "the persistent one ended, too");
	NEED(!ctl_buffer_del(&ctl, "outlives"), "%s", ctl.error);
	expect_gone(persistent.id);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(a_burst_is_more_than_n),
		KTAP_TEST(a_burst_is_within_its_time),
		KTAP_TEST(every_send_is_a_pair),
		KTAP_TEST(a_pair_is_within_its_time),
		KTAP_TEST(different_ids_are_no_pair),
		KTAP_TEST(what_does_not_fit_is_forgotten_and_counted),
		KTAP_TEST(what_is_too_old_is_not_counted),
		KTAP_TEST(what_finds_no_room_is_counted),
		KTAP_TEST(what_was_lost_before_is_counted),
		KTAP_TEST(bad_ones_are_told_why),
		KTAP_TEST(they_are_shown),
		KTAP_TEST(its_subscription_is_its_own),
		KTAP_TEST(they_end),
		KTAP_TEST(they_end_with_their_points),
		KTAP_TEST(they_end_with_their_socket),
	};

	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
