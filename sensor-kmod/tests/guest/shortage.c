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

#include "guest.h"
#include "sensor.h"
#include "shortage.h"

/* No request makes more allocations than this, by far. */
#define ALLOCATIONS_MAX	3000
#define FAIL_NTH	"/proc/thread-self/fail-nth"

struct magnet_ctl ctl;
uint32_t sub;

/* ---- failing ---- */

static void need_written(const char *path, const char *text)
{
	NEED(guest_write_file(path, text), "%s: %s", path, strerror(errno));
}

/* All that may sleep counts as well, single pages too, and no stack is printed. */
void begin(void)
{
	NEED(!access(FAIL_NTH, F_OK), "this kernel has no fault injection; the debug kernel has");
	need_written("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	need_written("/sys/kernel/debug/failslab/verbose", "0");
	need_written("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	need_written("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	need_written("/sys/kernel/debug/fail_page_alloc/verbose", "0");
	/* What the test before made ends when magnetk gets to it. */
	UNTIL(!guest_file_has(MAGNET_CONTROL "/buffers", " port:") &&
	      !guest_file_has(MAGNET_CONTROL "/events", " dynamic "));
	NEED(!ctl_open(&ctl), "%s", ctl.error);
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

/* @nodes: with those below /dev. */
static char *state(bool nodes)
{
	const size_t size = 1 << 16;
	char *text = calloc(1, size);

	NEED(text, "no memory");
	add_file(text, size, MAGNET_CONTROL "/buffers");
	add_file(text, size, MAGNET_CONTROL "/events");
	add_file(text, size, MAGNET_CONTROL "/filters");
	add_folder(text, size, MAGNET_DEBUGFS "/data");
	add_folder(text, size, MAGNET_DEBUGFS "/data/" BUFFER);
	add_folder(text, size, "/sys/class/magnet");
	if (nodes) {
		add_folder(text, size, "/dev/magnet");
		add_folder(text, size, "/dev/magnet/" BUFFER);
	}
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

void nothing(void)
{
}

/* The state becomes what it was; magnetk may have to do that. */
static bool undone(const char *before, bool nodes, void (*undo)(void))
{
	unsigned int tries;
	bool same = false;
	char *after = NULL;

	undo();
	for (tries = 0; tries < 2000 && !same; tries++) {
		free(after);
		after = state(nodes);
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

static int open_fail_nth(void)
{
	const int fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC);

	NEED(fd >= 0, "fail-nth: %s", strerror(errno));
	return fd;
}

static void expect_all_failed(unsigned int n, bool failed, int result, unsigned int refused)
{
	EXPECT(!failed, "it was made to fail %u times", n);
	EXPECT_EQ(result < 0, 0);
	EXPECT(refused, "no failure was noticed");
	printf("# %u allocations, %u of them were told\n", n - 2, refused);
}

void each_allocation(int (*act)(void), void (*undo)(void), void (*check)(void))
{
	char *before = state(true);
	const int fd = open_fail_nth();
	unsigned int n, refused = 0;
	int result = 0;
	bool failed = true;

	for (n = 1; n < ALLOCATIONS_MAX && failed && !ktap_complaints; n++) {
		failed = fails(fd, n, act, &result);
		refused += result < 0;
		EXPECT(clean(result), "allocation %u: %s (%s)", n, strerror(-result), ctl.error);
		if (result >= 0 && check)
			check();
		if (!undone(before, true, undo))
			FAIL("that was allocation %u, with result %d", n, result);
	}
	expect_all_failed(n, failed, result, refused);
	close(fd);
	free(before);
}

/*
 * All of it is gone, or all of it is there still, and then it can be removed.
 * But the kernel, which takes memory to remove a node, leaves that behind
 * without any (device_del() can't fail), and finds it there the next time.
 */
static void expect_removal(int (*act)(void), int result, const char *there, const char *gone)
{
	char *after = state(false);

	if (strcmp(after, gone)) {
		EXPECT(result < 0, "it was not removed, and nobody was told");
		if (strcmp(after, there))
			show_difference(there, after);
		EXPECT(!act(), "%s", ctl.error);
	} else {
		EXPECT(!result || result == -ENOBUFS, "it was removed in spite of: %s",
		       strerror(-result));
	}
	free(after);
	undone(gone, false, nothing);
	NEED(!system("rm -rf /dev/magnet/" BUFFER " /dev/magnet/correlation-*"), "no rm");
}

void each_allocation_of_removal(void (*make)(void), int (*act)(void))
{
	const int fd = open_fail_nth();
	unsigned int n, refused = 0;
	char *gone = state(false);
	int result = 0;
	bool failed = true;

	for (n = 1; n < ALLOCATIONS_MAX && failed && !ktap_complaints; n++) {
		char *there;

		make();
		there = state(false);
		REQUIRE(strcmp(there, gone), "what is to be removed can't be seen");
		failed = fails(fd, n, act, &result);
		refused += result < 0;
		EXPECT(clean(result), "allocation %u: %s (%s)", n, strerror(-result), ctl.error);
		expect_removal(act, result, there, gone);
		free(there);
	}
	expect_all_failed(n, failed, result, refused);
	close(fd);
	free(gone);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(buffer_new),
	KTAP_TEST(buffer_del),
	KTAP_TEST(buffer_resize),
	KTAP_TEST(buffer_snapshot),
	KTAP_TEST(buffer_get),
	KTAP_TEST(sub_new_of_ftrace),
	KTAP_TEST(sub_new_of_tracepoint),
	KTAP_TEST(sub_new_of_marker),
	KTAP_TEST(sub_new_with_wishes),
	KTAP_TEST(sub_new_of_kprobe),
	KTAP_TEST(sub_new_of_kretprobe),
	KTAP_TEST(sub_set),
	KTAP_TEST(sub_del),
	KTAP_TEST(sub_get),
	KTAP_TEST(rule_new),
	KTAP_TEST(rule_del),
	KTAP_TEST(rule_get),
	KTAP_TEST(correlation_new_of_burst),
	KTAP_TEST(correlation_new_of_pair),
	KTAP_TEST(correlation_del),
	KTAP_TEST(correlation_get),
	KTAP_TEST(drop_reason_get),
	KTAP_TEST(point_insert_kprobe),
	KTAP_TEST(point_insert_kretprobe),
	KTAP_TEST(point_insert_ftrace),
	KTAP_TEST(point_insert_tracepoint),
	KTAP_TEST(point_remove),
	KTAP_TEST(point_set),
	KTAP_TEST(point_set_of_a_guard),
	KTAP_TEST(point_get),
	KTAP_TEST(info_get),
	KTAP_TEST(shutdown_of_all),
	KTAP_TEST(open_of_a_node),
	KTAP_TEST(open_of_a_debugfs_file),
	KTAP_TEST(open_of_merged_in_debugfs),
	KTAP_TEST(marker),
	KTAP_TEST(control_files),
	KTAP_TEST(signals),
	KTAP_TEST(aio_read),
	KTAP_TEST(epoll),
	KTAP_TEST(splice_to_a_pipe),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
