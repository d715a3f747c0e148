// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control protocol: what each request does, and what each bad one is told.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <linux/capability.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "guest.h"
#include "request.h"
#include "sensor.h"

static struct magnet_ctl ctl;

static void connect_to_module(void)
{
	NEED(!ctl_open(&ctl), "%s", ctl.error);
}

/* The answer has this error, and says why. */
#define EXPECT_REFUSED(asked, code, words)					\
	do {									\
		const struct answer a_ = (asked);				\
										\
		EXPECT(a_.error == -(code), "the answer is \"%s\", not \"%s\"",	\
		       strerror(-a_.error), strerror(code));			\
		EXPECT(strstr(a_.text, words), "the text is \"%s\", without \"%s\"",	\
		       a_.text, words);						\
	} while (0)

#define EXPECT_DONE(asked)							\
	do {									\
		const struct answer a_ = (asked);				\
										\
		EXPECT(!a_.error, "refused: %s: %s", strerror(-a_.error), a_.text);	\
	} while (0)

/* ---- requests in one line ---- */

static struct answer ask(uint8_t cmd)
{
	struct request r;

	request_begin(&r, &ctl, cmd);
	return request_send(&r, &ctl, NULL, NULL);
}

static struct answer buffer_new(const char *name)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_NEW);
	request_put_text(&r, MAGNET_A_BUFFER, name);
	return request_send(&r, &ctl, NULL, NULL);
}

static void keep_size(struct attrs attrs, void *arg)
{
	*(uint64_t *)arg = attrs_u64(attrs, MAGNET_A_BUFFER_SIZE);
}

static struct answer buffer_new_size(const char *name, uint64_t size, uint64_t *made)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_NEW);
	request_put_text(&r, MAGNET_A_BUFFER, name);
	request_put_u64(&r, MAGNET_A_BUFFER_SIZE, size);
	return request_send(&r, &ctl, keep_size, made);
}

static struct answer buffer_del(const char *name)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_DEL);
	request_put_text(&r, MAGNET_A_BUFFER, name);
	return request_send(&r, &ctl, NULL, NULL);
}

static void keep_sub_id(struct attrs attrs, void *arg)
{
	*(uint32_t *)arg = attrs_u32(attrs, MAGNET_A_SUB_ID);
}

static struct answer sub_new(const char *point, const char *buffer, uint32_t flags, uint32_t *id)
{
	struct request r;
	uint32_t unused;

	request_begin(&r, &ctl, MAGNET_CMD_SUB_NEW);
	if (point)
		request_put_text(&r, MAGNET_A_POINT, point);
	if (buffer)
		request_put_text(&r, MAGNET_A_BUFFER, buffer);
	if (flags)
		request_put_u32(&r, MAGNET_A_FLAGS, flags);
	return request_send(&r, &ctl, keep_sub_id, id ? id : &unused);
}

static struct answer sub_del(uint32_t id, answer_fn fn, void *arg)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_SUB_DEL);
	request_put_u32(&r, MAGNET_A_SUB_ID, id);
	return request_send(&r, &ctl, fn, arg);
}

/* ---- how many there are ---- */

struct census {
	const char	*name;		/* of the buffer looked for */
	unsigned int	found;
};

static void count_named(struct attrs attrs, void *arg)
{
	struct census *c = arg;

	if (!strcmp(attrs_text(attrs, MAGNET_A_BUFFER), c->name))
		c->found++;
}

/* Messages of a dump about a buffer: itself, or its subscriptions. */
static unsigned int count_of(uint8_t cmd, const char *buffer)
{
	struct census c = { .name = buffer };

	NEED(!request_dump(&ctl, cmd, count_named, &c).error, "the dump failed");
	return c.found;
}

static bool buffer_exists(const char *name)
{
	return count_of(MAGNET_CMD_BUFFER_GET, name);
}

static unsigned int subs_of(const char *buffer)
{
	return count_of(MAGNET_CMD_SUB_GET, buffer);
}

/* Is a function or tracepoint of the point hooked? */
static bool point_is_on(const char *point)
{
	char line[256];
	FILE *f = fopen(MAGNET_CONTROL "/events", "r");
	bool on = false;

	NEED(f, "no control/events");
	while (fgets(line, sizeof(line), f)) {
		char name[64];

		if (sscanf(line, "0x%*x %63s", name) == 1 && !strcmp(name, point))
			on = strstr(line, "=on");
	}
	fclose(f);
	return on;
}

/* ---- info ---- */

static void check_info(struct attrs attrs, void *arg)
{
	const uint64_t now_ns = guest_now_us() * 1000;
	const uint64_t *before_ns = arg;
	const uint64_t monotonic = attrs_u64(attrs, MAGNET_A_CLOCK_MONOTONIC_NS);
	const bool mono = guest_file_has(MAGNET_CONTROL "/clock", "source mono");

	EXPECT_EQ(attrs_u32(attrs, MAGNET_A_ABI_VERSION), MAGNET_ABI_VERSION);
	EXPECT(*attrs_text(attrs, MAGNET_A_MODULE_VERSION), "no version");
	EXPECT_EQ(attrs_u32(attrs, MAGNET_A_LAYOUT),
		  records_classic() ? MAGNET_LAYOUT_CLASSIC : MAGNET_LAYOUT_WIDE);
	EXPECT_EQ(attrs_u32(attrs, MAGNET_A_CLOCK), mono ? MAGNET_CLOCK_MONO : MAGNET_CLOCK_TSC);
	EXPECT(attrs_u32(attrs, MAGNET_A_CLOCK_KHZ), "the clock does not tick");
	EXPECT(attrs_u64(attrs, MAGNET_A_CLOCK_TIMER), "the clock stands at 0");
	EXPECT(monotonic >= *before_ns && monotonic <= now_ns + 1000, "%llu is not now",
	       (unsigned long long)monotonic);
	EXPECT(attrs_u64(attrs, MAGNET_A_CLOCK_REALTIME_NS) > monotonic, "1970 is long ago");
	EXPECT_EQ(attrs_u32(attrs, MAGNET_A_CLOCK_FLAGS), 0);
	EXPECT_EQ(attrs_u32(attrs, MAGNET_A_FTRACE_DISABLED), 0);
	EXPECT_EQ(attrs_u32(attrs, MAGNET_A_DYNAMIC_DISABLED), 0);
	EXPECT_EQ(attrs_u32(attrs, MAGNET_A_KPROBES_DISABLED), 0);
	if (mono)
		EXPECT(attrs_u64(attrs, MAGNET_A_CLOCK_TIMER) - monotonic < 1000000000,
		       "the timer is not CLOCK_MONOTONIC");
}

static void info(void)
{
	uint64_t before = guest_now_us() * 1000;
	struct answer answer;
	struct request r;

	connect_to_module();
	request_begin(&r, &ctl, MAGNET_CMD_INFO_GET);
	answer = request_send(&r, &ctl, check_info, &before);
	EXPECT_DONE(answer);
	EXPECT_EQ(answer.messages, 1);
}

#define FTRACE_ENABLED	"/proc/sys/kernel/ftrace_enabled"

static uint32_t ftrace_disabled(void)
{
	return request_info_u32(&ctl, MAGNET_A_FTRACE_DISABLED);
}

/* Nothing of a point changes by it, so whoever asks is told. */
static void ftrace_that_is_off_is_told(void)
{
	connect_to_module();
	EXPECT_EQ(ftrace_disabled(), 0);
	NEED(guest_write_file(FTRACE_ENABLED, "0"), FTRACE_ENABLED ": %s", strerror(errno));
	EXPECT_EQ(ftrace_disabled(), 1);
	NEED(guest_write_file(FTRACE_ENABLED, "1"), FTRACE_ENABLED ": %s", strerror(errno));
	EXPECT_EQ(ftrace_disabled(), 0);
}

/* ---- points ---- */

struct points {
	unsigned int	count;
	unsigned int	unresolved;
	char		seen[64][MAGNET_NAME_SIZE];
	uint16_t	events[64];
};

static void check_fn(struct attrs fn, const char *point, struct points *p)
{
	const uint32_t state = attrs_u32(fn, MAGNET_A_FN_STATE);
	const char *name = attrs_text(fn, MAGNET_A_FN_NAME);

	EXPECT(*attrs_text(fn, MAGNET_A_FN_TRIED), "%s: nothing was tried", point);
	EXPECT(strlen(attrs_text(fn, MAGNET_A_FN_FAMILY)) <= 4, "%s: family %s", point,
	       attrs_text(fn, MAGNET_A_FN_FAMILY));
	if (state == MAGNET_FN_UNRESOLVED) {
		p->unresolved++;
		EXPECT(!*name, "%s: unresolved, and yet %s", point, name);
	} else {
		EXPECT(*name && strstr(attrs_text(fn, MAGNET_A_FN_TRIED), name),
		       "%s: %s was not tried", point, name);
	}
}

static void check_point(struct attrs attrs, void *arg)
{
	const char *name = attrs_text(attrs, MAGNET_A_POINT);
	struct points *p = arg;
	unsigned int fns = 0, i;
	struct attrs value;
	uint16_t type;

	NEED(p->count < KTAP_SIZE(p->seen), "too many points");
	for (i = 0; i < p->count; i++) {
		EXPECT(strcmp(p->seen[i], name), "%s comes twice", name);
		EXPECT(p->events[i] != attrs_u16(attrs, MAGNET_A_EVENT), "event %#x comes twice",
		       p->events[i]);
	}
	snprintf(p->seen[p->count], MAGNET_NAME_SIZE, "%s", name);
	p->events[p->count++] = attrs_u16(attrs, MAGNET_A_EVENT);
	EXPECT(*attrs_text(attrs, MAGNET_A_SUBSYSTEM), "%s: no subsystem", name);
	EXPECT(attrs_u32(attrs, MAGNET_A_MECHANISM) <= MAGNET_MECHANISM_MODULE, "%s: mechanism %u",
	       name, attrs_u32(attrs, MAGNET_A_MECHANISM));
	while (attrs_next(&attrs, &type, &value))
		if (type == MAGNET_A_FN) {
			check_fn(value, name, p);
			fns++;
		}
	EXPECT(fns, "%s has no function", name);
}

#define GROUP_RECLAIM	"/sys/kernel/tracing/events/vmscan/mm_vmscan_memcg_reclaim"

static void points_are_listed(void)
{
	static const char *const expected[] = {
		"inet_sendmsg", "udp_sendmsg", "ip_send_skb", "dev_queue_xmit", "netif_receive_skb",
		"ip_local_deliver", "udp_rcv", "udp_enqueue", "skb_consume_udp", "tcp_sendmsg",
		"tcp_retransmit_skb", "ip_queue_xmit", "net_dev_start_xmit", "net_dev_xmit",
		"net_dev_receive", "cpu_time",
		"tcp_rcv", "tcp_rcv_established", "tcp_consume", "kfree_skb", "sched_switch",
		"sched_wakeup", "sched_migrate_task", "sched_process_fork", "sched_process_exec", "sched_process_exit",
		"task_rename", "task_attach", "cgroup_mkdir", "cgroup_rmdir",
		"irq_handler_entry", "irq_handler_exit", "softirq_entry", "softirq_exit",
		"page_fault_user", "page_fault_kernel", "major_fault",
		"mm_vmscan_direct_reclaim_begin",
		"mm_vmscan_direct_reclaim_end", "mark_victim", "block_rq_issue",
		"block_rq_complete", "sys_enter", "sys_exit", "marker",
	};
	struct points p = {};
	unsigned int i, j;

	connect_to_module();
	EXPECT_DONE(request_dump(&ctl, MAGNET_CMD_POINT_GET, check_point, &p));
	for (i = 0; i < KTAP_SIZE(expected); i++) {
		for (j = 0; j < p.count && strcmp(p.seen[j], expected[i]); j++)
			;
		EXPECT(j < p.count, "%s is not listed", expected[i]);
	}
	/* Reclaim of a control group is missing where control groups know no memory. */
	EXPECT_EQ(p.unresolved, access(GROUP_RECLAIM "_begin", F_OK) ? 2 : 0);
}

static void print_reason(struct attrs attrs, void *file)
{
	fprintf(file, "%u %s\n", attrs_u32(attrs, MAGNET_A_DROP_REASON),
		attrs_text(attrs, MAGNET_A_DROP_REASON_NAME));
}

/* The file says the same, in the same order. More than one datagram holds. */
static void reasons_of_drops_are_listed(void)
{
	char told[32 << 10] = "# number name\n", shown[sizeof(told)] = "";
	const size_t head = strlen(told);
	FILE *f = fmemopen(told + head, sizeof(told) - head, "w");
	FILE *control = fopen(MAGNET_CONTROL "/drop_reasons", "r");
	struct answer a;

	NEED(f && control, "drop_reasons: %s", strerror(errno));
	connect_to_module();
	a = request_dump(&ctl, MAGNET_CMD_DROP_REASON_GET, print_reason, f);
	EXPECT_DONE(a);
	EXPECT(a.messages > 30, "%u reasons", a.messages);
	fclose(f);
	NEED(fread(shown, 1, sizeof(shown) - 1, control) && feof(control), "drop_reasons: %s",
	     strerror(errno));
	fclose(control);
	EXPECT(!strcmp(told, shown), "netlink: %s\nthe file: %s", told, shown);
	EXPECT(strstr(told, " NO_SOCKET\n"), "%s", told);
}

/* These operations are the same for all kernels; numbers of flags are not. */
static void format_has_words_of_this_kernel(void)
{
	static const char *const words[] = {
		" GFP_KERNEL\n", " __GFP_ZERO\n", "\nword block_op 0x0 READ\n",
		"\nword block_op 0x1 WRITE\n", "\nword block_op 0x2 FLUSH\n",
		"\nword block_op 0x3 DISCARD\n",
	};
	static char format[128 << 10];
	FILE *f = fopen(MAGNET_CONTROL "/format", "r");
	unsigned int i, number, flags = 0;
	char name[64];
	char *line;

	NEED(f, "format: %s", strerror(errno));
	NEED(fread(format, 1, sizeof(format) - 1, f) && feof(f), "format: %s", strerror(errno));
	fclose(f);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		EXPECT(strstr(format, words[i]), "no %s", words[i]);
	for (line = format; (line = strstr(line, "\nword gfp_flags ")); line++) {
		EXPECT(sscanf(line, "\nword gfp_flags %x %63s", &number, name) == 2 && number &&
		       strstr(name, "GFP_"), "%.60s", line);
		flags++;
	}
	EXPECT(flags > 20, "%u flags", flags);
}

struct wanted_point {
	const char	*name;
	uint32_t	subs;
	unsigned int	active;
	unsigned int	fns;
};

static void look_for_point(struct attrs attrs, void *arg)
{
	struct wanted_point *w = arg;
	struct attrs value;
	uint16_t type;

	if (strcmp(attrs_text(attrs, MAGNET_A_POINT), w->name))
		return;
	w->subs = attrs_u32(attrs, MAGNET_A_SUB_COUNT);
	while (attrs_next(&attrs, &type, &value))
		if (type == MAGNET_A_FN) {
			w->fns++;
			w->active += attrs_u32(value, MAGNET_A_FN_STATE) == MAGNET_FN_ACTIVE;
		}
}

static struct wanted_point point_state(const char *name)
{
	struct wanted_point w = { .name = name };

	NEED(!request_dump(&ctl, MAGNET_CMD_POINT_GET, look_for_point, &w).error, "no dump");
	return w;
}

/* Says ftrace; whose handlers it calls arm64's does not tell. */
static bool function_is_hooked(void)
{
	return guest_file_has("/sys/kernel/tracing/enabled_functions", "udp_sendmsg (");
}

/* A point is hooked while it has subscriptions, and at no other time. */
static void points_are_on_while_subscribed(void)
{
	static const char *const points[] = { "udp_sendmsg", "sched_process_exec" };
	uint32_t first, second;
	unsigned int i;

	connect_to_module();
	EXPECT_DONE(buffer_new("points"));
	EXPECT(!function_is_hooked(), "something is hooked before");
	for (i = 0; i < KTAP_SIZE(points); i++) {
		const char *point = points[i];
		struct wanted_point w = point_state(point);

		EXPECT(!w.subs && !w.active && !point_is_on(point), "%s is on before", point);
		EXPECT_DONE(sub_new(point, "points", 0, &first));
		EXPECT_DONE(sub_new(point, "points", 0, &second));
		EXPECT(first != second, "two subscriptions have one id");
		w = point_state(point);
		EXPECT(w.subs == 2 && w.active == w.fns && point_is_on(point),
		       "%s: %u subscriptions, %u of %u on", point, w.subs, w.active, w.fns);
		if (!i)
			EXPECT(function_is_hooked(), "nothing is hooked");
		EXPECT_DONE(sub_del(first, NULL, NULL));
		EXPECT(point_is_on(point), "%s is off, and has a subscription", point);
		EXPECT_DONE(sub_del(second, NULL, NULL));
		w = point_state(point);
		EXPECT(!w.subs && !w.active && !point_is_on(point), "%s is still on", point);
	}
	EXPECT(!function_is_hooked(), "something is still hooked");
}

/* ---- buffers ---- */

static void buffer_sizes_are_rounded_up(void)
{
	static const struct {
		uint64_t asked, made;
	} sizes[] = {
		{ 0, 65536 }, { 1, 65536 }, { 65535, 65536 }, { 65536, 65536 }, { 65537, 131072 },
		{ 1000000, 1048576 }, { 1048576, 1048576 },
	};
	struct request r;
	unsigned int i;
	uint64_t made;

	connect_to_module();
	for (i = 0; i < KTAP_SIZE(sizes); i++) {
		EXPECT_DONE(buffer_new_size("sizes", sizes[i].asked, &made));
		EXPECT(made == sizes[i].made, "%llu became %llu",
		       (unsigned long long)sizes[i].asked, (unsigned long long)made);
		EXPECT_DONE(buffer_del("sizes"));
	}
	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_NEW);
	request_put_text(&r, MAGNET_A_BUFFER, "sizes");
	EXPECT_DONE(request_send(&r, &ctl, keep_size, &made));
	EXPECT_EQ(made, MAGNET_BUFFER_SIZE_DEFAULT);
	EXPECT_REFUSED(buffer_new_size("huge", MAGNET_BUFFER_SIZE_MAX + 1ULL, &made), EINVAL,
		       "256 MiB");
	EXPECT_REFUSED(buffer_new_size("huge", UINT64_MAX, &made), EINVAL, "256 MiB");
	EXPECT_REFUSED(buffer_new_size("huge", 1ULL << 63, &made), EINVAL, "256 MiB");
}

/* All together at most half of the memory. */
static void memory_is_limited(void)
{
	const uint64_t memory = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	uint64_t size = MAGNET_BUFFER_SIZE_MAX, made, all = 0;
	struct answer answer;
	char name[32];
	int i;

	connect_to_module();
	for (i = 0; ; i++) {
		snprintf(name, sizeof(name), "memory-%d", i);
		answer = buffer_new_size(name, size, &made);
		if (answer.error)
			break;
		all += made * sysconf(_SC_NPROCESSORS_ONLN);
		NEED(all <= memory / 2, "%llu of %llu bytes", (unsigned long long)all,
		     (unsigned long long)memory);
	}
	EXPECT_REFUSED(answer, ENOMEM, "memory");
	EXPECT(i, "not even the first");
	/* What was refused left nothing behind: a small one still fits. */
	EXPECT(!buffer_exists(name), "%s is there", name);
	EXPECT_DONE(buffer_new_size("small", 1, &made));
	while (i--) {
		snprintf(name, sizeof(name), "memory-%d", i);
		EXPECT_DONE(buffer_del(name));
	}
	EXPECT_DONE(buffer_new_size("again", size, &made));
}

static void buffer_names(void)
{
	static const char *const bad[] = {
		"", ".", "..", ".hidden", "a/b", "/a", "a b", "a\n", "\xc3\xa4", "a!b", "*", "a\\b",
	};
	static const char *const good[] = { "a", "A-1_b.c", "0", "-", "_.", "cpu0" };
	char name[80];
	unsigned int i;

	connect_to_module();
	for (i = 0; i < KTAP_SIZE(good); i++) {
		EXPECT_DONE(buffer_new(good[i]));
		EXPECT(buffer_exists(good[i]), "%s is not there", good[i]);
	}
	for (i = 0; i < KTAP_SIZE(bad); i++)
		EXPECT_REFUSED(buffer_new(bad[i]), EINVAL, "name");
	memset(name, 'n', sizeof(name));
	name[MAGNET_NAME_SIZE - 1] = 0;
	EXPECT_DONE(buffer_new(name));
	memset(name, 'm', sizeof(name));
	name[MAGNET_NAME_SIZE] = 0;
	EXPECT_REFUSED(buffer_new(name), EINVAL, "policy");
	EXPECT_REFUSED(buffer_new("a"), EEXIST, "exists");
	EXPECT_DONE(buffer_del("a"));
	EXPECT_DONE(buffer_new("a"));
}

static void buffer_has_its_files(void)
{
	static const char *const folders[] = { "/dev/magnet", MAGNET_DEBUGFS "/data" };
	struct stat st;
	char path[128];
	unsigned int i, cpu;

	connect_to_module();
	EXPECT_DONE(buffer_new("files"));
	for (i = 0; i < KTAP_SIZE(folders); i++) {
		for (cpu = 0; cpu < 2; cpu++) {
			snprintf(path, sizeof(path), "%s/files/cpu%u", folders[i], cpu);
			EXPECT(!stat(path, &st), "%s: %s", path, strerror(errno));
			EXPECT((st.st_mode & 07777) == (i ? 0400 : 0440), "%s has mode %o", path,
			       st.st_mode);
			EXPECT(!st.st_uid, "%s is user %u's", path, st.st_uid);
		}
		snprintf(path, sizeof(path), "%s/files/cpu2", folders[i]);
		EXPECT(stat(path, &st) && errno == ENOENT, "%s is there", path);
	}
	EXPECT_DONE(buffer_del("files"));
	for (i = 0; i < KTAP_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s/files", folders[i]);
		UNTIL(stat(path, &st) && errno == ENOENT);
	}
}

static void buffer_end_ends_its_subscriptions(void)
{
	uint32_t id;

	connect_to_module();
	EXPECT_DONE(buffer_new("short"));
	EXPECT_DONE(sub_new("udp_sendmsg", "short", 0, &id));
	EXPECT_EQ(subs_of("short"), 1);
	EXPECT_DONE(buffer_del("short"));
	EXPECT_EQ(subs_of("short"), 0);
	EXPECT(!point_is_on("udp_sendmsg"), "the point is still on");
	EXPECT_REFUSED(sub_del(id, NULL, NULL), ENOENT, "no subscription");
	EXPECT_REFUSED(buffer_del("short"), ENOENT, "no buffer");
}

/* ---- subscriptions ---- */

static void two_subscriptions_log_twice(void)
{
	struct sensor s;

	sensor_start(&s);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	sensor_emit(3);
	EXPECT_EQ(data_drain(s.fd).events, 6);
}

/* One point into two buffers: each gets all. */
static void two_buffers_get_the_same(void)
{
	struct sensor s;
	int other;

	sensor_start(&s);
	REQUIRE(!ctl_buffer_new(&s.ctl, "second", 0, 0, NULL), "%s", s.ctl.error);
	REQUIRE(!ctl_sub_new(&s.ctl, "inet_sendmsg", "second", 0, NULL), "%s", s.ctl.error);
	other = ctl_data_open("second", 0, 0);
	REQUIRE(other >= 0, "open: %s", strerror(-other));
	sensor_emit(5);
	EXPECT_EQ(data_drain(s.fd).events, 5);
	EXPECT_EQ(data_drain(other).events, 5);
}

static void add_counters(struct attrs attrs, void *arg)
{
	struct magnet_ctl_counters *c = arg;
	struct attrs cpu;
	uint16_t type;

	while (attrs_next(&attrs, &type, &cpu)) {
		if (type != MAGNET_A_CPU_STATS)
			continue;
		c->hits += attrs_u64(cpu, MAGNET_A_HITS);
		c->committed += attrs_u64(cpu, MAGNET_A_COMMITTED);
		c->filtered += attrs_u64(cpu, MAGNET_A_FILTERED);
		c->sampled_out += attrs_u64(cpu, MAGNET_A_SAMPLED_OUT);
		c->dropped_full += attrs_u64(cpu, MAGNET_A_DROPPED_FULL);
		c->dropped_big += attrs_u64(cpu, MAGNET_A_DROPPED_BIG);
		c->dropped_recursion += attrs_u64(cpu, MAGNET_A_DROPPED_RECURSION);
		EXPECT_EQ(attrs_u64(cpu, MAGNET_A_MISSED), 0);
		EXPECT(attrs_u32(cpu, MAGNET_A_CPU) < 2, "CPU %u",
		       attrs_u32(cpu, MAGNET_A_CPU));
	}
}

static void end_of_a_subscription_has_its_counters(void)
{
	struct magnet_ctl_counters c = {};
	uint32_t id;

	connect_to_module();
	EXPECT_DONE(buffer_new("counters"));
	EXPECT_DONE(sub_new("inet_sendmsg", "counters", 0, &id));
	guest_on_cpu(1);
	sensor_emit(11);
	guest_on_cpu(0);
	sensor_emit(2);
	EXPECT_DONE(sub_del(id, add_counters, &c));
	EXPECT_EQ(c.hits, 13);
	EXPECT_EQ(c.committed, 13);
	EXPECT_EQ(c.filtered + c.sampled_out + c.dropped_full + c.dropped_big +
		  c.dropped_recursion, 0);
}

static void bad_subscriptions(void)
{
	uint32_t id;

	connect_to_module();
	EXPECT_DONE(buffer_new("b"));
	EXPECT_REFUSED(sub_new("no_such_point", "b", 0, NULL), ENOENT, "no point");
	EXPECT_REFUSED(sub_new("", "b", 0, NULL), ENOENT, "no point");
	EXPECT_REFUSED(sub_new("udp_sendmsg", "none", 0, NULL), ENOENT, "no buffer");
	EXPECT_REFUSED(sub_new(NULL, "b", 0, NULL), EINVAL, "does not name a point");
	EXPECT_REFUSED(sub_new("udp_sendmsg", NULL, 0, NULL), EINVAL, "does not name a buffer");
	EXPECT_REFUSED(sub_new("udp_sendmsg", "b", 0x4, NULL), EINVAL, "reserved bit set");
	EXPECT_REFUSED(sub_new("udp_sendmsg", "b", UINT32_MAX, NULL), EINVAL, "reserved bit set");
	EXPECT_REFUSED(sub_del(0, NULL, NULL), ENOENT, "no subscription");
	EXPECT_REFUSED(sub_del(UINT32_MAX, NULL, NULL), ENOENT, "no subscription");
	EXPECT_REFUSED(ask(MAGNET_CMD_SUB_DEL), EINVAL, "does not name a subscription");
	EXPECT_REFUSED(ask(MAGNET_CMD_BUFFER_NEW), EINVAL, "does not name a buffer");
	EXPECT_REFUSED(ask(MAGNET_CMD_BUFFER_DEL), EINVAL, "does not name a buffer");
	EXPECT_DONE(sub_new("udp_sendmsg", "b", 0, &id));
	EXPECT_DONE(sub_del(id, NULL, NULL));
	EXPECT_REFUSED(sub_del(id, NULL, NULL), ENOENT, "no subscription");
	EXPECT(!point_is_on("udp_sendmsg"), "a point is on");
}

/* ---- requests that are not well-formed ---- */

static struct answer with_attr(uint8_t cmd, uint16_t type, const void *data, size_t len)
{
	struct request r;

	request_begin(&r, &ctl, cmd);
	request_put_text(&r, MAGNET_A_BUFFER, "malformed");
	request_put(&r, type, data, len);
	return request_send(&r, &ctl, NULL, NULL);
}

static void attributes_of_wrong_type_or_length(void)
{
	static const char zeros[512];
	struct request r;

	connect_to_module();
	/* A size has eight bytes, flags have four, ids too. */
	EXPECT_REFUSED(with_attr(MAGNET_CMD_BUFFER_NEW, MAGNET_A_BUFFER_SIZE, zeros, 4), EINVAL, "invalid attribute length");
	EXPECT_REFUSED(with_attr(MAGNET_CMD_BUFFER_NEW, MAGNET_A_BUFFER_SIZE, zeros, 0), EINVAL, "invalid attribute length");
	EXPECT_REFUSED(with_attr(MAGNET_CMD_BUFFER_NEW, MAGNET_A_BUFFER_SIZE, zeros, 9), EINVAL, "invalid attribute length");
	EXPECT_REFUSED(with_attr(MAGNET_CMD_BUFFER_NEW, MAGNET_A_FLAGS, zeros, 8), EINVAL, "invalid attribute length");
	EXPECT_REFUSED(with_attr(MAGNET_CMD_BUFFER_NEW, MAGNET_A_FLAGS, zeros, 1), EINVAL, "invalid attribute length");
	request_begin(&r, &ctl, MAGNET_CMD_SUB_DEL);
	request_put(&r, MAGNET_A_SUB_ID, zeros, 2);
	EXPECT_REFUSED(request_send(&r, &ctl, NULL, NULL), EINVAL, "invalid attribute length");
	/* Text without its end. */
	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_NEW);
	request_put(&r, MAGNET_A_BUFFER, "endless", 7);
	EXPECT_REFUSED(request_send(&r, &ctl, NULL, NULL), EINVAL, "");
	/* Text as long as the message. */
	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_NEW);
	request_put(&r, MAGNET_A_BUFFER, zeros, sizeof(zeros));
	EXPECT(request_send(&r, &ctl, NULL, NULL).error, "512 bytes are a name");
	/* A buffer's events are not urgent. */
	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_NEW);
	request_put_text(&r, MAGNET_A_BUFFER, "malformed");
	request_put_u32(&r, MAGNET_A_FLAGS, MAGNET_F_URGENT);
	EXPECT_REFUSED(request_send(&r, &ctl, NULL, NULL), EINVAL, "reserved bit set");
	EXPECT(!buffer_exists("malformed"), "one of these made a buffer");
}

static void attributes_that_do_not_belong(void)
{
	static const uint8_t changes[] = {
		MAGNET_CMD_BUFFER_NEW, MAGNET_CMD_BUFFER_DEL, MAGNET_CMD_SUB_NEW,
		MAGNET_CMD_SUB_DEL, MAGNET_CMD_SHUTDOWN, MAGNET_CMD_INFO_GET,
	};
	uint32_t zero = 0;
	unsigned int i;

	connect_to_module();
	for (i = 0; i < KTAP_SIZE(changes); i++) {
		EXPECT(with_attr(changes[i], MAGNET_A_MAX + 1, &zero, 4).error == -EINVAL,
		       "command %u takes an unknown attribute", changes[i]);
		EXPECT(with_attr(changes[i], 4095, &zero, 4).error == -EINVAL,
		       "command %u takes an unknown attribute", changes[i]);
		EXPECT(with_attr(changes[i], MAGNET_A_HITS, &zero, 4).error == -EINVAL,
		       "command %u takes a counter", changes[i]);
		EXPECT(*with_attr(changes[i], MAGNET_A_HITS, &zero, 4).text, "and says nothing");
	}
	EXPECT(!buffer_exists("malformed"), "one of these made a buffer");
}

static void messages_that_are_cut_short(void)
{
	struct request r;
	struct nlattr *attr;

	connect_to_module();
	/* An attribute that says it is longer than the message. */
	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_NEW);
	request_put_text(&r, MAGNET_A_BUFFER, "malformed");
	attr = (void *)r.attrs;
	attr->nla_len = 4000;
	EXPECT(request_send(&r, &ctl, NULL, NULL).error == -EINVAL, "it was taken");
	attr->nla_len = 2;
	EXPECT(request_send(&r, &ctl, NULL, NULL).error == -EINVAL, "it was taken");
	/* Bytes after the last attribute. */
	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_NEW);
	request_put_text(&r, MAGNET_A_BUFFER, "malformed");
	r.nl.nlmsg_len += 3;
	EXPECT(request_send(&r, &ctl, NULL, NULL).error == -EINVAL, "it was taken");
	/* Without a header of generic netlink. */
	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_NEW);
	r.nl.nlmsg_len = NLMSG_HDRLEN;
	EXPECT(request_send(&r, &ctl, NULL, NULL).error == -EINVAL, "it was taken");
	EXPECT(!buffer_exists("malformed"), "one of these made a buffer");
}

static void commands_that_do_not_exist(void)
{
	connect_to_module();
	EXPECT_EQ(ask(MAGNET_CMD_UNSPEC).error, -EOPNOTSUPP);
	EXPECT_EQ(ask(MAGNET_CMD_LOSS_NTF).error, -EOPNOTSUPP);
	EXPECT_EQ(ask(MAGNET_CMD_MAX + 1).error, -EOPNOTSUPP);
	EXPECT_EQ(ask(255).error, -EOPNOTSUPP);
	/* Asked for in the wrong way. */
	EXPECT_EQ(ask(MAGNET_CMD_BUFFER_GET).error, -EOPNOTSUPP);
	EXPECT_EQ(ask(MAGNET_CMD_SUB_GET).error, -EOPNOTSUPP);
	EXPECT_EQ(ask(MAGNET_CMD_POINT_GET).error, -EOPNOTSUPP);
	EXPECT_EQ(request_dump(&ctl, MAGNET_CMD_BUFFER_NEW, NULL, NULL).error, -EOPNOTSUPP);
	EXPECT_EQ(request_dump(&ctl, MAGNET_CMD_SHUTDOWN, NULL, NULL).error, -EOPNOTSUPP);
}

static void random_messages(void)
{
	const unsigned int seed = guest_now_us();
	unsigned int i, j;

	printf("# seed %u\n", seed);
	srandom(seed);
	connect_to_module();
	for (i = 0; i < 20000; i++) {
		struct request r;
		const unsigned int attrs = random() % 4;

		request_begin(&r, &ctl, random() % (MAGNET_CMD_MAX + 2));
		if (random() % 4 == 0)
			r.nl.nlmsg_flags |= NLM_F_DUMP;
		for (j = 0; j < attrs; j++) {
			char data[96];
			unsigned int k;

			for (k = 0; k < sizeof(data); k++)
				data[k] = random() % 3 ? "ab.\0"[random() % 4] : random();
			request_put(&r, random() % (MAGNET_A_MAX + 3), data,
				    random() % sizeof(data));
		}
		if (random() % 16 == 0)
			r.nl.nlmsg_len -= random() % (r.nl.nlmsg_len - NLMSG_HDRLEN + 1);
		request_send(&r, &ctl, NULL, NULL);
	}
	EXPECT_DONE(ask(MAGNET_CMD_INFO_GET));
}

/* ---- who may ---- */

static void set_capabilities(uint64_t caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	int i;

	for (i = 0; i < 2; i++) {
		data[i].effective = caps >> (32 * i);
		data[i].permitted = caps >> (32 * i);
	}
	NEED(!syscall(SYS_capset, &header, data), "capset: %s", strerror(errno));
}

static void expect_only_looking(void)
{
	EXPECT_REFUSED(buffer_new("capable"), EPERM, "CAP_PERFMON");
	EXPECT_REFUSED(buffer_del("capable"), EPERM, "CAP_PERFMON");
	EXPECT_REFUSED(sub_new("udp_sendmsg", "capable", 0, NULL), EPERM, "CAP_PERFMON");
	EXPECT_REFUSED(sub_del(1, NULL, NULL), EPERM, "CAP_PERFMON");
	EXPECT_REFUSED(ask(MAGNET_CMD_SHUTDOWN), EPERM, "CAP_PERFMON");
	EXPECT_DONE(ask(MAGNET_CMD_INFO_GET));
	EXPECT_DONE(request_dump(&ctl, MAGNET_CMD_POINT_GET, NULL, NULL));
	EXPECT_DONE(request_dump(&ctl, MAGNET_CMD_BUFFER_GET, NULL, NULL));
	EXPECT_DONE(request_dump(&ctl, MAGNET_CMD_SUB_GET, NULL, NULL));
	EXPECT_DONE(request_dump(&ctl, MAGNET_CMD_DROP_REASON_GET, NULL, NULL));
}

static void no_capability(void)
{
	set_capabilities(0);
	connect_to_module();
	expect_only_looking();
}

static void wrong_capabilities(void)
{
	set_capabilities(~0ULL >> 23 & ~(1ULL << CAP_PERFMON) & ~(1ULL << CAP_SYS_ADMIN));
	connect_to_module();
	expect_only_looking();
}

static void expect_changes(void)
{
	uint32_t id;

	EXPECT_DONE(buffer_new("capable"));
	EXPECT_DONE(sub_new("udp_sendmsg", "capable", 0, &id));
	EXPECT_DONE(sub_del(id, NULL, NULL));
	EXPECT_DONE(buffer_del("capable"));
}

static void perfmon_is_enough(void)
{
	set_capabilities(1ULL << CAP_PERFMON);
	connect_to_module();
	expect_changes();
}

static void sys_admin_is_enough(void)
{
	set_capabilities(1ULL << CAP_SYS_ADMIN);
	connect_to_module();
	expect_changes();
}

/* Neither who opened the socket nor who uses it may lack it. */
static void capability_given_up(void)
{
	connect_to_module();
	set_capabilities(0);
	expect_only_looking();
}

static void user_namespace_gives_nothing(void)
{
	if (unshare(CLONE_NEWUSER))
		guest_skip("this kernel has no user namespaces");
	connect_to_module();
	expect_only_looking();
}

/* Another network's names are its own: the family is not there. */
static void other_network_namespace(void)
{
	NEED(!unshare(CLONE_NEWNET), "unshare: %s", strerror(errno));
	EXPECT_EQ(ctl_open(&ctl), -ENOENT);
}

/* ---- whose it is ---- */

static void end_of_socket_ends_what_it_owns(void)
{
	struct magnet_ctl owner;

	connect_to_module();
	REQUIRE(!ctl_open(&owner), "%s", owner.error);
	REQUIRE(!ctl_buffer_new(&owner, "owned", 0, 0, NULL), "%s", owner.error);
	REQUIRE(!ctl_sub_new(&owner, "udp_sendmsg", "owned", 0, NULL), "%s", owner.error);
	EXPECT(buffer_exists("owned"), "it is not there");
	ctl_close(&owner);
	UNTIL(!buffer_exists("owned"));
	EXPECT(!point_is_on("udp_sendmsg"), "the point is still on");
	EXPECT_EQ(subs_of("owned"), 0);
}

static void killed_client_leaves_nothing_on(void)
{
	pid_t child;
	int ready[2];
	char c;

	connect_to_module();
	REQUIRE(!pipe(ready), "pipe: %s", strerror(errno));
	child = fork();
	if (!child) {
		struct magnet_ctl owner;

		NEED(!ctl_open(&owner), "%s", owner.error);
		NEED(!ctl_buffer_new(&owner, "killed", 0, 0, NULL), "%s", owner.error);
		NEED(!ctl_sub_new(&owner, "udp_sendmsg", "killed", 0, NULL), "%s", owner.error);
		NEED(!ctl_sub_new(&owner, "sched_switch", "killed", 0, NULL), "%s", owner.error);
		NEED(ctl_data_open("killed", 0, 0) >= 0, "no data file");
		NEED(write(ready[1], "", 1) == 1, "pipe");
		for (;;)
			pause();
	}
	REQUIRE(read(ready[0], &c, 1) == 1, "pipe: %s", strerror(errno));
	EXPECT(point_is_on("udp_sendmsg"), "the point is not on");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	UNTIL(!buffer_exists("killed"));
	EXPECT(!point_is_on("udp_sendmsg"), "udp_sendmsg is still on");
	EXPECT(!point_is_on("sched_switch"), "sched_switch is still on");
	EXPECT(!function_is_hooked(), "a function is still hooked");
}

static void look_at_owner(struct attrs attrs, void *arg)
{
	struct census *c = arg;
	struct sockaddr_nl addr;
	socklen_t len = sizeof(addr);

	if (strcmp(attrs_text(attrs, MAGNET_A_BUFFER), c->name))
		return;
	c->found++;
	if (attrs_u32(attrs, MAGNET_A_FLAGS) & MAGNET_F_PERSISTENT) {
		EXPECT(!attrs_has(attrs, MAGNET_A_OWNER), "a persistent one has an owner");
		return;
	}
	NEED(!getsockname(ctl.fd, (struct sockaddr *)&addr, &len), "getsockname");
	EXPECT_EQ(attrs_u32(attrs, MAGNET_A_OWNER), addr.nl_pid);
}

static void owner_is_shown(void)
{
	struct census c = { .name = "mine" };

	connect_to_module();
	EXPECT_DONE(buffer_new("mine"));
	EXPECT_DONE(sub_new("udp_sendmsg", "mine", 0, NULL));
	EXPECT_DONE(sub_new("udp_sendmsg", "mine", MAGNET_F_PERSISTENT, NULL));
	EXPECT_DONE(request_dump(&ctl, MAGNET_CMD_BUFFER_GET, look_at_owner, &c));
	EXPECT_EQ(c.found, 1);
	EXPECT_DONE(request_dump(&ctl, MAGNET_CMD_SUB_GET, look_at_owner, &c));
	EXPECT_EQ(c.found, 3);
}

static void persistent_ones_outlive_the_socket(void)
{
	struct magnet_ctl owner;

	connect_to_module();
	REQUIRE(!ctl_open(&owner), "%s", owner.error);
	REQUIRE(!ctl_buffer_new(&owner, "lasting", 0, MAGNET_F_PERSISTENT, NULL), "%s",
		owner.error);
	REQUIRE(!ctl_sub_new(&owner, "udp_sendmsg", "lasting", MAGNET_F_PERSISTENT, NULL), "%s",
		owner.error);
	REQUIRE(!ctl_sub_new(&owner, "inet_sendmsg", "lasting", 0, NULL), "%s", owner.error);
	REQUIRE(!ctl_buffer_new(&owner, "passing", 0, 0, NULL), "%s", owner.error);
	REQUIRE(!ctl_sub_new(&owner, "udp_rcv", "passing", MAGNET_F_PERSISTENT, NULL), "%s",
		owner.error);
	ctl_close(&owner);
	/* A buffer takes along what logs into it. */
	UNTIL(!buffer_exists("passing"));
	EXPECT(buffer_exists("lasting"), "the persistent buffer is gone");
	EXPECT_EQ(subs_of("lasting"), 1);
	EXPECT(point_is_on("udp_sendmsg"), "the persistent subscription is gone");
	EXPECT(!point_is_on("inet_sendmsg"), "the other one is not gone");
	EXPECT(!point_is_on("udp_rcv"), "a subscription without a buffer");
	/* Anybody who may can end it. */
	EXPECT_DONE(buffer_del("lasting"));
	EXPECT(!point_is_on("udp_sendmsg"), "the point is still on");
}

/* Two clients: the end of one is not the end of the other. */
static void clients_do_not_disturb_each_other(void)
{
	struct magnet_ctl other;

	connect_to_module();
	EXPECT_DONE(buffer_new("one"));
	EXPECT_DONE(sub_new("udp_sendmsg", "one", 0, NULL));
	REQUIRE(!ctl_open(&other), "%s", other.error);
	REQUIRE(!ctl_buffer_new(&other, "two", 0, 0, NULL), "%s", other.error);
	REQUIRE(!ctl_sub_new(&other, "udp_sendmsg", "two", 0, NULL), "%s", other.error);
	/* Into another's buffer, too. */
	REQUIRE(!ctl_sub_new(&other, "udp_rcv", "one", 0, NULL), "%s", other.error);
	EXPECT_EQ(subs_of("one"), 2);
	ctl_close(&other);
	UNTIL(!buffer_exists("two"));
	EXPECT_EQ(subs_of("one"), 1);
	EXPECT(point_is_on("udp_sendmsg"), "the point is off");
	EXPECT(!point_is_on("udp_rcv"), "the point is on");
}

static void shutdown_ends_all(void)
{
	struct sleeper reader;
	struct sensor s;

	sensor_start(&s);
	connect_to_module();
	EXPECT_DONE(buffer_new("also"));
	EXPECT_DONE(sub_new("sched_switch", "also", MAGNET_F_PERSISTENT, NULL));
	sleeper_read(&reader, s.fd);
	EXPECT_DONE(ask(MAGNET_CMD_SHUTDOWN));
	EXPECT_EQ(sleeper_join(&reader), 0);
	EXPECT(!buffer_exists("also") && !buffer_exists(s.buffer), "a buffer is left");
	EXPECT(!guest_file_has(MAGNET_CONTROL "/events", "=on"), "a point is still on");
	/* And all can begin anew. */
	EXPECT_DONE(buffer_new("also"));
}

/* ---- notices ---- */

struct notice {
	unsigned int	count;
	uint64_t	lost;
	char		buffer[MAGNET_NAME_SIZE];
};

static void keep_notice(struct attrs attrs, void *arg)
{
	struct notice *n = arg;

	n->count++;
	n->lost = attrs_u64(attrs, MAGNET_A_LOST);
	snprintf(n->buffer, sizeof(n->buffer), "%s", attrs_text(attrs, MAGNET_A_BUFFER));
}

/* The next notice about the buffer. */
static struct notice wait_for_notice(struct magnet_ctl *listener, const char *buffer)
{
	struct answer unused = {};
	struct notice n = {};

	/* Notices have the number 0. */
	listener->seq = 0;
	do {
		request_receive(listener, keep_notice, &n, &unused);
	} while (strcmp(n.buffer, buffer));
	return n;
}

static void listen_to_notices(struct magnet_ctl *listener)
{
	NEED(!ctl_open(listener), "%s", listener->error);
	NEED(listener->mcgrp, "no group of notices");
	NEED(!setsockopt(listener->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &listener->mcgrp,
			 sizeof(listener->mcgrp)), "group: %s", strerror(errno));
}

static void loss_is_noticed(void)
{
	struct magnet_ctl listener;
	unsigned int fit;
	struct notice n;
	struct sensor s;

	sensor_start(&s);
	listen_to_notices(&listener);
	fit = s.size / records_event_in_ring();
	sensor_emit(fit + 23);
	/* All came at once, but the first may have been told by itself. */
	do {
		n = wait_for_notice(&listener, s.buffer);
		EXPECT(n.lost && n.lost <= 23, "lost %llu", (unsigned long long)n.lost);
	} while (n.lost < 23 && !ktap_complaints);
	data_drain(s.fd);
	sensor_emit(fit + 5);
	do {
		n = wait_for_notice(&listener, s.buffer);
		EXPECT(n.lost > 23 && n.lost <= 28, "lost %llu", (unsigned long long)n.lost);
	} while (n.lost < 28 && !ktap_complaints);
	data_drain(s.fd);
}

/* Within the second after the last notice. */
static void loss_is_noticed_before_the_end(void)
{
	struct magnet_ctl listener;
	struct sensor s;
	uint64_t lost;

	sensor_start(&s);
	listen_to_notices(&listener);
	sensor_emit(s.size / records_event_in_ring() + 1);
	EXPECT_EQ(wait_for_notice(&listener, s.buffer).lost, 1);
	sensor_emit(6);
	/* A CLOCK record would have taken the place of one more. */
	data_drain(s.fd);
	NEED(!ctl_buffer_del(&s.ctl, s.buffer), "%s", s.ctl.error);
	/* More than one notice, if the second was over meanwhile. */
	do {
		lost = wait_for_notice(&listener, s.buffer).lost;
		EXPECT(lost > 1 && lost <= 7, "lost %llu", (unsigned long long)lost);
	} while (lost < 7 && !ktap_complaints);
}

/* Who has no capability may listen. */
static void notices_are_for_everybody(void)
{
	struct magnet_ctl listener;
	struct sensor s;

	sensor_start(&s);
	set_capabilities(0);
	listen_to_notices(&listener);
	sensor_emit(s.size / records_event_in_ring() + 1);
	EXPECT_EQ(wait_for_notice(&listener, s.buffer).lost, 1);
	data_drain(s.fd);
}

/* ---- long dumps ---- */

#define MANY	200

/* How often each one's CPUs were seen; it may go on in a further message. */
struct roll {
	unsigned int cpus[MANY];
};

static void call_buffer(struct attrs attrs, void *arg)
{
	struct roll *roll = arg;
	struct attrs value;
	unsigned int n;
	uint16_t type;

	if (sscanf(attrs_text(attrs, MAGNET_A_BUFFER), "many-%u", &n) != 1 || n >= MANY)
		return;
	while (attrs_next(&attrs, &type, &value))
		roll->cpus[n] += type == MAGNET_A_CPU_STATS;
}

static void expect_all(const struct roll *roll, unsigned int times)
{
	unsigned int n;

	for (n = 0; n < MANY; n++)
		EXPECT(roll->cpus[n] == 2 * times, "number %u: %u CPUs", n, roll->cpus[n]);
}

static void dumps_of_many(void)
{
	static const char *const files[] = {
		MAGNET_CONTROL "/buffers", MAGNET_CONTROL "/filters", MAGNET_CONTROL "/stats",
	};
	/* A point has MAGNET_POINT_SUBS_MAX subscriptions at most. */
	static const char *const points[][2] = {
		{ "udp_sendmsg", "sched_process_exec" }, { "inet_sendmsg", "sched_process_fork" },
		{ "udp_rcv", "sched_process_exit" }, { "udp_enqueue", "tcp_sendmsg" },
	};
	struct roll buffers = {}, subs = {};
	struct answer answer;
	unsigned int n, i;
	uint64_t made;
	char name[32];

	connect_to_module();
	for (n = 0; n < MANY; n++) {
		snprintf(name, sizeof(name), "many-%u", n);
		EXPECT_DONE(buffer_new_size(name, 1, &made));
		for (i = 0; i < 2; i++)
			EXPECT_DONE(sub_new(points[n % KTAP_SIZE(points)][i], name, 0, NULL));
	}
	answer = request_dump(&ctl, MAGNET_CMD_BUFFER_GET, call_buffer, &buffers);
	EXPECT_DONE(answer);
	EXPECT(answer.datagrams > 2, "all in %u datagrams", answer.datagrams);
	EXPECT(!answer.interrupted, "nothing changed, and yet it was interrupted");
	expect_all(&buffers, 1);
	answer = request_dump(&ctl, MAGNET_CMD_SUB_GET, call_buffer, &subs);
	EXPECT_DONE(answer);
	expect_all(&subs, 2);
	/* Files for people have them all as well. */
	for (n = 0; n < MANY; n += MANY / 4) {
		snprintf(name, sizeof(name), "many-%u ", n);
		for (i = 0; i < KTAP_SIZE(files); i++)
			EXPECT(guest_file_has(files[i], name), "%s is not in %s", name, files[i]);
	}
}

/* What changes while a dump is on its way is told. */
static void interrupted_dump_says_so(void)
{
	struct magnet_ctl other;
	struct answer answer = {};
	struct request r;
	unsigned int n;
	uint64_t made;
	char name[32];

	connect_to_module();
	REQUIRE(!ctl_open(&other), "%s", other.error);
	for (n = 0; n < MANY; n++) {
		snprintf(name, sizeof(name), "moment-%u", n);
		EXPECT_DONE(buffer_new_size(name, 1, &made));
	}
	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_GET);
	r.nl.nlmsg_flags |= NLM_F_DUMP;
	request_post(&r, &ctl);
	REQUIRE(request_receive(&ctl, NULL, NULL, &answer), "all came at once");
	REQUIRE(!ctl_buffer_new(&other, "between", 0, 0, NULL), "%s", other.error);
	while (request_receive(&ctl, NULL, NULL, &answer))
		;
	EXPECT_EQ(answer.error, 0);
	EXPECT(answer.interrupted, "the dump does not say that it is of two moments");
}

/* ---- all at the same time ---- */

#define CLIENTS	4
#define ROUNDS	25

static void change_much(const char *name)
{
	struct magnet_ctl own;
	uint32_t id;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		NEED(!ctl_open(&own), "%s", own.error);
		NEED(!ctl_buffer_new(&own, name, 1, 0, NULL), "%s", own.error);
		NEED(!ctl_sub_new(&own, "udp_sendmsg", name, 0, &id), "%s", own.error);
		NEED(!ctl_sub_new(&own, "sched_switch", name, 0, NULL), "%s", own.error);
		NEED(!ctl_sub_del(&own, id, NULL), "%s", own.error);
		if (i % 2)
			NEED(!ctl_buffer_del(&own, name), "%s", own.error);
		ctl_close(&own);
		UNTIL(!buffer_exists(name));
	}
}

static void many_clients_at_once(void)
{
	pid_t clients[CLIENTS];
	int status, i;

	for (i = 0; i < CLIENTS; i++) {
		clients[i] = fork();
		if (!clients[i]) {
			char name[32];

			connect_to_module();
			snprintf(name, sizeof(name), "client-%d", i);
			change_much(name);
			_exit(0);
		}
	}
	connect_to_module();
	for (i = 0; i < 100; i++) {
		EXPECT_DONE(request_dump(&ctl, MAGNET_CMD_SUB_GET, NULL, NULL));
		EXPECT_DONE(request_dump(&ctl, MAGNET_CMD_POINT_GET, NULL, NULL));
		sensor_emit(10);
	}
	for (i = 0; i < CLIENTS; i++) {
		waitpid(clients[i], &status, 0);
		EXPECT(!status, "client %d failed", i);
	}
	EXPECT(!guest_file_has(MAGNET_CONTROL "/events", "=on"), "a point is still on");
}

static const struct ktap_test tests[] = {
	KTAP_TEST(info),
	KTAP_TEST(ftrace_that_is_off_is_told),
	KTAP_TEST(points_are_listed),
	KTAP_TEST(reasons_of_drops_are_listed),
	KTAP_TEST(format_has_words_of_this_kernel),
	KTAP_TEST(points_are_on_while_subscribed),
	KTAP_TEST(buffer_sizes_are_rounded_up),
	KTAP_TEST(memory_is_limited),
	KTAP_TEST(buffer_names),
	KTAP_TEST(buffer_has_its_files),
	KTAP_TEST(buffer_end_ends_its_subscriptions),
	KTAP_TEST(two_subscriptions_log_twice),
	KTAP_TEST(two_buffers_get_the_same),
	KTAP_TEST(end_of_a_subscription_has_its_counters),
	KTAP_TEST(bad_subscriptions),
	KTAP_TEST(attributes_of_wrong_type_or_length),
	KTAP_TEST(attributes_that_do_not_belong),
	KTAP_TEST(messages_that_are_cut_short),
	KTAP_TEST(commands_that_do_not_exist),
	KTAP_TEST(random_messages),
	KTAP_TEST(no_capability),
	KTAP_TEST(wrong_capabilities),
	KTAP_TEST(perfmon_is_enough),
	KTAP_TEST(sys_admin_is_enough),
	KTAP_TEST(capability_given_up),
	KTAP_TEST(user_namespace_gives_nothing),
	KTAP_TEST(other_network_namespace),
	KTAP_TEST(end_of_socket_ends_what_it_owns),
	KTAP_TEST(killed_client_leaves_nothing_on),
	KTAP_TEST(owner_is_shown),
	KTAP_TEST(persistent_ones_outlive_the_socket),
	KTAP_TEST(clients_do_not_disturb_each_other),
	KTAP_TEST(shutdown_ends_all),
	KTAP_TEST(loss_is_noticed),
	KTAP_TEST(loss_is_noticed_before_the_end),
	KTAP_TEST(notices_are_for_everybody),
	KTAP_TEST(dumps_of_many),
	KTAP_TEST(interrupted_dump_says_so),
	KTAP_TEST(many_clients_at_once),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
