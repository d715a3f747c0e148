// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation of every request fails once: the first, then the second, and
 * so on until the request needs no more. Each time it is either refused and
 * leaves no trace, or it did all that it was asked for.
 *
 * For a kernel with fault injection (the debug kernel).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/uio.h>

#include "guest.h"
#include "request.h"
#include "sensor.h"

/* No request makes more allocations than this, by far. */
#define ALLOCATIONS_MAX	3000
#define BUFFER		"short"
#define SNAPSHOT	"shorter"
#define POINT		"short_point"
#define FUNCTION	"__x64_sys_sched_get_priority_max"
#define FAIL_NTH	"/proc/thread-self/fail-nth"

static struct magnet_ctl ctl;

/* ---- failing ---- */

static void need_written(const char *path, const char *text)
{
	NEED(guest_write_file(path, text), "%s: %s", path, strerror(errno));
}

/* All that may sleep counts as well, single pages too, and no stack is printed. */
static void prepare(void)
{
	NEED(!access(FAIL_NTH, F_OK), "this kernel has no fault injection; the debug kernel has");
	need_written("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	need_written("/sys/kernel/debug/failslab/verbose", "0");
	need_written("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	need_written("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	need_written("/sys/kernel/debug/fail_page_alloc/verbose", "0");
}

/* Returns whether an allocation was made to fail in @act. */
static bool fails(int fd, unsigned int n, int (*act)(void), int *result)
{
	char text[16] = {};
	long left;

	snprintf(text, sizeof(text), "%u", n);
	NEED(pwrite(fd, text, strlen(text), 0) > 0, "fail-nth: %s", strerror(errno));
	*result = act();
	memset(text, 0, sizeof(text));
	NEED(pread(fd, text, sizeof(text) - 1, 0) > 0, "fail-nth: %s", strerror(errno));
	left = strtol(text, NULL, 10);
	if (left)
		NEED(pwrite(fd, "0", 1, 0) > 0, "fail-nth: %s", strerror(errno));
	return !left;
}

/* ---- what there is ---- */

static void add_folder(char *text, size_t size, const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	unsigned int n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	snprintf(text + strlen(text), size - strlen(text), "%s: %u files\n", path, n);
}

static void add_file(char *text, size_t size, const char *path)
{
	const size_t len = strlen(text);
	FILE *file = fopen(path, "r");
	size_t got;

	NEED(file, "%s: %s", path, strerror(errno));
	got = fread(text + len, 1, size - len - 1, file);
	text[len + got] = '\0';
	fclose(file);
}

static char *state(void)
{
	const size_t size = 1 << 16;
	char *text = calloc(1, size);

	NEED(text, "no memory");
	add_file(text, size, MAGNET_CONTROL "/buffers");
	add_file(text, size, MAGNET_CONTROL "/events");
	add_file(text, size, MAGNET_CONTROL "/filters");
	add_folder(text, size, MAGNET_DEBUGFS "/data");
	add_folder(text, size, MAGNET_DEBUGFS "/data/" BUFFER);
	add_folder(text, size, "/dev/magnet");
	add_folder(text, size, "/dev/magnet/" BUFFER);
	add_folder(text, size, "/sys/class/magnet");
	return text;
}

static void show_difference(const char *before, const char *after)
{
	while (*before && *before == *after) {
		before++;
		after++;
	}
	FAIL("it left a trace: \"%.60s\" became \"%.60s\"", before, after);
}

/* The state becomes what it was; magnetk may have to do that. */
static bool undone(const char *before, void (*undo)(void))
{
	unsigned int tries;
	bool same = false;
	char *after = NULL;

	undo();
	for (tries = 0; tries < 2000 && !same; tries++) {
		free(after);
		after = state();
		same = !strcmp(before, after);
		if (!same)
			guest_nap();
	}
	if (!same)
		show_difference(before, after);
	free(after);
	return same;
}

/*
 * The answer may be what fails: then nobody knows what was done (ENOBUFS), and
 * undoing what was not done is refused.
 */
static bool clean(int result)
{
	return result >= 0 || result == -ENOMEM || result == -ENOBUFS || result == -EAGAIN;
}

static void each_allocation(int (*act)(void), void (*undo)(void), void (*check)(void))
{
	char *before = state();
	const int fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);
	unsigned int n, refused = 0;
	int result = 0;
	bool failed = true;

	NEED(fd >= 0, "fail-nth: %s", strerror(errno));
	for (n = 1; n < ALLOCATIONS_MAX && failed && !ktap_complaints; n++) {
		failed = fails(fd, n, act, &result);
		refused += result < 0;
		EXPECT(clean(result), "allocation %u: %s (%s)", n, strerror(-result), ctl.error);
		if (result >= 0 && check)
			check();
		if (!undone(before, undo))
			FAIL("that was allocation %u, with result %d", n, result);
	}
	EXPECT(!failed, "it was made to fail %u times", n);
	EXPECT_EQ(result < 0, 0);
	EXPECT(refused, "no failure was noticed");
	printf("# %u allocations, %u of them were told\n", n - 2, refused);
	close(fd);
	free(before);
}

/* ---- requests ---- */

static int new_buffer(void)
{
	return ctl_buffer_new(&ctl, BUFFER, MAGNET_BUFFER_SIZE_MIN, 0, NULL);
}

static void del_buffer(void)
{
	ctl_buffer_del(&ctl, BUFFER);
}

static void open_all(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		const int fd = ctl_data_open(BUFFER, cpu, O_NONBLOCK);

		EXPECT(fd >= 0, "cpu%u: %s", cpu, strerror(-fd));
		close(fd);
	}
}

static void buffer_new(void)
{
	prepare();
	NEED(!ctl_open(&ctl), "%s", ctl.error);
	each_allocation(new_buffer, del_buffer, open_all);
}

static void begin_with_buffer(void)
{
	prepare();
	NEED(!ctl_open(&ctl), "%s", ctl.error);
	NEED(!new_buffer(), "%s", ctl.error);
}

static const char *subscribed;
static uint32_t sub;

static int new_sub(void)
{
	return ctl_sub_new(&ctl, subscribed, BUFFER, 0, &sub);
}

static void find_sub(struct attrs attrs, void *arg)
{
	*(uint32_t *)arg = attrs_u32(attrs, MAGNET_A_SUB_ID);
}

static void del_subs(void)
{
	uint32_t id = 0;

	request_dump(&ctl, MAGNET_CMD_SUB_GET, find_sub, &id);
	if (id)
		ctl_sub_del(&ctl, id, NULL);
}

static void subscribe_to(const char *point)
{
	begin_with_buffer();
	subscribed = point;
	each_allocation(new_sub, del_subs, NULL);
}

static void sub_new_of_ftrace(void)
{
	subscribe_to("inet_sendmsg");
}

static void sub_new_of_tracepoint(void)
{
	subscribe_to("sched_process_fork");
}

static void sub_new_of_marker(void)
{
	subscribe_to("marker");
}

static const char *definition;

static int insert_point(void)
{
	return ctl_point_insert(&ctl, POINT, definition, 0, NULL);
}

static void remove_point(void)
{
	ctl_point_remove(&ctl, POINT);
}

static void insert_each(const char *text)
{
	prepare();
	NEED(!ctl_open(&ctl), "%s", ctl.error);
	definition = text;
	each_allocation(insert_point, remove_point, NULL);
}

static void point_insert_kprobe(void)
{
	insert_each("p:" FUNCTION " a=$arg1 b=+0($arg1):u32");
}

static void point_insert_kretprobe(void)
{
	insert_each("r:" FUNCTION " $retval:s64");
}

static void point_insert_ftrace(void)
{
	insert_each("f:" FUNCTION " a=$arg1");
}

static void point_insert_tracepoint(void)
{
	insert_each("t:sys_enter nr=$arg2");
}

static void subscribe_to_dynamic(const char *text)
{
	begin_with_buffer();
	definition = text;
	NEED(!insert_point(), "%s", ctl.error);
	subscribed = POINT;
	each_allocation(new_sub, del_subs, NULL);
}

static void sub_new_of_kprobe(void)
{
	subscribe_to_dynamic("p:" FUNCTION " a=$arg1");
}

static void sub_new_of_kretprobe(void)
{
	subscribe_to_dynamic("r:" FUNCTION " $retval:s64");
}

/* ---- files ---- */

static int opened = -1;

static int open_node(void)
{
	opened = open("/dev/magnet/" BUFFER "/cpu0", O_RDONLY | O_CLOEXEC);
	return opened < 0 ? -errno : 0;
}

static int open_merged(void)
{
	opened = open(MAGNET_DEBUGFS "/data/" BUFFER "/merged", O_RDONLY | O_CLOEXEC);
	return opened < 0 ? -errno : 0;
}

static void close_opened(void)
{
	if (opened >= 0)
		close(opened);
	opened = -1;
}

static void open_of_a_node(void)
{
	begin_with_buffer();
	each_allocation(open_node, close_opened, NULL);
	/* Had a failed open kept the ring, it would be busy now. */
	EXPECT_EQ(open_node(), 0);
}

static void open_of_merged_in_debugfs(void)
{
	begin_with_buffer();
	each_allocation(open_merged, close_opened, NULL);
	EXPECT_EQ(open_merged(), 0);
}

static int write_marker(void)
{
	const int fd = open("/dev/magnet/marker", O_WRONLY | O_CLOEXEC);
	int result = fd;

	if (fd >= 0) {
		result = write(fd, "1 short of memory", 17);
		close(fd);
	}
	return result < 0 ? -errno : 0;
}

static void nothing(void)
{
}

static void marker(void)
{
	begin_with_buffer();
	NEED(!ctl_sub_new(&ctl, "marker", BUFFER, 0, &sub), "%s", ctl.error);
	each_allocation(write_marker, nothing, NULL);
}

/* ---- requests that have no function of their own in magnet_ctl.h ---- */

static struct request raw;

static int send_raw(void)
{
	return ctl_raw(&ctl, raw.genl.cmd, 0, raw.attrs,
		       raw.nl.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
}

/* The request is in @raw: with enough memory it works, and what it did is undone. */
static void each_allocation_of_raw(void (*undo)(void))
{
	const int result = send_raw();

	if (result == -EOPNOTSUPP)
		guest_skip("this module does not know the command");
	NEED(!result, "%s", ctl.error);
	undo();
	each_allocation(send_raw, undo, NULL);
}

static void resize_back(void)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_BUFFER_RESIZE);
	request_put_text(&r, MAGNET_A_BUFFER, BUFFER);
	request_put_u64(&r, MAGNET_A_BUFFER_SIZE, MAGNET_BUFFER_SIZE_MIN);
	request_send(&r, &ctl, NULL, NULL);
}

static void buffer_resize(void)
{
	begin_with_buffer();
	request_begin(&raw, &ctl, MAGNET_CMD_BUFFER_RESIZE);
	request_put_text(&raw, MAGNET_A_BUFFER, BUFFER);
	request_put_u64(&raw, MAGNET_A_BUFFER_SIZE, 2 * MAGNET_BUFFER_SIZE_MIN);
	each_allocation_of_raw(resize_back);
}

static void del_snapshot(void)
{
	ctl_buffer_del(&ctl, SNAPSHOT);
}

static void buffer_snapshot(void)
{
	begin_with_buffer();
	request_begin(&raw, &ctl, MAGNET_CMD_BUFFER_SNAPSHOT);
	request_put_text(&raw, MAGNET_A_BUFFER, BUFFER);
	request_put_text(&raw, MAGNET_A_SNAPSHOT, SNAPSHOT);
	each_allocation_of_raw(del_snapshot);
}

static void begin_with_sub(void)
{
	begin_with_buffer();
	NEED(!ctl_sub_new(&ctl, "inet_sendmsg", BUFFER, 0, &sub), "%s", ctl.error);
}

static void no_rules(void)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_SUB_SET);
	request_put_u32(&r, MAGNET_A_SUB_ID, sub);
	request_put_text(&r, MAGNET_A_RULES, "");
	request_send(&r, &ctl, NULL, NULL);
}

static void sub_set(void)
{
	begin_with_sub();
	request_begin(&raw, &ctl, MAGNET_CMD_SUB_SET);
	request_put_u32(&raw, MAGNET_A_SUB_ID, sub);
	request_put_text(&raw, MAGNET_A_RULES, "drop if cpu == 1; log if len > 100 and tid != 0");
	each_allocation_of_raw(no_rules);
}

static void rule_new(void)
{
	begin_with_sub();
	request_begin(&raw, &ctl, MAGNET_CMD_RULE_NEW);
	request_put_u32(&raw, MAGNET_A_SUB_ID, sub);
	request_put_text(&raw, MAGNET_A_RULE_TEXT, "drop if cpu == 1");
	each_allocation_of_raw(no_rules);
}

static void find_correlation(struct attrs attrs, void *arg)
{
	*(uint32_t *)arg = attrs_u32(attrs, MAGNET_A_CORRELATION_ID);
}

static void del_correlations(void)
{
	struct request r;
	uint32_t id = 0;

	request_dump(&ctl, MAGNET_CMD_CORRELATION_GET, find_correlation, &id);
	if (!id)
		return;
	request_begin(&r, &ctl, MAGNET_CMD_CORRELATION_DEL);
	request_put_u32(&r, MAGNET_A_CORRELATION_ID, id);
	request_send(&r, &ctl, NULL, NULL);
}

static void correlation_new(void)
{
	begin_with_buffer();
	request_begin(&raw, &ctl, MAGNET_CMD_CORRELATION_NEW);
	request_put_text(&raw, MAGNET_A_BUFFER, BUFFER);
	request_put_text(&raw, MAGNET_A_DEFINITION, "burst marker more than 3 in 1000");
	each_allocation_of_raw(del_correlations);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(buffer_new),
	KTAP_TEST(buffer_resize),
	KTAP_TEST(buffer_snapshot),
	KTAP_TEST(sub_new_of_ftrace),
	KTAP_TEST(sub_new_of_tracepoint),
	KTAP_TEST(sub_new_of_marker),
	KTAP_TEST(sub_new_of_kprobe),
	KTAP_TEST(sub_new_of_kretprobe),
	KTAP_TEST(sub_set),
	KTAP_TEST(rule_new),
	KTAP_TEST(correlation_new),
	KTAP_TEST(point_insert_kprobe),
	KTAP_TEST(point_insert_kretprobe),
	KTAP_TEST(point_insert_ftrace),
	KTAP_TEST(point_insert_tracepoint),
	KTAP_TEST(open_of_a_node),
	KTAP_TEST(open_of_merged_in_debugfs),
	KTAP_TEST(marker),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
