// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dynamic points: every kind of hook, exact counts and known values, what bad
 * definitions are told, and removal while they fire.
 *
 * The events are calls of sched_get_priority_max(2), which nobody else makes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "guest.h"
#include "processor.h"
#include "request.h"
#include "sensor.h"

#define CALLS		1009	/* a prime */
#define CALLED		SYS_FUNCTION "sched_get_priority_max"
/* Its first argument points to the caller's registers, and this is the first argument in them. */
#define USER_FIRST	USER_ARG1 "($arg1)"
#define KPROBES_LIST	"/sys/kernel/debug/kprobes/list"

static struct sensor s;
static char point[MAGNET_NAME_SIZE];

static long call(long policy)
{
	return syscall(SYS_sched_get_priority_max, policy);
}

static void call_often(unsigned int n)
{
	while (n--)
		call(SCHED_FIFO);
}

/* Insert a point and subscribe to it; this thread and the file are on CPU 0. */
static void insert(const char *definition)
{
	NEED(!ctl_point_insert(&s.ctl, NULL, definition, 0, point), "%s: %s", definition,
	     s.ctl.error);
	sensor_subscribe(&s, point, 0);
}

static void start(const char *definition)
{
	sensor_make(&s, 1 << 20);
	insert(definition);
	sensor_open(&s, 0);
	guest_on_cpu(0);
}

static struct magnet_ctl_counters stop(void)
{
	struct magnet_ctl_counters c;

	NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	return c;
}

static void expect_equation(const struct magnet_ctl_counters *c)
{
	EXPECT_EQ(c->hits, c->committed + c->filtered + c->sampled_out + c->dropped_full +
		  c->dropped_big + c->dropped_recursion);
}

/* ---- what was logged ---- */

static char data[1 << 20];
static size_t length;

/* All that this thread logged, one record after the other. */
static unsigned int own_events(struct record *to, unsigned int room)
{
	const struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	const void *at = data;
	unsigned int n = 0;
	struct record rec;
	ssize_t got;

	attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
	got = preadv2(s.fd, &iov, 1, -1, RWF_NOWAIT);
	NEED(got > 0, "read: %s", strerror(errno));
	length = got;
	while (records_next(&at, data + length, &rec)) {
		if (rec.event == MAGNET_EVENT_CLOCK || rec.event == MAGNET_EVENT_LOST)
			continue;
		if (records_classic() ? (pid_t)rec.tgid != getpid() :
					(pid_t)rec.tid != guest_tid())
			continue;
		if (n < room)
			to[n] = rec;
		n++;
	}
	return n;
}

static uint64_t number(const struct record *rec, unsigned int offset, unsigned int size)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)rec->payload + offset, size);
	return value;
}

static const char *text(const struct record *rec, unsigned int offset)
{
	return (const char *)rec->payload + offset;
}

/* The only event of this thread. */
static struct record the_event(void)
{
	struct record rec[2];

	NEED(own_events(rec, 2) == 1, "not one event");
	return rec[0];
}

/* ---- the event database ---- */

struct info {
	const char	*name;
	unsigned int	found;
	uint32_t	mechanism;
	uint32_t	hook;
	uint32_t	event;
	uint64_t	missed;
	char		definition[MAGNET_DEFINITION_SIZE];
};

static void read_info(struct attrs attrs, void *arg)
{
	struct info *info = arg;

	if (strcmp(attrs_text(attrs, MAGNET_A_POINT), info->name))
		return;
	info->found++;
	info->mechanism = attrs_u32(attrs, MAGNET_A_MECHANISM);
	info->hook = attrs_u32(attrs, MAGNET_A_HOOK);
	info->event = attrs_u16(attrs, MAGNET_A_EVENT);
	info->missed = attrs_u64(attrs, MAGNET_A_MISSED);
	if (attrs_has(attrs, MAGNET_A_DEFINITION))
		snprintf(info->definition, sizeof(info->definition), "%s",
			 attrs_text(attrs, MAGNET_A_DEFINITION));
}

static struct info info_of(const char *name)
{
	struct info info = { .name = name };

	NEED(!request_dump(&s.ctl, MAGNET_CMD_POINT_GET, read_info, &info).error, "dump");
	return info;
}

/* ---- counts ---- */

static void expect_exact(const char *definition, uint32_t mechanism)
{
	struct magnet_ctl_counters c;
	struct info info;

	start(definition);
	info = info_of(point);
	EXPECT_EQ(info.found, 1);
	EXPECT_EQ(info.mechanism, mechanism);
	EXPECT_EQ(info.hook, mechanism == MAGNET_MECHANISM_FTRACE ? MAGNET_HOOK_FTRACE :
								    ENTRY_HOOK);
	EXPECT(!strcmp(info.definition, definition), "the definition is \"%s\"", info.definition);
	call_often(CALLS);
	c = stop();
	EXPECT_EQ(c.hits, CALLS);
	EXPECT_EQ(c.committed, CALLS);
	EXPECT_EQ(c.missed, 0);
	EXPECT_EQ(own_events(NULL, 0), CALLS);
	EXPECT_EQ(info_of(point).hook, MAGNET_HOOK_NONE);
	call_often(CALLS);
	sensor_subscribe(&s, point, 0);
	EXPECT_EQ(stop().hits, 0);
}

static void function_entry_is_exact(void)
{
	expect_exact("f:" CALLED, MAGNET_MECHANISM_FTRACE);
}

static void kprobe_is_exact(void)
{
	expect_exact("p:" CALLED, MAGNET_MECHANISM_KPROBE);
}

static void kretprobe_is_exact(void)
{
	expect_exact("r:" CALLED, MAGNET_MECHANISM_KRETPROBE);
}

/* The first instruction behind the entry's call that takes a probe. */
static bool insert_inside(const char *function, unsigned int from, unsigned int *at)
{
	char definition[128];

	for (*at = from; *at < from + 16; ++*at) {
		snprintf(definition, sizeof(definition), "p:%s+%u", function, *at);
		if (!ctl_point_insert(&s.ctl, NULL, definition, 0, point)) {
			sensor_subscribe(&s, point, 0);
			return true;
		}
	}
	return false;
}

static void kprobe_inside_is_exact(void)
{
	struct magnet_ctl_counters c;
	unsigned int at;
	uint32_t hook;

	sensor_make(&s, 1 << 20);
	REQUIRE(insert_inside(CALLED, 9, &at), "no instruction takes a probe");
	hook = info_of(point).hook;
	EXPECT(hook == MAGNET_HOOK_BREAKPOINT || hook == MAGNET_HOOK_JUMP, "the hook is %u", hook);
	call_often(CALLS);
	c = stop();
	EXPECT_EQ(c.hits, CALLS);
	EXPECT_EQ(c.committed, CALLS);
}

static void tracepoint_is_exact(void)
{
	static struct record rec[CALLS + 64];
	unsigned int i, n, found = 0;

	start("t:sys_enter nr=$arg2:u32 first=" USER_FIRST);
	EXPECT_EQ(info_of(point).mechanism, MAGNET_MECHANISM_TRACEPOINT);
	EXPECT_EQ(info_of(point).hook, MAGNET_HOOK_TRACEPOINT);
	call_often(CALLS);
	stop();
	n = own_events(rec, CALLS + 64);
	for (i = 0; i < n && i < CALLS + 64; i++)
		found += number(&rec[i], 0, 4) == SYS_sched_get_priority_max &&
			 number(&rec[i], 8, 8) == SCHED_FIFO;
	EXPECT_EQ(found, CALLS);
}

static void all_kinds_at_once(void)
{
	static const char * const definitions[] = {
		"f:" CALLED, "p:" CALLED, "r:" CALLED, "f:" CALLED " $arg1",
		"p:" CALLED " " REGISTER_IP,
	};
	char names[5][MAGNET_NAME_SIZE], name[8];
	struct magnet_ctl_counters c;
	uint32_t ids[5];
	unsigned int i;

	sensor_make(&s, 1 << 20);
	for (i = 0; i < 5; i++) {
		snprintf(name, sizeof(name), "all%u", i);
		NEED(!ctl_point_insert(&s.ctl, name, definitions[i], 0, names[i]), "%s",
		     s.ctl.error);
		sensor_subscribe(&s, names[i], 0);
		ids[i] = s.sub;
	}
	call_often(CALLS);
	for (i = 0; i < 5; i++) {
		NEED(!ctl_sub_del(&s.ctl, ids[i], &c), "%s", s.ctl.error);
		EXPECT_EQ(c.hits, CALLS);
		EXPECT_EQ(c.committed, CALLS);
	}
}

/* ---- values ---- */

static void integers_of_all_sizes(void)
{
	struct record rec;

	start("f:" CALLED " a=" USER_FIRST ":u8 b=" USER_FIRST ":u16 c=" USER_FIRST ":u32 d="
	      USER_FIRST ":u64 e=" USER_ARG1_4 "($arg1):x16 f=" USER_FIRST ":s8 g=" USER_ARG1_7
	      "($arg1):u8");
	call(0x1122334455667788);
	stop();
	rec = the_event();
	EXPECT_EQ(rec.size, records_header_size() + 24);
	EXPECT_EQ(number(&rec, 0, 1), 0x88);
	EXPECT_EQ(number(&rec, 2, 2), 0x7788);
	EXPECT_EQ(number(&rec, 4, 4), 0x55667788);
	EXPECT_EQ(number(&rec, 8, 8), 0x1122334455667788);
	EXPECT_EQ(number(&rec, 16, 2), 0x3344);
	EXPECT_EQ(number(&rec, 18, 1), 0x88);
	EXPECT_EQ(number(&rec, 19, 1), 0x11);
	EXPECT_EQ(number(&rec, 20, 4), 0);
}

static void format_describes_the_fields(void)
{
	char line[256];

	start("f:" CALLED " a=" USER_FIRST ":u8 c=" USER_FIRST ":u32 $arg2 n=+8(+16($arg3)):string +0($arg4):char[16]");
	snprintf(line, sizeof(line),
		 "event 0x%03x %s dynamic size %zu abstract_id none fields a:u8@%zu c:u32@%zu arg2:u64@%zu n:char[64]@%zu field5:char[16]@%zu\n",
		 info_of(point).event, point, records_header_size() + 96, records_header_size(),
		 records_header_size() + 4, records_header_size() + 8, records_header_size() + 16,
		 records_header_size() + 80);
	EXPECT(guest_file_has(MAGNET_CONTROL "/format", line), "no line %s", line);
	snprintf(line, sizeof(line), "0x%03x %s dynamic ftrace 1 %s=on\n", info_of(point).event,
		 point, CALLED);
	EXPECT(guest_file_has(MAGNET_CONTROL "/events", line), "no line %s", line);
	ctl_point_remove(&s.ctl, point);
	EXPECT(!guest_file_has(MAGNET_CONTROL "/events", point), "it is still there");
	EXPECT(!guest_file_has(MAGNET_CONTROL "/format", point), "it is still there");
}

static void registers_and_arguments_agree(void)
{
	struct record rec;

	start("p:" CALLED " $arg1 " REGISTER_1 " $arg2 " REGISTER_2 " $arg3 " REGISTER_3
	      " $arg6 " REGISTER_6 " %sp");
	call(SCHED_FIFO);
	stop();
	rec = the_event();
	EXPECT(number(&rec, 0, 8) >> 63, "no kernel address: %llx",
	       (long long)number(&rec, 0, 8));
	EXPECT_EQ(number(&rec, 0, 8), number(&rec, 8, 8));
	EXPECT_EQ(number(&rec, 16, 8), number(&rec, 24, 8));
	EXPECT_EQ(number(&rec, 32, 8), number(&rec, 40, 8));
	EXPECT_EQ(number(&rec, 48, 8), number(&rec, 56, 8));
	EXPECT(number(&rec, 64, 8) >> 63, "no stack");
}

/* The address of the caller's own memory, and no address at all. */
static void unreadable_memory_is_no_fault(void)
{
	static const char words[] = "a text of the caller";
	struct record rec;

	start("f:" CALLED " user=+0(" USER_FIRST "):string value=+0(" USER_FIRST
	      "):u32 null=+0(" USER_ARG2 "($arg1)):u64 deep=+8(-16(" USER_ARG2
	      "($arg1))):char[8]");
	syscall(SYS_sched_get_priority_max, words, NULL);
	stop();
	rec = the_event();
	EXPECT(!strcmp(text(&rec, 0), "(fault)"), "the text is \"%s\"", text(&rec, 0));
	EXPECT_EQ(number(&rec, 64, 4), 0);
	EXPECT_EQ(number(&rec, 72, 8), 0);
	EXPECT(!strcmp(text(&rec, 80), "(fault)"), "the text is \"%s\"", text(&rec, 80));
}

static void expect_path(const char *path)
{
	static struct record rec[64];
	char expected[64];
	unsigned int i, n;

	snprintf(expected, sizeof(expected), "%s", path);
	open(path, O_RDONLY);
	n = own_events(rec, 64);
	for (i = 0; i < n && i < 64; i++)
		if (!strcmp(text(&rec[i], 0), expected)) {
			EXPECT_EQ(strlen(text(&rec[i], 64)), strnlen(path, 7));
			EXPECT(!strncmp(text(&rec[i], 64), path, 7), "it is \"%s\"",
			       text(&rec[i], 64));
			return;
		}
	FAIL("\"%s\" is not among %u texts", expected, n);
}

/* What opens files; its second argument is a struct filename. Newest kernels name it anew. */
static const char *opener(void)
{
	if (ctl_point_insert(&s.ctl, NULL, "f:do_filp_open", 0, point))
		return "do_file_open";
	NEED(!ctl_point_remove(&s.ctl, point), "%s", s.ctl.error);
	return "do_filp_open";
}

/* struct filename begins with the name. */
static void strings_are_what_they_were(void)
{
	char path[200] = "/", definition[128];
	unsigned int i;

	sensor_make(&s, 1 << 20);
	snprintf(definition, sizeof(definition),
		 "f:%s name=+0(+0($arg2)):string short=+0(+0($arg2)):char[8]", opener());
	insert(definition);
	sensor_open(&s, 0);
	guest_on_cpu(0);
	for (i = 1; i < 140; i++) {
		path[i] = 'a' + i % 26;
		path[i + 1] = '\0';
		expect_path(path);
	}
}

static void return_values(void)
{
	static const struct { long policy, result; } calls[] = {
		{ SCHED_FIFO, 99 }, { SCHED_OTHER, 0 }, { 12345, -EINVAL },
	};
	struct record rec[4];
	unsigned int i;

	start("r:" CALLED " $retval:s64 policy=" USER_FIRST ":s32 low=$retval:u8");
	for (i = 0; i < 3; i++)
		call(calls[i].policy);
	stop();
	REQUIRE_EQ(own_events(rec, 4), 3);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(number(&rec[i], 8, 8), calls[i].result);
		EXPECT_EQ(number(&rec[i], 16, 4), calls[i].policy);
		EXPECT_EQ(number(&rec[i], 20, 1), calls[i].result & 0xff);
	}
}

static uint64_t timer_khz(void)
{
	return guest_file_number(MAGNET_CONTROL "/clock", "khz");
}

/* The call sleeps at least so long; from outside it lasted so long. */
static void latency_is_plausible(void)
{
	const struct timespec nap = { .tv_nsec = 20000000 };
	uint64_t before, after, ticks;
	struct record rec;
	sigset_t none;

	sigemptyset(&none);
	start("r:" SYS_FUNCTION "rt_sigtimedwait");
	before = guest_now_us();
	syscall(SYS_rt_sigtimedwait, &none, NULL, &nap, 8);
	after = guest_now_us();
	stop();
	rec = the_event();
	ticks = number(&rec, 0, 8);
	EXPECT(ticks >= 20 * timer_khz(), "%llu ticks are less than it slept",
	       (long long)ticks);
	EXPECT(ticks <= (after - before + 1) * timer_khz() / 1000 + timer_khz(),
	       "%llu ticks are longer than %llu us", (long long)ticks,
	       (long long)(after - before));
}

/* ---- misses ---- */

static void *wait_for_signal(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	__atomic_store_n((pid_t *)arg, guest_tid(), __ATOMIC_RELEASE);
	syscall(SYS_rt_sigtimedwait, &set, NULL, NULL, 8);
	return NULL;
}

/* With room for one call, those that come meanwhile are missed, and counted. */
static void missed_returns_are_counted(void)
{
	const struct timespec now = {};
	struct magnet_ctl_counters c;
	sigset_t set, none;
	pthread_t thread;
	pid_t tid = 0;
	int i;

	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	start("r1:" SYS_FUNCTION "rt_sigtimedwait");
	NEED(!pthread_create(&thread, NULL, wait_for_signal, &tid), "no thread");
	UNTIL(__atomic_load_n(&tid, __ATOMIC_ACQUIRE) &&
	      guest_sleeps_in(tid, SYS_rt_sigtimedwait));
	for (i = 0; i < 5; i++)
		syscall(SYS_rt_sigtimedwait, &none, NULL, &now, 8);
	EXPECT_EQ(info_of(point).missed, 5);
	EXPECT(guest_file_has(MAGNET_CONTROL "/stats", " missed 5\n"), "not in stats");
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
	c = stop();
	EXPECT_EQ(c.hits, 1);
	EXPECT_EQ(c.missed, 5);
	expect_equation(&c);
}

/* ---- how the kernel really does it ---- */

static bool kernel_says_optimized(const char *function, unsigned int offset)
{
	char place[128], line[512];
	FILE *file = fopen(KPROBES_LIST, "r");
	bool found = false;

	NEED(file, "no " KPROBES_LIST);
	snprintf(place, sizeof(place), "%s+0x%x ", function, offset);
	while (fgets(line, sizeof(line), file))
		found |= strstr(line, place) && strstr(line, "[OPTIMIZED]");
	fclose(file);
	return found;
}

/* Not every instruction can be replaced; of sixteen some can. */
static void jump_is_told_where_there_is_one(void)
{
	const char *function;
	unsigned int at = 9, jumps = 0, tries, i;

	if (!PROBES_BECOME_JUMPS)
		guest_skip("this kernel puts no jump in place of a probe");
	sensor_make(&s, 1 << 16);
	function = opener();
	for (i = 0; i < 16 && insert_inside(function, at, &at); i++, at++) {
		for (tries = 0; tries < 20 && info_of(point).hook != MAGNET_HOOK_JUMP; tries++)
			usleep(50000);
		if (info_of(point).hook == MAGNET_HOOK_JUMP) {
			jumps++;
			EXPECT(kernel_says_optimized(function, at), "the kernel says no");
			EXPECT(guest_file_has(MAGNET_CONTROL "/events", "kprobe/jump 1"),
			       "not in control/events");
			break;
		}
		EXPECT(!kernel_says_optimized(function, at), "the kernel says yes");
		stop();
	}
	EXPECT(jumps, "no probe was optimised");
}

/* ---- refusals ---- */

static struct answer ask(const char *name, const char *definition)
{
	struct request r;

	request_begin(&r, &s.ctl, MAGNET_CMD_POINT_INSERT);
	if (name)
		request_put_text(&r, MAGNET_A_POINT, name);
	if (definition)
		request_put_text(&r, MAGNET_A_DEFINITION, definition);
	return request_send(&r, &s.ctl, NULL, NULL);
}

static void expect_refused(const char *definition, int code, const char *words)
{
	const struct answer a = ask(NULL, definition);

	EXPECT(a.error == -code, "%s: the answer is \"%s\", not \"%s\"", definition,
	       strerror(-a.error), strerror(code));
	EXPECT(!strcmp(a.text, words), "%s: the text is \"%s\", not \"%s\"", definition, a.text,
	       words);
}

#define NO_KIND		"a definition is p:, r:, f: or t: and a place, and then fields, such as p:vfs_read len=$arg3:u32"
#define NO_SYMBOL	"no such symbol: it does not exist, or the compiler has inlined it; see /proc/kallsyms, and take a function that calls it"
#define NO_FIELD	"a field is [name=]$argN, $retval, %register or +offset(...), and then :type"
#define NO_TYPE		"a type is u8 to u64, s8 to s64, x8 to x64, string, or char[8] to char[248] in steps of 8"
#define NO_ARGUMENT	"a function has $arg1 to $arg6"
#define NO_OFFSET	"an offset is a number behind the function's name and +"
#define NO_ADDRESS	"an address is 0x and up to 16 hexadecimal digits"
#define NOT_PROBEABLE	"not probeable: no code, or code that the kernel does not let probe (kprobes/blacklist in debugfs); choose another function"
#define NO_TRACEPOINT	"neither the kernel nor a module that is loaded has a tracepoint of this name; tracefs lists it in available_events; MODULE:NAME waits for the module"
#define NO_PLACE	"the definition names no function; it comes behind the colon, as in p:vfs_read"
#define NO_CALLS	"rN: N calls at once are 1 to 4096; without N there are enough for most functions"
#define NO_REGISTER	"this machine has no register of this name; they are those of struct pt_regs"
#define TOO_DEEP	"no more than 4 reads, one inside the other; read what is further away from another point"
#define SAME_NAME	"two fields have the same name; give one another, NAME=..."
#define TOO_LARGE	"the fields take more than 256 bytes together; leave some out, or take shorter types"
#define NO_REGISTERS	"registers are known to kprobes and return points only; use $argN, or p:"
#define NO_RETVAL	"$retval is known to return points only; use r:"
#define NO_NAME		"a field's name is letters, digits and _, no digit first, up to 31"

static void bad_definitions(void)
{
	static const struct { const char *definition; int code; const char *words; } bad[] = {
		{ "", EINVAL, NO_KIND },
		{ "   ", EINVAL, NO_KIND },
		{ "vfs_read", EINVAL, NO_KIND },
		{ ":vfs_read", EINVAL, NO_KIND },
		{ "x:vfs_read", EINVAL, NO_KIND },
		{ "pp:vfs_read", EINVAL, NO_KIND },
		{ "p", EINVAL, NO_KIND },
		{ "p:", EINVAL, NO_PLACE },
		{ "p:+8", EINVAL, NO_OFFSET },
		{ "p:vfs_read+", EINVAL, NO_OFFSET },
		{ "p:vfs_read+x", EINVAL, NO_OFFSET },
		{ "p:0x", EINVAL, NO_ADDRESS },
		{ "p:0xfffffffffffffffff", EINVAL, NO_ADDRESS },
		{ "r0:vfs_read", EINVAL, NO_CALLS },
		{ "r4097:vfs_read", EINVAL, NO_CALLS },
		{ "rx:vfs_read", EINVAL, NO_CALLS },
		{ "r:vfs_read+9", EINVAL, "r: and f: are of whole functions: no offset; use p:" },
		{ "f:vfs_read+9", EINVAL, "r: and f: are of whole functions: no offset; use p:" },
		{ "t:no_such_tracepoint", ENOENT, NO_TRACEPOINT },
		{ "t:", ENOENT, NO_TRACEPOINT },
		{ "p:vfs_read 1", EINVAL, NO_FIELD },
		{ "p:vfs_read $", EINVAL, NO_FIELD },
		{ "p:vfs_read $comm", EINVAL, NO_FIELD },
		{ "p:vfs_read =", EINVAL, NO_NAME },
		{ "p:vfs_read a=", EINVAL, NO_FIELD },
		{ "p:vfs_read 1a=$arg1", EINVAL, NO_NAME },
		{ "p:vfs_read a-b=$arg1", EINVAL, NO_NAME },
		{ "p:vfs_read a23456789a123456789a123456789a12=$arg1", EINVAL, NO_NAME },
		{ "p:vfs_read $arg0", EINVAL, NO_ARGUMENT },
		{ "p:vfs_read $arg7", EINVAL, NO_ARGUMENT },
		{ "p:vfs_read $arg", EINVAL, NO_ARGUMENT },
		{ "p:vfs_read $argx", EINVAL, NO_ARGUMENT },
		{ "p:vfs_read $arg-1", EINVAL, NO_ARGUMENT },
		{ "t:sys_enter $arg6", EINVAL, "a tracepoint has $arg1 to $arg5" },
		{ "p:vfs_read $retval", EINVAL, NO_RETVAL },
		{ "f:vfs_read $retval", EINVAL, NO_RETVAL },
		{ "t:sys_enter $retval", EINVAL, NO_RETVAL },
		{ "p:vfs_read %xyz", EINVAL, NO_REGISTER },
		{ "p:vfs_read %", EINVAL, NO_REGISTER },
		{ "f:vfs_read " REGISTER_1, EINVAL, NO_REGISTERS },
		{ "t:sys_enter " REGISTER_1, EINVAL, NO_REGISTERS },
		{ "p:vfs_read +8", EINVAL,
		  "an offset is followed by what it is added to, in parentheses" },
		{ "p:vfs_read +x($arg1)", EINVAL, "an offset is a number of 32 bits" },
		{ "p:vfs_read +($arg1)", EINVAL, "an offset is a number of 32 bits" },
		{ "p:vfs_read +2147483648($arg1)", EINVAL, "an offset is a number of 32 bits" },
		{ "p:vfs_read +8($arg1", EINVAL, "a parenthesis is not closed" },
		{ "p:vfs_read +8(", EINVAL, "a parenthesis is not closed" },
		{ "p:vfs_read +8(+8($arg1)", EINVAL, "a parenthesis is not closed" },
		{ "p:vfs_read +8()", EINVAL, NO_FIELD },
		{ "p:vfs_read +8($arg1))", EINVAL, NO_ARGUMENT },
		{ "p:vfs_read +1(+1(+1(+1(+1($arg1)))))", EINVAL,
		  TOO_DEEP },
		{ "p:vfs_read $arg1:", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:u", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:u7", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:u128", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:u-8", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:i32", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:strings", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:char[0]", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:char[9]", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:char[256]", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:char[8", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1:char[8]x", EINVAL, NO_TYPE },
		{ "p:vfs_read $arg1 $arg1", EINVAL, SAME_NAME },
		{ "r:vfs_read latency=$arg1", EINVAL, SAME_NAME },
		{ "p:vfs_read a=$arg1:char[248] b=$arg1:u8 c=$arg1:u64", EINVAL,
		  TOO_LARGE },
		{ "t:sys_enter a=$arg1 b=$arg1 c=$arg1 d=$arg1 e=$arg1 f=$arg1 g=$arg1 h=$arg1 i=$arg1 j=$arg1 k=$arg1 l=$arg1 m=$arg1 n=$arg1 o=$arg1 p=$arg1 q=$arg1:u8",
		  EINVAL, "no more than 16 fields; leave some out" },
	};
	unsigned int i;

	sensor_make(&s, 0);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect_refused(bad[i].definition, bad[i].code, bad[i].words);
	EXPECT(!guest_file_has(MAGNET_CONTROL "/events", "dynamic"), "a point was made");
}

static void arguments_inside_a_function(void)
{
	unsigned int at;
	char bad[128];

	sensor_make(&s, 0);
	REQUIRE(insert_inside(CALLED, 9, &at), "no instruction takes a probe");
	snprintf(bad, sizeof(bad), "p:" CALLED "+%u $arg1", at);
	expect_refused(bad, EINVAL,
		       "$argN is known at a function's entry only; name a register here");
}

/* ---- symbols ---- */

struct symbol {
	char	name[256];
	char	type;
};

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

/* The functions of the kernel itself, by name. */
static unsigned int read_symbols(struct symbol **symbols)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned int n = 0, room = 0;
	char line[1024], module;

	NEED(file, "no kallsyms");
	*symbols = NULL;
	while (fgets(line, sizeof(line), file)) {
		struct symbol *to;

		if (n == room) {
			room += 65536;
			*symbols = realloc(*symbols, room * sizeof(**symbols));
		}
		to = &(*symbols)[n];
		if (sscanf(line, "%*s %c %255s [%c", &to->type, to->name, &module) == 2 &&
		    (to->type == 't' || to->type == 'T'))
			n++;
	}
	fclose(file);
	qsort(*symbols, n, sizeof(**symbols), compare);
	return n;
}

static void ambiguous_symbols(void)
{
	struct symbol *all;
	unsigned int n, i, found = 0;
	char definition[300];

	sensor_make(&s, 0);
	n = read_symbols(&all);
	for (i = 1; i + 1 < n && found < 3; i++) {
		if (strcmp(all[i].name, all[i - 1].name) ||
		    !strcmp(all[i].name, all[i + 1].name) ||
		    strchr(all[i].name, '.') || !strncmp(all[i].name, "__pfx", 5))
			continue;
		snprintf(definition, sizeof(definition), "p:%s", all[i].name);
		expect_refused(definition, EADDRNOTAVAIL,
			       "the symbol is ambiguous: several functions have this name; give the address of one (/proc/kallsyms)");
		found++;
	}
	EXPECT(found, "this kernel has none");
	free(all);
}

/* The compiler changed a function so much that its name got an end. */
static void variants_of_symbols(void)
{
	unsigned int n, i, found = 0;
	struct symbol *all, base;
	char definition[300];
	char *dot;

	sensor_make(&s, 0);
	n = read_symbols(&all);
	for (i = 0; i < n && found < 3; i++) {
		base = all[i];
		dot = strstr(base.name, ".isra.");
		if (!dot)
			dot = strstr(base.name, ".constprop.");
		if (!dot || !strncmp(base.name, "__pfx", 5))
			continue;
		*dot = '\0';
		if (bsearch(&base, all, n, sizeof(*all), compare))
			continue;
		snprintf(definition, sizeof(definition), "p:%s", base.name);
		expect_refused(definition, ENOENT,
			       "no such symbol, but the compiler made variants of it (name.isra.0, name.constprop.0, name.part.0, name.cold): see /proc/kallsyms");
		found++;
	}
	EXPECT(found, "this kernel has none");
	free(all);
}

/* A function that the kernel does not let probe. */
static bool blacklisted(char *name)
{
	FILE *file = fopen("/sys/kernel/debug/kprobes/blacklist", "r");
	char line[512];
	bool found = false;

	NEED(file, "no blacklist");
	while (!found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%*s %200s", name) == 1 &&
			!strncmp(name, FAULT_HANDLERS, strlen(FAULT_HANDLERS));
	fclose(file);
	return found;
}

static void symbols_that_take_no_probe(void)
{
	char definition[256] = "p:", name[201];

	sensor_make(&s, 0);
	expect_refused("p:no_such_function", ENOENT, NO_SYMBOL);
	expect_refused("f:no_such_function", ENOENT, NO_SYMBOL);
	expect_refused("r:no_such_function", ENOENT, NO_SYMBOL);
	expect_refused("p:no_such_module:function", ENOENT, NO_SYMBOL);
	expect_refused("p:vfs_read+0x100000", ERANGE, "the offset is behind the end of the function; choose a smaller one");
	expect_refused("p:vfs_read+1", EILSEQ, "no instruction starts there; take an offset of the disassembled function (objdump -d)");
	/* Data has symbols with CONFIG_KALLSYMS_ALL only, which Debian's for arm64 has not. */
	if (guest_symbol("jiffies"))
		expect_refused("p:jiffies", EINVAL, NOT_PROBEABLE);
	else
		expect_refused("p:jiffies", ENOENT, NO_SYMBOL);
	expect_refused("p:0x1000", EINVAL, NOT_PROBEABLE);
	REQUIRE(blacklisted(name), "the blacklist is empty");
	strcat(definition, name);
	expect_refused(definition, EINVAL, NOT_PROBEABLE);
}

static void the_sensor_itself(void)
{
	sensor_make(&s, 0);
	expect_refused("p:magnet_ring_drop", EINVAL,
		       "not probeable: the sensor does not probe itself; choose a function of the kernel, or of another module");
	expect_refused("p:magnet_ring_drop+9", EINVAL,
		       "not probeable: the sensor does not probe itself; choose a function of the kernel, or of another module");
	expect_refused("f:magnet:magnet_subscribe", EINVAL,
		       "not probeable: the sensor does not probe itself; choose a function of the kernel, or of another module");
	expect_refused("r:magnet_subscribe", EINVAL,
		       "not probeable: the sensor does not probe itself; choose a function of the kernel, or of another module");
}

/* An address stands for what has no name of its own. */
static void addresses(void)
{
	struct magnet_ctl_counters c;
	char definition[64];

	snprintf(definition, sizeof(definition), "f:0x%llx", guest_symbol(CALLED));
	start(definition);
	call_often(CALLS);
	c = stop();
	EXPECT_EQ(c.hits, CALLS);
}

/* ---- all kprobes of the machine are switched off ---- */

#define KPROBES_ENABLED	"/sys/kernel/debug/kprobes/enabled"

static uint32_t kprobes_disabled(void)
{
	return request_info_u32(&s.ctl, MAGNET_A_KPROBES_DISABLED);
}

static void switch_kprobes(const char *on)
{
	NEED(guest_write_file(KPROBES_ENABLED, on), KPROBES_ENABLED ": %s", strerror(errno));
}

/* Nothing of a point changes by it, so whoever asks is told. */
static void expect_told_when_disabled(const char *definition)
{
	struct magnet_ctl_counters c;

	start(definition);
	EXPECT_EQ(kprobes_disabled(), 0);
	call_often(CALLS);
	switch_kprobes("0");
	EXPECT_EQ(kprobes_disabled(), 1);
	call_often(CALLS);
	switch_kprobes("1");
	EXPECT_EQ(kprobes_disabled(), 0);
	call_often(CALLS);
	c = stop();
	EXPECT_EQ(c.hits, 2 * CALLS);
}

static void kprobes_that_are_disabled_are_told(void)
{
	expect_told_when_disabled("p:" CALLED);
}

static void kretprobes_that_are_disabled_are_told(void)
{
	expect_told_when_disabled("r:" CALLED);
}

/* One that is hooked meanwhile sees nothing, either. */
static void kprobes_that_begin_disabled_are_told(void)
{
	struct magnet_ctl_counters c;

	switch_kprobes("0");
	start("p:" CALLED);
	EXPECT_EQ(kprobes_disabled(), 1);
	call_often(CALLS);
	switch_kprobes("1");
	EXPECT_EQ(kprobes_disabled(), 0);
	call_often(CALLS);
	c = stop();
	EXPECT_EQ(c.hits, CALLS);
}

/* Points that are none go on. */
static void functions_go_on_without_kprobes(void)
{
	struct magnet_ctl_counters c;

	start("f:" CALLED);
	switch_kprobes("0");
	EXPECT_EQ(kprobes_disabled(), 0);
	call_often(CALLS);
	switch_kprobes("1");
	c = stop();
	EXPECT_EQ(c.hits, CALLS);
}

/* ---- names, ids, owners ---- */

#define EXPECT_REFUSED(asked, code, words)					\
	do {									\
		const struct answer a_ = (asked);				\
										\
		EXPECT(a_.error == -(code), "the answer is \"%s\", not \"%s\"",	\
		       strerror(-a_.error), strerror(code));			\
		EXPECT(!strcmp(a_.text, words), "the text is \"%s\", not \"%s\"",	\
		       a_.text, words);						\
	} while (0)

static struct answer remove_named(const char *name)
{
	struct request r;

	request_begin(&r, &s.ctl, MAGNET_CMD_POINT_REMOVE);
	if (name)
		request_put_text(&r, MAGNET_A_POINT, name);
	return request_send(&r, &s.ctl, NULL, NULL);
}

#define BAD_NAME	"a dynamic point's name is letters, digits and _, no digit first; choose another"

static void names(void)
{
	char made[MAGNET_NAME_SIZE];

	sensor_make(&s, 0);
	EXPECT(!ctl_point_insert(&s.ctl, NULL, "  t:sched_switch  ", 0, made), "%s", s.ctl.error);
	EXPECT(!strcmp(made, "t_sched_switch"), "it is called %s", made);
	EXPECT(!ctl_point_insert(&s.ctl, "mine", "t:sched_switch", 0, made), "%s", s.ctl.error);
	EXPECT(!strcmp(made, "mine"), "it is called %s", made);
	EXPECT_REFUSED(ask("mine", "t:sched_switch"), EEXIST, "a point of this name exists; choose another name, or remove that one first");
	EXPECT_REFUSED(ask(NULL, "t:sched_switch"), EEXIST, "a point of this name exists; choose another name, or remove that one first");
	EXPECT_REFUSED(ask("sched_switch", "t:sched_switch"), EEXIST, "a point of this name exists; choose another name, or remove that one first");
	EXPECT_REFUSED(ask("", "t:sched_switch"), EINVAL, BAD_NAME);
	EXPECT_REFUSED(ask("1a", "t:sched_switch"), EINVAL, BAD_NAME);
	EXPECT_REFUSED(ask("a b", "t:sched_switch"), EINVAL, BAD_NAME);
	EXPECT_REFUSED(ask("a/b", "t:sched_switch"), EINVAL, BAD_NAME);
	EXPECT_REFUSED(ask("a\nb", "t:sched_switch"), EINVAL, BAD_NAME);
	EXPECT_REFUSED(ask("mine", NULL), EINVAL, "the request has no definition of a point; it needs the attribute DEFINITION");
	EXPECT_REFUSED(remove_named(NULL), EINVAL, "the request does not name a point; it needs the attribute POINT");
	EXPECT_REFUSED(remove_named("no_such_point"), ENOENT,
		       "there is no point of this name; control/events lists them");
	EXPECT_REFUSED(remove_named("sched_switch"), EINVAL,
		       "only a point that was inserted can be removed; others can be disabled (POINT_SET)");
	EXPECT_EQ(remove_named("mine").error, 0);
	EXPECT_REFUSED(remove_named("mine"), ENOENT,
		       "there is no point of this name; control/events lists them");
}

/* ---- others meanwhile ---- */

static unsigned int lists;
static bool listed_enough;

static void *list_buffers(void *unused)
{
	struct magnet_ctl ctl;

	NEED(!ctl_open(&ctl), "%s", ctl.error);
	guest_on_cpu(1);
	while (!__atomic_load_n(&listed_enough, __ATOMIC_ACQUIRE)) {
		NEED(!request_dump(&ctl, MAGNET_CMD_BUFFER_GET, NULL, NULL).error, "no dump");
		__atomic_fetch_add(&lists, 1, __ATOMIC_RELEASE);
	}
	return unused;
}

/* Looking for all functions of a name takes so long that others get many answers. */
static void nobody_waits_while_symbols_are_looked_up(void)
{
	pthread_t thread;
	unsigned int before;

	sensor_make(&s, 0);
	guest_on_cpu(0);
	NEED(!pthread_create(&thread, NULL, list_buffers, NULL), "no thread");
	do {
		before = __atomic_load_n(&lists, __ATOMIC_ACQUIRE);
		EXPECT_REFUSED(ask(NULL, "p:no_such_function"), ENOENT, NO_SYMBOL);
	} while (__atomic_load_n(&lists, __ATOMIC_ACQUIRE) - before < 20);
	__atomic_store_n(&listed_enough, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

static void ids_are_not_given_out_again_soon(void)
{
	const uint32_t first = records_classic() ? MAGNET_EVENT_DYNAMIC_CLASSIC :
						   MAGNET_EVENT_DYNAMIC_WIDE;
	const uint32_t end = records_classic() ? MAGNET_EVENT_DYNAMIC_CLASSIC_END : 0x10000;
	uint32_t id, before = 0;
	int i;

	sensor_make(&s, 0);
	for (i = 0; i < 50; i++) {
		EXPECT(!ctl_point_insert(&s.ctl, "again", "t:sched_switch", 0, NULL), "%s",
		       s.ctl.error);
		id = info_of("again").event;
		EXPECT(id >= first && id < end, "the id is 0x%x", id);
		EXPECT(!before || id == before + 1 || id == first, "0x%x after 0x%x", id, before);
		before = id;
		EXPECT_EQ(remove_named("again").error, 0);
	}
}

static void ids_run_out(void)
{
	const int most = MAGNET_EVENT_DYNAMIC_CLASSIC_END - MAGNET_EVENT_DYNAMIC_CLASSIC;
	char name[16];
	int i;

	if (!records_classic())
		guest_skip("there are enough ids in layout wide");
	sensor_make(&s, 0);
	for (i = 0; i < most; i++) {
		snprintf(name, sizeof(name), "many%d", i);
		NEED(!ctl_point_insert(&s.ctl, name, "t:sched_switch", 0, NULL), "%s: %s", name,
		     s.ctl.error);
	}
	EXPECT_REFUSED(ask("one_more", "t:sched_switch"), ENOSPC,
		       "there is no event id left for a dynamic point; remove one that nobody needs");
	EXPECT_EQ(remove_named("many7").error, 0);
	EXPECT_EQ(ask("one_more", "t:sched_switch").error, 0);
}

static bool exists(const char *name)
{
	char word[80];

	snprintf(word, sizeof(word), " %s dynamic", name);
	return guest_file_has(MAGNET_CONTROL "/events", word);
}

static void points_end_with_their_owner(void)
{
	struct magnet_ctl other;
	uint32_t id;

	sensor_make(&s, 0);
	NEED(!ctl_open(&other), "%s", other.error);
	EXPECT(!ctl_point_insert(&other, "others", "f:" CALLED, 0, NULL), "%s", other.error);
	EXPECT(!ctl_point_insert(&other, "lasting", "f:" CALLED, MAGNET_F_PERSISTENT, NULL), "%s",
	       other.error);
	EXPECT(!ctl_sub_new(&s.ctl, "others", s.buffer, 0, &id), "%s", s.ctl.error);
	ctl_close(&other);
	UNTIL(!exists("others"));
	EXPECT(ctl_sub_del(&s.ctl, id, NULL) == -ENOENT, "the subscription lives on");
	EXPECT(exists("lasting"), "the persistent one is gone");
	EXPECT_EQ(remove_named("lasting").error, 0);
	EXPECT(!exists("lasting"), "it is still there");
}

static void removal_ends_subscriptions(void)
{
	start("f:" CALLED);
	EXPECT_EQ(remove_named(point).error, 0);
	EXPECT(ctl_sub_del(&s.ctl, s.sub, NULL) == -ENOENT, "the subscription lives on");
	EXPECT(!guest_file_has("/sys/kernel/tracing/enabled_functions", CALLED), "still hooked");
}

static void shutdown_ends_all(void)
{
	start("p:" CALLED);
	EXPECT(!ctl_point_insert(&s.ctl, "lasting", "t:sys_exit", MAGNET_F_PERSISTENT, NULL), "%s",
	       s.ctl.error);
	EXPECT(!ctl_shutdown(&s.ctl), "%s", s.ctl.error);
	EXPECT(!guest_file_has(MAGNET_CONTROL "/events", "dynamic"), "a point is left");
}

static void no_capability(void)
{
	sensor_make(&s, 0);
	ctl_close(&s.ctl);
	NEED(!setresuid(65534, 65534, 65534), "setresuid");
	NEED(!ctl_open(&s.ctl), "%s", s.ctl.error);
	EXPECT_REFUSED(ask(NULL, "t:sched_switch"), EPERM, "needs CAP_PERFMON or CAP_SYS_ADMIN");
	EXPECT_REFUSED(remove_named("t_sched_switch"), EPERM,
		       "needs CAP_PERFMON or CAP_SYS_ADMIN");
}

/* ---- under fire ---- */

/* A kernel that looks for data races takes seconds for one cycle. */
#define FIRING_US	(60 * 1000 * 1000)

static void fire(const char *definition, unsigned int cycles)
{
	uint64_t start = guest_elapsed_us();
	pid_t firing[2];
	unsigned int i;
	int status;

	for (i = 0; i < 2; i++) {
		firing[i] = fork();
		if (!firing[i]) {
			guest_on_cpu(i);
			/*
			 * On a slow kernel without a pause, whose processors take turns,
			 * nobody else's turn came for seconds.
			 */
			for (;;) {
				call_often(100);
				usleep(100);
			}
		}
	}
	sensor_make(&s, 1 << 16);
	for (i = 0; i < cycles && (i < 2 || guest_elapsed_us() - start < FIRING_US); i++) {
		insert(definition);
		if (i % 2)
			usleep(2000);
		EXPECT_EQ(remove_named(point).error, 0);
	}
	for (i = 0; i < 2; i++) {
		kill(firing[i], SIGKILL);
		waitpid(firing[i], &status, 0);
	}
	sensor_end(&s);
	EXPECT(!guest_file_has(MAGNET_CONTROL "/events", "=on"), "a point is still on");
}

static void functions_are_removed_under_fire(void)
{
	fire("f:" CALLED " " USER_FIRST, 10);
}

static void kprobes_are_removed_under_fire(void)
{
	unsigned int at;
	char inside[128];

	fire("p:" CALLED " $arg1 %sp", 10);
	sensor_make(&s, 1 << 16);
	REQUIRE(insert_inside(CALLED, 9, &at), "no instruction takes a probe");
	sensor_end(&s);
	snprintf(inside, sizeof(inside), "p:" CALLED "+%u %s", at, REGISTER_IP);
	fire(inside, 10);
}

static void kretprobes_are_removed_under_fire(void)
{
	fire("r:" CALLED " $retval " USER_FIRST, 10);
}

static void tracepoints_are_removed_under_fire(void)
{
	fire("t:sys_enter $arg2 " USER_FIRST, 50);
}

/* A call that sleeps while its return point goes returns all the same. */
static void return_after_the_end_of_its_point(void)
{
	sigset_t set;
	pthread_t thread;
	pid_t tid = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	start("r:" SYS_FUNCTION "rt_sigtimedwait");
	NEED(!pthread_create(&thread, NULL, wait_for_signal, &tid), "no thread");
	UNTIL(__atomic_load_n(&tid, __ATOMIC_ACQUIRE) &&
	      guest_sleeps_in(tid, SYS_rt_sigtimedwait));
	EXPECT_EQ(remove_named(point).error, 0);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, NULL);
}

/* ---- recursion ---- */

/* Called by a handler for each value that it fetches from memory. */
#define FETCHES		"copy_from_kernel_nofault"

/*
 * What handlers call can be probed too: the recursion ends, and is counted.
 * The fields of the other point take two fetches.
 */
static void functions_that_handlers_use(void)
{
	static const struct {
		const char	*definition;
		bool		refused;	/* by some kernels */
		unsigned int	least;		/* hits */
	} cases[] = {
		{ .definition = "f:" FETCHES " +0($arg2)", .least = 2 * CALLS },
		{ .definition = "p:" FETCHES " +0($arg2)", .least = 2 * CALLS },
		{ .definition = "r:" FETCHES " $retval", .least = 2 * CALLS },
		{ .definition = "p:irq_work_queue" },
		{ .definition = "f:sock_diag_save_cookie" },
		{ .definition = "f:irq_work_queue +0($arg1)", .refused = true },
		{ .definition = "p:memcpy", .refused = true },
		{ .definition = "p:__memcpy", .refused = true },
	};
	const char *other = "f:" CALLED " " USER_FIRST " n=" USER_FIRST ":string";
	struct magnet_ctl_counters c;
	unsigned int i;
	uint32_t id;

	for (i = 0; i < KTAP_SIZE(cases); i++) {
		sensor_make(&s, 1 << 16);
		if (ctl_point_insert(&s.ctl, NULL, cases[i].definition, 0, point) ||
		    ctl_sub_new(&s.ctl, point, s.buffer, 0, &id)) {
			EXPECT(cases[i].refused, "%s: %s", cases[i].definition, s.ctl.error);
			sensor_end(&s);
			continue;
		}
		insert(other);
		call_often(CALLS);
		c = stop();
		expect_equation(&c);
		EXPECT_EQ(c.hits, CALLS);
		NEED(!ctl_sub_del(&s.ctl, id, &c), "%s", s.ctl.error);
		expect_equation(&c);
		EXPECT(c.hits >= cases[i].least, "%s: %llu hits", cases[i].definition,
		       (unsigned long long)c.hits);
		sensor_end(&s);
	}
}

/* What the subscription has counted on this CPU. */
static void expect_recursion(uint32_t id, const char *name, unsigned int cpu, unsigned int calls)
{
	char line[256];

	snprintf(line, sizeof(line),
		 "subscription %u %s %s cpu%u hits %u committed %u filtered 0 sampled_out 0 dropped_full 0 dropped_big 0 dropped_recursion %u dropped_storm 0",
		 id, name, s.buffer, cpu, 2 * calls, calls, calls);
	EXPECT(guest_file_has(MAGNET_CONTROL "/stats", line), "there is no line %s", line);
}

/*
 * One hook's handler fetches one value. So does the handler of the other hook,
 * on what fetches: that runs inside the first one's and is let through, as it
 * might be an interrupt that is not known as such yet; its own fetch is a second
 * hit, inside itself, and is refused.
 */
static void recursion_is_counted_exactly(void)
{
	const unsigned int calls[] = { CALLS, CALLS / 3 };
	struct magnet_ctl_counters c;
	char outer[128], inner[MAGNET_NAME_SIZE];
	unsigned int at, cpu;
	struct batch batch;
	uint32_t id;

	sensor_make(&s, 1 << 20);
	REQUIRE(insert_inside(CALLED, 9, &at), "no instruction takes a probe");
	NEED(!ctl_point_remove(&s.ctl, point), "%s", s.ctl.error);
	NEED(!ctl_point_insert(&s.ctl, NULL, "f:" FETCHES " +0($arg2)", 0, inner), "%s",
	     s.ctl.error);
	/* To set a kprobe the kernel fetches the code, so that comes first. */
	snprintf(outer, sizeof(outer), "p:" CALLED "+%u +0(%%sp)", at);
	insert(outer);
	NEED(!ctl_sub_new(&s.ctl, inner, s.buffer, 0, &id), "%s", s.ctl.error);
	for (cpu = 0; cpu < 2; cpu++) {
		guest_on_cpu(cpu);
		call_often(calls[cpu]);
	}
	/* Before the hooks go: ftrace fetches the code that it mends. */
	for (cpu = 0; cpu < 2; cpu++) {
		expect_recursion(id, inner, cpu, calls[cpu]);
		sensor_open(&s, cpu);
		batch = data_drain(s.fd);
		EXPECT_EQ(batch.events, 2 * calls[cpu]);
		EXPECT_EQ(batch.lost, calls[cpu]);
		close(s.fd);
	}
	NEED(!ctl_sub_del(&s.ctl, id, &c), "%s", s.ctl.error);
	expect_equation(&c);
	c = stop();
	EXPECT_EQ(c.hits, calls[0] + calls[1]);
	EXPECT_EQ(c.committed, c.hits);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(function_entry_is_exact),
	KTAP_TEST(kprobe_is_exact),
	KTAP_TEST(kretprobe_is_exact),
	KTAP_TEST(kprobe_inside_is_exact),
	KTAP_TEST(tracepoint_is_exact),
	KTAP_TEST(all_kinds_at_once),
	KTAP_TEST(integers_of_all_sizes),
	KTAP_TEST(format_describes_the_fields),
	KTAP_TEST(registers_and_arguments_agree),
	KTAP_TEST(unreadable_memory_is_no_fault),
	KTAP_TEST(strings_are_what_they_were),
	KTAP_TEST(return_values),
	KTAP_TEST(latency_is_plausible),
	KTAP_TEST(missed_returns_are_counted),
	KTAP_TEST(jump_is_told_where_there_is_one),
	KTAP_TEST(bad_definitions),
	KTAP_TEST(arguments_inside_a_function),
	KTAP_TEST(symbols_that_take_no_probe),
	KTAP_TEST(ambiguous_symbols),
	KTAP_TEST(variants_of_symbols),
	KTAP_TEST(the_sensor_itself),
	KTAP_TEST(addresses),
	KTAP_TEST(kprobes_that_are_disabled_are_told),
	KTAP_TEST(kretprobes_that_are_disabled_are_told),
	KTAP_TEST(kprobes_that_begin_disabled_are_told),
	KTAP_TEST(functions_go_on_without_kprobes),
	KTAP_TEST(names),
	KTAP_TEST(nobody_waits_while_symbols_are_looked_up),
	KTAP_TEST(ids_are_not_given_out_again_soon),
	KTAP_TEST(ids_run_out),
	KTAP_TEST(points_end_with_their_owner),
	KTAP_TEST(removal_ends_subscriptions),
	KTAP_TEST(shutdown_ends_all),
	KTAP_TEST(no_capability),
	KTAP_TEST(functions_are_removed_under_fire),
	KTAP_TEST(kprobes_are_removed_under_fire),
	KTAP_TEST(kretprobes_are_removed_under_fire),
	KTAP_TEST(tracepoints_are_removed_under_fire),
	KTAP_TEST(return_after_the_end_of_its_point),
	KTAP_TEST(functions_that_handlers_use),
	KTAP_TEST(recursion_is_counted_exactly),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
