// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of another module: samples/magnet_sample, whose file MAGNET_SAMPLE
 * names. It says how many events it logs and in which context; all of them
 * have to be there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "guest.h"
#include "processor.h"
#include "request.h"
#include "sensor.h"

#define FILES		"/sys/kernel/debug/magnet_sample/"
#define MODULE		"magnet_sample"
#define BIG_RING	(4 << 20)
#define TEXT_MAX	100
/* A LOST record may follow what fills a ring. */
#define LOST_ROOM	64

struct sample_tick {
	uint32_t number;
	uint16_t context;
	uint16_t reserved;
	uint64_t square;
};

struct sample_text {
	uint32_t number;
	uint32_t len;
};

/* ---- the module ---- */

static int load(void)
{
	const char *path = getenv("MAGNET_SAMPLE");
	int fd, err;

	NEED(path, "MAGNET_SAMPLE does not say where magnet_sample.ko is");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	NEED(fd >= 0, "%s: %s", path, strerror(errno));
	err = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return err;
}

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

#define EXPECT_IN_USE(module)	EXPECT_EQ(unload(module), -EWOULDBLOCK)

static int order(const char *file, const char *fmt, ...)
{
	char path[96], text[64];
	int fd, err = 0;
	va_list args;

	snprintf(path, sizeof(path), FILES "%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	NEED(fd >= 0, "%s: %s", path, strerror(errno));
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* Each test begins with a module that was just loaded. */
static void load_anew(void)
{
	int err;

	/* What the test before has left open. */
	if (!access(FILES, F_OK))
		order("buffer", "\n");
	err = unload(MODULE);
	/* Subscriptions of the test before end when magnetk gets to it. */
	while (err == -EWOULDBLOCK) {
		guest_nap();
		err = unload(MODULE);
	}
	NEED(!err || err == -ENOENT, "unload: %s", strerror(-err));
	err = load();
	NEED(!err, "load: %s", strerror(-err));
}

#define ORDER(...)								\
	do {									\
		int err_ = order(__VA_ARGS__);					\
										\
		NEED(!err_, "order: %s", strerror(-err_));			\
	} while (0)

static long refcount(void)
{
	char text[32] = "";
	int fd = open("/sys/module/" MODULE "/refcnt", O_RDONLY | O_CLOEXEC);

	NEED(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0, "refcnt: %s", strerror(errno));
	close(fd);
	return atol(text);
}

/* The number at the beginning of its line in control/events. */
static unsigned int event_id(const char *name)
{
	unsigned int id, found = 0;
	char line[512], other[64];
	FILE *f = fopen(MAGNET_CONTROL "/events", "re");

	NEED(f, "control/events: %s", strerror(errno));
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%x %63s", &id, other) == 2 && !strcmp(other, name))
			found = id;
	fclose(f);
	return found;
}

/* ---- what the module says of them ---- */

static void points_are_listed(void)
{
	char line[256];
	const unsigned int header = records_header_size();

	load_anew();
	snprintf(line, sizeof(line), "0x%03x sample_tick sample module 0 sample_tick=off\n",
		 event_id("sample_tick"));
	EXPECT(guest_file_has(MAGNET_CONTROL "/events", line), "no line %s", line);
	EXPECT(event_id("sample_tick") >= (records_classic() ? MAGNET_EVENT_DYNAMIC_CLASSIC :
					   MAGNET_EVENT_DYNAMIC_WIDE), "the id is a stable one");
	snprintf(line, sizeof(line),
		 "event 0x%03x sample_tick sample size %u abstract_id number fields number:u32@%u context:u16@%u square:u64@%u\n",
		 event_id("sample_tick"), header + 16, header, header + 4, header + 8);
	EXPECT(guest_file_has(MAGNET_CONTROL "/format", line), "no line %s", line);
	snprintf(line, sizeof(line),
		 "event 0x%03x sample_text sample size %u abstract_id number fields number:u32@%u len:u32@%u\n",
		 event_id("sample_text"), header + 8, header, header + 4);
	EXPECT(guest_file_has(MAGNET_CONTROL "/format", line), "no line %s", line);
}

struct described {
	bool		found;
	unsigned int	event, mechanism, state;
};

static void look_for_tick(struct attrs attrs, void *arg)
{
	struct described *d = arg;
	struct attrs fn;

	if (strcmp(attrs_text(attrs, MAGNET_A_POINT), "sample_tick"))
		return;
	d->found = true;
	d->event = attrs_u16(attrs, MAGNET_A_EVENT);
	d->mechanism = attrs_u32(attrs, MAGNET_A_MECHANISM);
	NEED(attrs_find(attrs, MAGNET_A_FN, &fn), "no function");
	d->state = attrs_u32(fn, MAGNET_A_FN_STATE);
}

static struct described describe(struct magnet_ctl *ctl)
{
	struct described d = {};

	EXPECT_EQ(request_dump(ctl, MAGNET_CMD_POINT_GET, look_for_tick, &d).error, 0);
	return d;
}

static void points_are_dumped(void)
{
	struct sensor s = {};
	struct described d;

	load_anew();
	sensor_make(&s, MAGNET_BUFFER_SIZE_MIN);
	d = describe(&s.ctl);
	REQUIRE(d.found, "there is no sample_tick");
	EXPECT_EQ(d.event, event_id("sample_tick"));
	EXPECT_EQ(d.mechanism, MAGNET_MECHANISM_MODULE);
	EXPECT_EQ(d.state, MAGNET_FN_RESOLVED);
	sensor_subscribe(&s, "sample_tick", 0);
	EXPECT_EQ(describe(&s.ctl).state, MAGNET_FN_ACTIVE);
}

/* ---- records ---- */

/* Everything of an event in a buffer, read from all its rings. */
struct heap {
	unsigned int	n;
	uint64_t	lost;
	struct record	record[8192];
};

static void keep(struct heap *heap, const void *data, size_t len, unsigned int event)
{
	const void *end = (const char *)data + len;
	struct record rec;

	while (records_next(&data, end, &rec)) {
		if (rec.event == MAGNET_EVENT_LOST)
			heap->lost += ((const struct magnet_lost *)rec.payload)->count;
		if (rec.event != event)
			continue;
		NEED(heap->n < KTAP_SIZE(heap->record), "too many records");
		heap->record[heap->n++] = rec;
	}
}

static struct heap *take(struct sensor *s, unsigned int event)
{
	struct heap *heap = calloc(1, sizeof(*heap));
	unsigned int cpu;

	NEED(heap, "no memory");
	for (cpu = 0; cpu < (unsigned int)sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		/* What is read stays where it is: records point there. */
		const size_t room = s->size + LOST_ROOM;
		char *data = malloc(room);
		ssize_t got;

		s->fd = ctl_data_open(s->buffer, cpu, O_NONBLOCK);
		NEED(data && s->fd >= 0, "cpu%u: %s", cpu, strerror(-s->fd));
		got = read(s->fd, data, room);
		if (got > 0)
			keep(heap, data, got, event);
		NEED(read(s->fd, data, 1) < 0 && errno == EAGAIN, "it was not all");
		close(s->fd);
	}
	return heap;
}

/* Ticks 1 to @n, in order, in this context. */
static void expect_ticks(const struct heap *heap, unsigned int n, unsigned int context)
{
	unsigned int i;

	REQUIRE_EQ(heap->n, n);
	EXPECT_EQ(heap->lost, 0);
	for (i = 0; i < n; i++) {
		const struct record *rec = &heap->record[i];
		const struct sample_tick *tick = rec->payload;
		const uint64_t number = i + 1;

		REQUIRE_EQ(rec->size, records_header_size() + sizeof(*tick));
		REQUIRE_EQ(rec->id, number);
		REQUIRE_EQ(tick->number, number);
		REQUIRE_EQ(tick->context, context);
		REQUIRE_EQ(tick->reserved, 0);
		REQUIRE_EQ(tick->square, number * number);
		if (!context)
			REQUIRE_EQ(rec->tgid, getpid());
	}
}

static void expect_text(const struct record *rec, uint64_t number)
{
	const struct sample_text *text = rec->payload;
	const unsigned int len = number % (TEXT_MAX + 1), room = (len + 7) & ~7;
	const char *at = (const char *)(text + 1);
	unsigned int i;

	REQUIRE_EQ(rec->size, records_header_size() + sizeof(*text) + room);
	REQUIRE_EQ(rec->id, number);
	REQUIRE_EQ(text->number, number);
	REQUIRE_EQ(text->len, len);
	for (i = 0; i < room; i++)
		REQUIRE_EQ(at[i], i < len ? 'a' + number % 26 : 0);
}

static void expect_texts(const struct heap *heap, unsigned int n)
{
	unsigned int i;

	REQUIRE_EQ(heap->n, n);
	EXPECT_EQ(heap->lost, 0);
	for (i = 0; i < n && !ktap_complaints; i++)
		expect_text(&heap->record[i], i + 1);
}

static struct magnet_ctl_counters end_sub(struct sensor *s, uint32_t id)
{
	struct magnet_ctl_counters c;

	NEED(!ctl_sub_del(&s->ctl, id, &c), "%s", s->ctl.error);
	return c;
}

static void begin(struct sensor *s, const char *point, uint64_t size)
{
	load_anew();
	guest_on_cpu(0);
	sensor_make(s, size);
	sensor_subscribe(s, point, 0);
}

static void ticks(const char *where, unsigned int context)
{
	struct magnet_ctl_counters c;
	struct sensor s = {};
	unsigned int event;

	begin(&s, "sample_tick", BIG_RING);
	event = event_id("sample_tick");
	ORDER("emit", "tick %s 997", where);
	c = end_sub(&s, s.sub);
	EXPECT_EQ(c.hits, 997);
	EXPECT_EQ(c.committed, 997);
	expect_ticks(take(&s, event), 997, context);
}

static void ticks_from_a_process(void)
{
	ticks("process", 0);
}

static void ticks_from_a_soft_interrupt(void)
{
	ticks("softirq", 1);
}

static void ticks_from_a_hard_interrupt(void)
{
	ticks("hardirq", 2);
}

static void texts(const char *where)
{
	struct magnet_ctl_counters c;
	struct sensor s = {};

	begin(&s, "sample_text", BIG_RING);
	ORDER("emit", "text %s 997", where);
	c = end_sub(&s, s.sub);
	EXPECT_EQ(c.hits, 997);
	EXPECT_EQ(c.committed, 997);
	expect_texts(take(&s, event_id("sample_text")), 997);
}

static void texts_from_a_process(void)
{
	texts("process");
}

static void texts_from_a_soft_interrupt(void)
{
	texts("softirq");
}

static void texts_from_a_hard_interrupt(void)
{
	texts("hardirq");
}

/* Nothing is counted, and nothing is there afterwards. */
static void nobody_wants_them(void)
{
	struct sensor s = {};
	unsigned int event;

	load_anew();
	guest_on_cpu(0);
	event = event_id("sample_tick");
	ORDER("emit", "tick process 101");
	ORDER("emit", "text process 101");
	sensor_make(&s, MAGNET_BUFFER_SIZE_MIN);
	sensor_subscribe(&s, "sample_tick", 0);
	ORDER("emit", "text process 103");
	ORDER("emit", "tick process 11");
	EXPECT_EQ(end_sub(&s, s.sub).hits, 11);
	ORDER("emit", "tick process 107");
	expect_ticks(take(&s, event), 11, 0);
}

/* ---- several subscriptions ---- */

/* A second buffer beside that of sensor_make(). */
static void make_other(struct sensor *s, const struct sensor *first, uint64_t size)
{
	*s = *first;
	snprintf(s->buffer, sizeof(s->buffer), "other-%d", (int)getpid());
	NEED(!ctl_buffer_new(&s->ctl, s->buffer, size, 0, &s->size), "%s", s->ctl.error);
}

static uint32_t subscribe(struct sensor *s, const char *point, const char *buffer)
{
	uint32_t id;

	NEED(!ctl_sub_new(&s->ctl, point, buffer, 0, &id), "%s", s->ctl.error);
	return id;
}

/* The same buffer has every event as often as it is subscribed. */
static void all_subscriptions_get_them(void)
{
	struct sensor a = {}, b = {};
	uint32_t twice;

	begin(&a, "sample_text", BIG_RING);
	make_other(&b, &a, BIG_RING);
	sensor_subscribe(&b, "sample_text", 0);
	twice = subscribe(&a, "sample_text", a.buffer);
	ORDER("emit", "text hardirq 499");
	EXPECT_EQ(end_sub(&a, twice).committed, 499);
	EXPECT_EQ(end_sub(&a, a.sub).committed, 499);
	EXPECT_EQ(end_sub(&b, b.sub).committed, 499);
	expect_texts(take(&b, event_id("sample_text")), 499);
	EXPECT_EQ(take(&a, event_id("sample_text"))->n, 2 * 499);
}

/* A ring that is full loses its own events, counted; the other one has them all. */
static void one_ring_is_full(bool small_first)
{
	struct sensor small = {}, big = {};
	struct magnet_ctl_counters c;
	const unsigned int n = 4001;
	struct heap *heap;

	load_anew();
	guest_on_cpu(0);
	sensor_make(&small, MAGNET_BUFFER_SIZE_MIN);
	make_other(&big, &small, BIG_RING);
	/* The last one to subscribe is served first. */
	sensor_subscribe(small_first ? &big : &small, "sample_text", 0);
	sensor_subscribe(small_first ? &small : &big, "sample_text", 0);
	ORDER("emit", "text process %u", n);
	c = end_sub(&small, small.sub);
	EXPECT_EQ(c.hits, n);
	EXPECT_EQ(c.committed + c.dropped_full, n);
	EXPECT(c.dropped_full, "the small one never was full");
	heap = take(&small, event_id("sample_text"));
	EXPECT_EQ(heap->n, c.committed);
	EXPECT_EQ(heap->lost, c.dropped_full);
	EXPECT_EQ(end_sub(&big, big.sub).committed, n);
	expect_texts(take(&big, event_id("sample_text")), n);
}

static void the_first_ring_is_full(void)
{
	one_ring_is_full(true);
}

static void the_second_ring_is_full(void)
{
	one_ring_is_full(false);
}

/* ---- what filters ---- */

/* 1001 of them are logged, and the even numbers have to pass. */
static void expect_even(struct sensor *s, const char *kind, const char *where)
{
	struct magnet_ctl_counters c;
	struct heap *heap;
	unsigned int i;

	ORDER("emit", "%s %s 1001", kind, where);
	c = end_sub(s, s->sub);
	EXPECT_EQ(c.hits, 1001);
	EXPECT_EQ(c.filtered, 501);
	EXPECT_EQ(c.committed, 500);
	heap = take(s, event_id(strcmp(kind, "text") ? "sample_tick" : "sample_text"));
	REQUIRE_EQ(heap->n, 500);
	for (i = 0; i < heap->n && !ktap_complaints; i++) {
		EXPECT_EQ(heap->record[i].id, 2 * i + 2);
		if (!strcmp(kind, "text"))
			expect_text(&heap->record[i], 2 * i + 2);
	}
	free(heap);
	sensor_end(s);
}

/* By a handler; also what is reserved, which is looked at when it is whole. */
static void filtered(const char *kind, const char *where)
{
	struct sensor s = {};
	char point[32];

	snprintf(point, sizeof(point), "sample_%s", kind);
	begin(&s, point, BIG_RING);
	ORDER("filter", "%s", point);
	expect_even(&s, kind, where);
}

/* By rules that need the payload, and others that do not. */
static void rules_filter(const char *kind, const char *where)
{
	static const char *const rules[] = {
		"drop if id & 1", "drop if number & 1", "drop if cpu == 0 and id & 1",
		"log if id == 0; drop if number & 1", "drop if number & 1 and id & 1",
	};
	struct sensor s = {};
	char point[32];
	unsigned int i;

	snprintf(point, sizeof(point), "sample_%s", kind);
	for (i = 0; i < KTAP_SIZE(rules); i++) {
		const struct magnet_ctl_wish wish = { .rules = rules[i] };

		load_anew();
		guest_on_cpu(0);
		sensor_make(&s, BIG_RING);
		NEED(!ctl_sub_new_wish(&s.ctl, point, s.buffer, 0, &wish, &s.sub), "%s: %s",
		     rules[i], s.ctl.error);
		expect_even(&s, kind, where);
	}
}

static void rules_filter_ticks(void)
{
	rules_filter("tick", "process");
	rules_filter("tick", "hardirq");
}

static void rules_filter_texts(void)
{
	rules_filter("text", "process");
	rules_filter("text", "hardirq");
}

static void a_handler_filters_ticks(void)
{
	filtered("tick", "process");
}

static void a_handler_filters_texts(void)
{
	filtered("text", "process");
	filtered("text", "softirq");
	filtered("text", "hardirq");
}

/* Nobody else calls it; its first argument points to the caller's registers. */
#define CALLED		SYS_FUNCTION "sched_get_priority_max"

static void call(unsigned int number)
{
	syscall(SYS_sched_get_priority_max, number);
}

static void send_bytes(unsigned int number)
{
	sensor_emit_len(number);
}

/*
 * What follows has a number at the beginning of its payload too, the handler's
 * module is held while it filters, and events are made by @make.
 */
static void filters_point(struct sensor *s, const char *point, void (*make)(unsigned int number))
{
	struct magnet_ctl_counters c;
	unsigned int i;

	sensor_subscribe(s, point, 0);
	EXPECT_EQ(refcount(), 0);
	ORDER("filter", "%s", point);
	EXPECT_EQ(refcount(), 1);
	EXPECT_IN_USE(MODULE);
	for (i = 1; i <= 1001; i++)
		make(i);
	c = end_sub(s, s->sub);
	EXPECT_EQ(c.hits, 1001);
	EXPECT_EQ(c.filtered, 501);
	EXPECT_EQ(c.committed, 500);
	EXPECT_EQ(c.missed, 0);
	EXPECT_EQ(refcount(), 0);
}

static void a_handler_filters_a_point_of_the_kernel(void)
{
	struct sensor s = {};
	unsigned int i;

	load_anew();
	guest_on_cpu(0);
	sensor_make(&s, BIG_RING);
	filters_point(&s, "inet_sendmsg", send_bytes);
	sensor_open(&s, 0);
	EXPECT_EQ(data_drain(s.fd).events, 500);
	/* Without the handler all of them come. */
	ORDER("filter", "\n");
	sensor_subscribe(&s, "inet_sendmsg", 0);
	for (i = 1; i <= 11; i++)
		send_bytes(i);
	EXPECT_EQ(end_sub(&s, s.sub).committed, 11);
	EXPECT_EQ(unload(MODULE), 0);
}

/* It ends with its point, and lets go of the module. */
static void a_handler_filters_a_dynamic_point(void)
{
	static const char *const definitions[] = {
		"f:" CALLED " n=" USER_ARG1 "($arg1):u32", "p:" CALLED " n=" USER_ARG1 "($arg1):u32",
	};
	char point[MAGNET_NAME_SIZE];
	struct sensor s = {};
	unsigned int i;

	load_anew();
	guest_on_cpu(0);
	sensor_make(&s, BIG_RING);
	for (i = 0; i < KTAP_SIZE(definitions); i++) {
		NEED(!ctl_point_insert(&s.ctl, NULL, definitions[i], 0, point), "%s: %s",
		     definitions[i], s.ctl.error);
		filters_point(&s, point, call);
		sensor_subscribe(&s, point, 0);
		EXPECT_EQ(refcount(), 1);
		NEED(!ctl_point_remove(&s.ctl, point), "%s: %s", point, s.ctl.error);
		EXPECT_EQ(refcount(), 0);
	}
	EXPECT_EQ(unload(MODULE), 0);
}

static void a_handler_comes_and_goes(void)
{
	struct magnet_ctl_counters c;
	struct sensor s = {};

	begin(&s, "sample_tick", BIG_RING);
	ORDER("emit", "tick process 100");
	ORDER("filter", "sample_tick");
	ORDER("emit", "tick process 100");
	ORDER("filter", "sample_text");
	ORDER("emit", "tick process 100");
	ORDER("filter", "\n");
	ORDER("emit", "tick process 100");
	c = end_sub(&s, s.sub);
	EXPECT_EQ(c.hits, 400);
	EXPECT_EQ(c.filtered, 50);
	EXPECT_EQ(c.committed, 350);
}

static void a_handler_of_no_point(void)
{
	load_anew();
	EXPECT_EQ(order("filter", "no_such_point"), -ENOENT);
}

/* ---- reading in the kernel ---- */

struct seen {
	unsigned long long ticks, sum, texts, others;
};

static int read_in_kernel(struct seen *seen)
{
	char text[128] = "";
	int fd = open(FILES "read", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	NEED(fd >= 0, "read: %s", strerror(errno));
	got = read(fd, text, sizeof(text) - 1);
	got = got < 0 ? -errno : 0;
	close(fd);
	if (!got)
		NEED(sscanf(text, "ticks %llu sum %llu texts %llu others %llu", &seen->ticks,
			    &seen->sum, &seen->texts, &seen->others) == 4, "%s", text);
	return got;
}

/* On both CPUs, since it reads all rings, merged. */
static void the_kernel_reads(void)
{
	struct sensor s = {};
	struct seen seen;

	begin(&s, "sample_tick", BIG_RING);
	subscribe(&s, "sample_text", s.buffer);
	EXPECT_EQ(read_in_kernel(&seen), -ENOTCONN);
	EXPECT_EQ(order("buffer", "no_such_buffer"), -ENOENT);
	ORDER("buffer", "%s", s.buffer);
	ORDER("emit", "tick process 997");
	guest_on_cpu(1);
	ORDER("emit", "tick softirq 101");
	ORDER("emit", "text hardirq 13");
	EXPECT_EQ(read_in_kernel(&seen), 0);
	EXPECT_EQ(seen.ticks, 997 + 101);
	EXPECT_EQ(seen.sum, 997 * 998 / 2 + 101 * 102 / 2);
	EXPECT_EQ(seen.texts, 13);
	EXPECT_EQ(read_in_kernel(&seen), 0);
	EXPECT_EQ(seen.ticks + seen.texts, 0);
}

/* One reader, in the kernel or in user space. */
static void the_kernel_is_the_only_reader(void)
{
	struct sensor s = {};

	begin(&s, "sample_tick", MAGNET_BUFFER_SIZE_MIN);
	ORDER("buffer", "%s", s.buffer);
	EXPECT_EQ(ctl_data_open(s.buffer, 0, 0), -EBUSY);
	EXPECT_EQ(order("buffer", "%s", s.buffer), -EBUSY);
	ORDER("buffer", "\n");
	sensor_open(&s, 0);
	EXPECT_EQ(order("buffer", "%s", s.buffer), -EBUSY);
	close(s.fd);
	ORDER("buffer", "%s", s.buffer);
}

static void the_buffer_is_removed_under_the_reader(void)
{
	struct sensor s = {};
	struct seen seen;

	begin(&s, "sample_tick", BIG_RING);
	ORDER("buffer", "%s", s.buffer);
	ORDER("emit", "tick process 97");
	NEED(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	EXPECT_EQ(read_in_kernel(&seen), 0);
	EXPECT_EQ(seen.ticks, 97);
	EXPECT_EQ(read_in_kernel(&seen), 0);
	EXPECT_EQ(seen.ticks, 0);
}

/* ---- the order of unloading ---- */

static void the_sensor_is_in_use_by_the_module(void)
{
	load_anew();
	EXPECT_IN_USE("magnet");
	EXPECT(event_id("sample_tick"), "the refusal took the event away");
}

static void a_subscription_keeps_the_module(void)
{
	struct sensor s = {};
	unsigned int before;
	uint32_t second;

	begin(&s, "sample_tick", BIG_RING);
	before = event_id("sample_tick");
	EXPECT_EQ(refcount(), 1);
	EXPECT_IN_USE(MODULE);
	second = subscribe(&s, "sample_tick", s.buffer);
	end_sub(&s, s.sub);
	EXPECT_IN_USE(MODULE);
	ORDER("emit", "tick process 7");
	EXPECT_EQ(end_sub(&s, second).committed, 7);
	EXPECT_EQ(refcount(), 0);
	EXPECT_EQ(unload(MODULE), 0);
	EXPECT_EQ(event_id("sample_tick"), 0);
	EXPECT_EQ(ctl_sub_new(&s.ctl, "sample_tick", s.buffer, 0, NULL), -ENOENT);
	NEED(!load(), "load");
	EXPECT(event_id("sample_tick") != before, "a new event has the id of an old one");
	sensor_subscribe(&s, "sample_tick", 0);
	ORDER("emit", "tick process 5");
	EXPECT_EQ(end_sub(&s, s.sub).committed, 5);
}

/* The handler's module is held by the subscriptions of the point. */
static void a_handler_keeps_the_module(void)
{
	struct sensor s = {};

	begin(&s, "sample_tick", BIG_RING);
	ORDER("filter", "sample_tick");
	EXPECT_EQ(refcount(), 2);
	EXPECT_IN_USE(MODULE);
	ORDER("filter", "sample_text");
	EXPECT_EQ(refcount(), 1);
	ORDER("filter", "sample_tick");
	end_sub(&s, s.sub);
	EXPECT_EQ(refcount(), 0);
	sensor_subscribe(&s, "sample_tick", 0);
	EXPECT_EQ(refcount(), 2);
	end_sub(&s, s.sub);
	/* With the handler registered, but nobody to filter for. */
	EXPECT_EQ(unload(MODULE), 0);
}

static void an_open_buffer_keeps_the_module(void)
{
	struct sensor s = {};

	load_anew();
	sensor_make(&s, MAGNET_BUFFER_SIZE_MIN);
	ORDER("buffer", "%s", s.buffer);
	EXPECT_EQ(refcount(), 1);
	EXPECT_IN_USE(MODULE);
	NEED(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	EXPECT_IN_USE(MODULE);
	ORDER("buffer", "\n");
	EXPECT_EQ(unload(MODULE), 0);
}

/* "magnet unload" ends subscriptions; the events are the module's. */
static void shutdown_leaves_the_events(void)
{
	struct sensor s = {};

	begin(&s, "sample_tick", MAGNET_BUFFER_SIZE_MIN);
	NEED(!ctl_shutdown(&s.ctl), "%s", s.ctl.error);
	EXPECT(event_id("sample_tick"), "the event is gone");
	EXPECT_EQ(refcount(), 0);
	EXPECT_IN_USE("magnet");
	EXPECT_EQ(unload(MODULE), 0);
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(points_are_listed),
		KTAP_TEST(points_are_dumped),
		KTAP_TEST(ticks_from_a_process),
		KTAP_TEST(ticks_from_a_soft_interrupt),
		KTAP_TEST(ticks_from_a_hard_interrupt),
		KTAP_TEST(texts_from_a_process),
		KTAP_TEST(texts_from_a_soft_interrupt),
		KTAP_TEST(texts_from_a_hard_interrupt),
		KTAP_TEST(nobody_wants_them),
		KTAP_TEST(all_subscriptions_get_them),
		KTAP_TEST(the_first_ring_is_full),
		KTAP_TEST(the_second_ring_is_full),
		KTAP_TEST(rules_filter_ticks),
		KTAP_TEST(rules_filter_texts),
		KTAP_TEST(a_handler_filters_ticks),
		KTAP_TEST(a_handler_filters_texts),
		KTAP_TEST(a_handler_filters_a_point_of_the_kernel),
		KTAP_TEST(a_handler_filters_a_dynamic_point),
		KTAP_TEST(a_handler_comes_and_goes),
		KTAP_TEST(a_handler_of_no_point),
		KTAP_TEST(the_kernel_reads),
		KTAP_TEST(the_kernel_is_the_only_reader),
		KTAP_TEST(the_buffer_is_removed_under_the_reader),
		KTAP_TEST(the_sensor_is_in_use_by_the_module),
		KTAP_TEST(a_subscription_keeps_the_module),
		KTAP_TEST(a_handler_keeps_the_module),
		KTAP_TEST(an_open_buffer_keeps_the_module),
		KTAP_TEST(shutdown_leaves_the_events),
	};

	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
