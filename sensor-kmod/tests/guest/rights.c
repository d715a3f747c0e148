// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may see and ask for what: no kernel address reaches a user without
 * rights, and each right opens what it is for and no more.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "guest.h"
#include "processor.h"
#include "request.h"
#include "sensor.h"

#define NOBODY		65534
#define FUNCTION	SYS_FUNCTION "sched_get_priority_max"
#define BUFFER		"rights"

#ifndef CAP_BPF
#define CAP_BPF		39
#endif

#define BIT(n)		(1ULL << (n))

static struct magnet_ctl root, user;

/* ---- being somebody else ---- */

/* From here on this process is nobody, but for these capabilities. */
static void become_nobody(uint64_t caps)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	int i;

	NEED(!prctl(PR_SET_KEEPCAPS, 1), "keepcaps: %s", strerror(errno));
	NEED(!setresgid(NOBODY, NOBODY, NOBODY) && !setresuid(NOBODY, NOBODY, NOBODY),
	     "setresuid: %s", strerror(errno));
	for (i = 0; i < 2; i++) {
		data[i].effective = caps >> (32 * i);
		data[i].permitted = caps >> (32 * i);
	}
	NEED(!syscall(SYS_capset, &header, data), "capset: %s", strerror(errno));
}

/* Open a control socket as nobody with these capabilities. */
static void connect_with(uint64_t caps)
{
	become_nobody(caps);
	NEED(!ctl_open(&user), "%s", user.error);
}

/* The same, when what the test before had is given back: magnetk does that in its own time. */
static void connect_alone_with(uint64_t caps)
{
	UNTIL(access("/dev/magnet/" BUFFER, F_OK));
	connect_with(caps);
}

/* ---- addresses ---- */

/* x86-64: the upper half, but for small negative numbers. */
static bool is_kernel_address(unsigned long long value)
{
	return value >= 0xffff800000000000ULL && value < 0xfffffffffffff000ULL;
}

struct sighting {
	unsigned int	addresses;
	unsigned int	searched;	/* texts and numbers */
	char		what[128];
};

static void saw(struct sighting *s, const char *text)
{
	if (!s->addresses++)
		snprintf(s->what, sizeof(s->what), "%.100s", text);
}

/* Hexadecimal words, decimal ones, with 0x or without it. */
static void search_text(struct sighting *s, const char *text)
{
	const char *at = text;

	s->searched++;
	while (*at) {
		char *end = (char *)at;

		if (isxdigit(*at) &&
		    (is_kernel_address(strtoull(at, &end, 16)) ||
		     (isdigit(*at) && is_kernel_address(strtoull(at, NULL, 10)))))
			saw(s, text);
		at = end > at ? end : at + 1;
		/* The digits behind an x are a word of their own. */
	}
}

static void search_attrs(struct attrs attrs, void *arg)
{
	struct sighting *s = arg;
	struct attrs value;
	uint16_t type;

	while (attrs_next(&attrs, &type, &value)) {
		const struct nlattr *attr = (const void *)((const char *)value.at - NLA_HDRLEN);
		char text[32];
		uint64_t number;

		if (attr->nla_type & NLA_F_NESTED) {
			search_attrs(value, s);
		} else if (value.len == sizeof(number)) {
			memcpy(&number, value.at, sizeof(number));
			snprintf(text, sizeof(text), "attribute %u: %#llx", type,
				 (unsigned long long)number);
			search_text(s, text);
		} else if (value.len > 4 && !((const char *)value.at)[value.len - 1]) {
			search_text(s, value.at);
		}
	}
}

static const uint8_t dumps[] = {
	MAGNET_CMD_POINT_GET, MAGNET_CMD_BUFFER_GET, MAGNET_CMD_SUB_GET, MAGNET_CMD_RULE_GET,
	MAGNET_CMD_CORRELATION_GET, MAGNET_CMD_DROP_REASON_GET,
};

static struct sighting search_dumps(struct magnet_ctl *ctl)
{
	struct sighting s = {};
	struct request r;
	unsigned int i;

	for (i = 0; i < sizeof(dumps); i++) {
		const struct answer a = request_dump(ctl, dumps[i], search_attrs, &s);

		EXPECT(!a.error && a.messages, "dump %u: %d, %u messages", dumps[i], a.error,
		       a.messages);
	}
	request_begin(&r, ctl, MAGNET_CMD_INFO_GET);
	EXPECT(!request_send(&r, ctl, search_attrs, &s).error, "no info");
	return s;
}

static struct sighting search_files(void)
{
	struct sighting s = {};
	struct dirent *entry;
	char path[512], line[4096];
	DIR *dir = opendir(MAGNET_CONTROL);

	NEED(dir, MAGNET_CONTROL ": %s", strerror(errno));
	while ((entry = readdir(dir))) {
		FILE *file;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), MAGNET_CONTROL "/%s", entry->d_name);
		file = fopen(path, "r");
		NEED(file, "%s: %s", path, strerror(errno));
		while (fgets(line, sizeof(line), file))
			search_text(&s, line);
		fclose(file);
	}
	closedir(dir);
	return s;
}

static void insert(const char *format, unsigned long long address)
{
	char definition[256];

	snprintf(definition, sizeof(definition), format, address);
	NEED(!ctl_point_insert(&root, NULL, definition, 0, NULL), "%s: %s", definition, root.error);
}

/* Points by address, each subscribed with a rule, and a filter that waits for events. */
static void make_points_by_address(void)
{
	const unsigned long long address = guest_symbol(FUNCTION);
	const struct magnet_ctl_wish wish = { .rules = "drop if cpu == 77" };
	struct request r;
	struct answer a;

	NEED(is_kernel_address(address), "%s is at %#llx", FUNCTION, address);
	NEED(!ctl_open(&root), "%s", root.error);
	NEED(!ctl_buffer_new(&root, BUFFER, MAGNET_BUFFER_SIZE_MIN, 0, NULL), "%s", root.error);
	insert("p:0x%llx a=$arg1:u32", address);
	insert("f:0x%llx", address);
	insert("r12:0x%llx\t$retval", address);
	NEED(!ctl_sub_new_wish(&root, "p_" FUNCTION, BUFFER, 0, &wish, NULL) &&
	     !ctl_sub_new(&root, "f_" FUNCTION, BUFFER, 0, NULL) &&
	     !ctl_sub_new(&root, "r_" FUNCTION, BUFFER, 0, NULL), "%s", root.error);
	request_begin(&r, &root, MAGNET_CMD_CORRELATION_NEW);
	request_put_text(&r, MAGNET_A_BUFFER, BUFFER);
	request_put_text(&r, MAGNET_A_DEFINITION, "burst marker more than 5 in 1ms");
	a = request_send(&r, &root, NULL, NULL);
	NEED(!a.error, "%s", a.text);
}

static void who_may_change_points_sees_their_addresses(void)
{
	struct sighting s;

	make_points_by_address();
	s = search_dumps(&root);
	/* Three definitions, and nothing else. */
	EXPECT(s.addresses == 3, "%u addresses, the first in \"%s\"", s.addresses, s.what);
	become_nobody(BIT(CAP_PERFMON));
	NEED(!ctl_open(&user), "%s", user.error);
	EXPECT_EQ(search_dumps(&user).addresses, 3);
}

static void nobody_sees_no_address_in_any_dump(void)
{
	struct sighting s;

	make_points_by_address();
	connect_with(0);
	s = search_dumps(&user);
	EXPECT(s.searched > 100, "only %u texts", s.searched);
	EXPECT(!s.addresses, "%u addresses, the first in \"%s\"", s.addresses, s.what);
}

/* Nor does who has the socket of somebody with rights, or rights but not the socket. */
static void both_the_socket_and_its_user_need_the_right(void)
{
	make_points_by_address();
	NEED(!ctl_open(&user), "%s", user.error);
	become_nobody(0);
	EXPECT_EQ(search_dumps(&user).addresses, 0);
}

static void nobody_sees_no_address_in_any_control_file(void)
{
	struct sighting s;

	make_points_by_address();
	/* As some distributions and administrators mount it. */
	NEED(!chmod("/sys/kernel/debug", 0755), "chmod: %s", strerror(errno));
	become_nobody(0);
	s = search_files();
	EXPECT(s.searched > 100, "only %u lines", s.searched);
	EXPECT(!s.addresses, "%u addresses, the first in \"%s\"", s.addresses, s.what);
}

static void keep_definition(struct attrs attrs, void *arg)
{
	char (*definitions)[3][128] = arg;
	struct attrs value;

	if (!attrs_find(attrs, MAGNET_A_DEFINITION, &value))
		return;
	switch (*(const char *)value.at) {
	case 'p':
		strncat((*definitions)[0], value.at, 127);
		break;
	case 'f':
		strncat((*definitions)[1], value.at, 127);
		break;
	case 'r':
		strncat((*definitions)[2], value.at, 127);
		break;
	}
}

static void expect_text(const char *got, const char *wanted)
{
	EXPECT(!strcmp(got, wanted), "\"%s\", not \"%s\"", got, wanted);
}

/* A function and an offset stand for the address, and all else is as it was given. */
static void nobody_sees_the_function_instead(void)
{
	char definitions[3][128] = {};

	make_points_by_address();
	connect_with(0);
	NEED(!request_dump(&user, MAGNET_CMD_POINT_GET, keep_definition, definitions).error,
	     "no dump");
	expect_text(definitions[0], "p:" FUNCTION " a=$arg1:u32");
	expect_text(definitions[1], "f:" FUNCTION);
	expect_text(definitions[2], "r12:" FUNCTION "\t$retval");
}

/* ---- what each capability is for ---- */

static struct answer insert_as(const char *definition)
{
	struct request r;

	request_begin(&r, &user, MAGNET_CMD_POINT_INSERT);
	request_put_text(&r, MAGNET_A_POINT, "rights_point");
	request_put_text(&r, MAGNET_A_DEFINITION, definition);
	return request_send(&r, &user, NULL, NULL);
}

static const char *const registers[] = {
	"p:" FUNCTION, "r:" FUNCTION " $retval:s64", "f:" FUNCTION " a=$arg1:u32",
	"t:sched_process_exit $arg1", "p:" FUNCTION " %sp",
};

static const char *const memory[] = {
	"p:" FUNCTION " +0(%sp)", "r:" FUNCTION " +8(+0($arg1)):u8", "f:" FUNCTION " $arg1:string",
	"t:sched_process_exit c=+0($arg1):char[8]", "p:" FUNCTION " a=$arg1 b=-8(%sp):x16",
};

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

static void expect_inserted(const char *definition)
{
	EXPECT_DONE(insert_as(definition));
	EXPECT(!ctl_point_remove(&user, "rights_point"), "%s: %s", definition, user.error);
}

static void expect_memory(void)
{
	unsigned int i;

	for (i = 0; i < KTAP_SIZE(memory); i++)
		expect_inserted(memory[i]);
}

static void perfmon_alone_reads_registers_and_no_memory(void)
{
	unsigned int i;

	connect_with(BIT(CAP_PERFMON));
	for (i = 0; i < KTAP_SIZE(registers); i++)
		expect_inserted(registers[i]);
	for (i = 0; i < KTAP_SIZE(memory); i++)
		EXPECT_REFUSED(insert_as(memory[i]), EPERM,
			       "reads the kernel's memory: needs CAP_BPF with CAP_PERFMON, or CAP_SYS_ADMIN");
}

static void bpf_with_perfmon_reads_memory(void)
{
	connect_with(BIT(CAP_PERFMON) | BIT(CAP_BPF));
	expect_memory();
}

static void sys_admin_reads_memory(void)
{
	connect_with(BIT(CAP_SYS_ADMIN));
	expect_memory();
}

static void bpf_without_perfmon_changes_nothing(void)
{
	connect_with(BIT(CAP_BPF) | BIT(CAP_NET_RAW));
	EXPECT_REFUSED(insert_as(registers[0]), EPERM, "needs CAP_PERFMON or CAP_SYS_ADMIN");
}

static void count_point(struct attrs attrs, void *arg)
{
	if (!strcmp(attrs_text(attrs, MAGNET_A_POINT), "rights_point"))
		++*(unsigned int *)arg;
}

static void a_refused_point_is_not_there(void)
{
	unsigned int found = 0;

	connect_with(BIT(CAP_PERFMON));
	EXPECT_REFUSED(insert_as(memory[0]), EPERM, "CAP_BPF");
	NEED(!request_dump(&user, MAGNET_CMD_POINT_GET, count_point, &found).error, "no dump");
	EXPECT_EQ(found, 0);
}

/* What an administrator has defined may be subscribed to, as with tracefs and perf. */
static void points_of_others_may_be_subscribed(void)
{
	NEED(!ctl_open(&root), "%s", root.error);
	NEED(!ctl_point_insert(&root, "rights_point", memory[0], 0, NULL), "%s", root.error);
	connect_with(BIT(CAP_PERFMON));
	NEED(!ctl_buffer_new(&user, BUFFER, MAGNET_BUFFER_SIZE_MIN, 0, NULL), "%s", user.error);
	EXPECT(!ctl_sub_new(&user, "rights_point", BUFFER, 0, NULL), "%s", user.error);
}

static struct answer snap(uint8_t cmd, uint32_t id, uint32_t bytes)
{
	struct request r;

	request_begin(&r, &user, cmd);
	if (cmd == MAGNET_CMD_SUB_NEW) {
		request_put_text(&r, MAGNET_A_POINT, "ip_send_skb");
		request_put_text(&r, MAGNET_A_BUFFER, BUFFER);
	} else {
		request_put_u32(&r, MAGNET_A_SUB_ID, id);
	}
	request_put_u32(&r, MAGNET_A_SNAP_LEN, bytes);
	return request_send(&r, &user, NULL, NULL);
}

#define NO_PACKETS	"bytes of packets need CAP_NET_RAW too, or CAP_SYS_ADMIN"

static void perfmon_alone_takes_no_packets(void)
{
	const struct magnet_ctl_wish rules = { .rules = "drop if dport == 53" };
	uint32_t id;

	connect_alone_with(BIT(CAP_PERFMON) | BIT(CAP_BPF));
	NEED(!ctl_buffer_new(&user, BUFFER, MAGNET_BUFFER_SIZE_MIN, 0, NULL), "%s", user.error);
	EXPECT_REFUSED(snap(MAGNET_CMD_SUB_NEW, 0, 1), EPERM, NO_PACKETS);
	EXPECT_DONE(snap(MAGNET_CMD_SUB_NEW, 0, 0));
	EXPECT(!ctl_sub_new_wish(&user, "ip_send_skb", BUFFER, 0, &rules, &id), "%s", user.error);
	EXPECT_REFUSED(snap(MAGNET_CMD_SUB_SET, id, 4000), EPERM, NO_PACKETS);
	EXPECT_DONE(snap(MAGNET_CMD_SUB_SET, id, 0));
}

static void expect_packets(void)
{
	uint32_t id;

	NEED(!ctl_buffer_new(&user, BUFFER, MAGNET_BUFFER_SIZE_MIN, 0, NULL), "%s", user.error);
	EXPECT_DONE(snap(MAGNET_CMD_SUB_NEW, 0, 4000));
	EXPECT(!ctl_sub_new(&user, "ip_send_skb", BUFFER, 0, &id), "%s", user.error);
	EXPECT_DONE(snap(MAGNET_CMD_SUB_SET, id, 64));
}

static void net_raw_with_perfmon_takes_packets(void)
{
	connect_alone_with(BIT(CAP_PERFMON) | BIT(CAP_NET_RAW));
	expect_packets();
}

static void sys_admin_takes_packets(void)
{
	connect_alone_with(BIT(CAP_SYS_ADMIN));
	expect_packets();
}

/* ---- how much one may have ---- */

/* Of a tracepoint: no symbol has to be looked up for each. */
static void insert_numbered(unsigned int n, char name[16])
{
	snprintf(name, 16, "bound%u", n);
	NEED(!ctl_point_insert(&root, name, "t:sched_process_exec", 0, NULL), "%s", root.error);
}

/* Points n * 16 to n * 16 + 15, each as often as may be. */
static void fill_socket(struct magnet_ctl *ctl, unsigned int n)
{
	unsigned int i, j;
	char name[16];

	NEED(!ctl_open(ctl), "%s", ctl->error);
	for (i = 0; i < MAGNET_CLIENT_SUBS_MAX / MAGNET_POINT_SUBS_MAX; i++) {
		insert_numbered(n * 16 + i, name);
		for (j = 0; j < MAGNET_POINT_SUBS_MAX; j++)
			NEED(!ctl_sub_new(ctl, name, BUFFER, 0, NULL), "%s: %s", name, ctl->error);
	}
}

static void expect_full(struct magnet_ctl *ctl, const char *point, const char *words)
{
	EXPECT_EQ(ctl_sub_new(ctl, point, BUFFER, 0, NULL), -ENOSPC);
	EXPECT(strstr(ctl->error, words), "\"%s\", without \"%s\"", ctl->error, words);
}

static void subscriptions_have_bounds(void)
{
	static struct magnet_ctl filled[MAGNET_SUBS_MAX / MAGNET_CLIENT_SUBS_MAX];
	const unsigned int n = KTAP_SIZE(filled);
	unsigned int i;

	NEED(!ctl_open(&root), "%s", root.error);
	NEED(!ctl_buffer_new(&root, BUFFER, MAGNET_BUFFER_SIZE_MIN, 0, NULL), "%s", root.error);
	fill_socket(&filled[0], 0);
	expect_full(&root, "bound0", "the point has 64 subscriptions");
	expect_full(&filled[0], "marker", "this socket has 1024 subscriptions");
	EXPECT(!ctl_sub_new(&root, "marker", BUFFER, 0, NULL), "%s", root.error);
	ctl_close(&root);
	/* What the socket had owned goes with it: the points, and so all subscriptions. */
	UNTIL(!guest_file_has(MAGNET_CONTROL "/events", "bound"));
	NEED(!ctl_open(&root), "%s", root.error);
	NEED(!ctl_buffer_new(&root, BUFFER, MAGNET_BUFFER_SIZE_MIN, 0, NULL), "%s", root.error);
	ctl_close(&filled[0]);
	for (i = 0; i < n; i++)
		fill_socket(&filled[i], i);
	expect_full(&root, "marker", "there are 4096 subscriptions");
	ctl_close(&filled[0]);
	UNTIL(!ctl_sub_new(&root, "marker", BUFFER, 0, NULL));
}

#define CGROUP	"/sys/fs/cgroup/magnet-rights"

/* Memory of the test's own control group that is taken for each CPU. */
static long long percpu_charged(void)
{
	return guest_file_number(CGROUP "/memory.stat", "percpu");
}

static void subscriptions_are_charged_to_who_asks(void)
{
	const struct magnet_ctl_wish wish = { .rules = "drop if cpu == 77; drop if tgid == 1" };
	long long before, after;
	unsigned int i;

	mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	guest_write_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	NEED(!mkdir(CGROUP, 0755) || errno == EEXIST, CGROUP ": %s", strerror(errno));
	NEED(guest_write_file(CGROUP "/cgroup.procs", "0"), "not in the control group");
	NEED(!ctl_open(&root), "%s", root.error);
	NEED(!ctl_buffer_new(&root, BUFFER, MAGNET_BUFFER_SIZE_MIN, 0, NULL), "%s", root.error);
	before = percpu_charged();
	NEED(before >= 0, "memory.stat does not tell");
	for (i = 0; i < MAGNET_POINT_SUBS_MAX; i++)
		NEED(!ctl_sub_new_wish(&root, "marker", BUFFER, 0, &wish, NULL) &&
		     !ctl_sub_new_wish(&root, "mark_victim", BUFFER, 0, &wish, NULL), "%s",
		     root.error);
	after = percpu_charged();
	/* On each CPU at least the ten counters of each. */
	EXPECT(after - before >= 2 * MAGNET_POINT_SUBS_MAX * 80 * sysconf(_SC_NPROCESSORS_ONLN),
	       "%lld bytes, before %lld", after, before);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(who_may_change_points_sees_their_addresses),
	KTAP_TEST(nobody_sees_no_address_in_any_dump),
	KTAP_TEST(both_the_socket_and_its_user_need_the_right),
	KTAP_TEST(nobody_sees_no_address_in_any_control_file),
	KTAP_TEST(nobody_sees_the_function_instead),
	KTAP_TEST(perfmon_alone_reads_registers_and_no_memory),
	KTAP_TEST(bpf_with_perfmon_reads_memory),
	KTAP_TEST(sys_admin_reads_memory),
	KTAP_TEST(bpf_without_perfmon_changes_nothing),
	KTAP_TEST(a_refused_point_is_not_there),
	KTAP_TEST(points_of_others_may_be_subscribed),
	KTAP_TEST(perfmon_alone_takes_no_packets),
	KTAP_TEST(net_raw_with_perfmon_takes_packets),
	KTAP_TEST(sys_admin_takes_packets),
	KTAP_TEST(subscriptions_have_bounds),
	KTAP_TEST(subscriptions_are_charged_to_who_asks),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
