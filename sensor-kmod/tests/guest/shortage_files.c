// SPDX-License-Identifier: GPL-2.0-only
/*
 * test-shortage: what is done with files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <sys/epoll.h>

#include "guest.h"
#include "sensor.h"
#include "shortage.h"
#include "ways.h"

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

static int open_debugfs_file(void)
{
	opened = open(MAGNET_DEBUGFS "/data/" BUFFER "/cpu0", O_RDONLY | O_CLOEXEC);
	return opened < 0 ? -errno : 0;
}

static void close_opened(void)
{
	if (opened >= 0)
		close(opened);
	opened = -1;
}

void open_of_a_node(void)
{
	begin_with_buffer();
	each_allocation(open_node, close_opened, NULL);
	/* Had a failed open kept the ring, it would be busy now. */
	EXPECT_EQ(open_node(), 0);
}

void open_of_a_debugfs_file(void)
{
	begin_with_buffer();
	each_allocation(open_debugfs_file, close_opened, NULL);
	EXPECT_EQ(open_debugfs_file(), 0);
}

void open_of_merged_in_debugfs(void)
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

void marker(void)
{
	begin_with_buffer();
	NEED(!ctl_sub_new(&ctl, "marker", BUFFER, 0, &sub), "%s", ctl.error);
	each_allocation(write_marker, nothing, NULL);
}

/* ---- control files ---- */

static char control_file[128];

static int read_control_file(void)
{
	static char data[1 << 16];
	const int fd = open(control_file, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd;
	int result;

	while (got >= 0 && (got = read(fd, data, sizeof(data))) > 0)
		;
	result = got < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	return result;
}

void control_files(void)
{
	static const char *const names[] = {
		"events", "buffers", "filters", "format", "drop_reasons", "clock", "stats", "version",
	};
	unsigned int i;

	begin_with_buffer();
	NEED(!ctl_sub_new(&ctl, "marker", BUFFER, 0, &sub), "%s", ctl.error);
	for (i = 0; i < KTAP_SIZE(names); i++) {
		snprintf(control_file, sizeof(control_file), MAGNET_CONTROL "/%s",
			 names[i]);
		each_allocation(read_control_file, nothing, NULL);
	}
}

/* ---- ways to read, with a marker there or not ---- */

static void begin_reading(bool with_marker)
{
	begin_with_buffer();
	NEED(!ctl_sub_new(&ctl, "marker", BUFFER, 0, &sub), "%s", ctl.error);
	guest_on_cpu(0);
	NEED(!open_node(), "open: %s", strerror(errno));
	NEED(!fcntl(opened, F_SETFL, O_NONBLOCK), "O_NONBLOCK: %s", strerror(errno));
	/* The CLOCK record that each buffer begins with. */
	data_drain(opened);
	if (with_marker)
		NEED(!write_marker(), "no marker");
}

static int want_signals(void)
{
	return fcntl(opened, F_SETFL, O_NONBLOCK | O_ASYNC) ? -errno : 0;
}

static void want_no_signals(void)
{
	NEED(!fcntl(opened, F_SETFL, O_NONBLOCK), "O_ASYNC off: %s", strerror(errno));
}

void signals(void)
{
	begin_reading(false);
	each_allocation(want_signals, want_no_signals, NULL);
}

static struct aio aio;
static struct iocb iocb;
static bool submitted;

static int submit_read(void)
{
	static char data[4096];
	long taken;

	iocb = aio_request(IOCB_CMD_PREAD, opened, data, sizeof(data));
	taken = aio_submit(&aio, &iocb);
	submitted = taken == 1;
	return submitted ? 0 : taken;
}

/* Nothing comes, so it waits until it is not wanted any more; or it was never taken. */
static void cancel_read(void)
{
	struct io_event event;

	if (!submitted)
		return;
	aio_cancel(&aio, &iocb);
	aio_get(&aio, &event, true);
	EXPECT(event.res == -ECANCELED || event.res == -ENOMEM, "the read ended with %lld",
	       (long long)event.res);
	submitted = false;
}

/* That the kernel has no memory for its own part is told by the event. */
static int read_by_aio(void)
{
	struct io_event event;
	int result = submit_read();

	if (!result && aio_get(&aio, &event, false)) {
		submitted = false;
		result = event.res;
	}
	return result;
}

void aio_read(void)
{
	begin_reading(false);
	NEED(!fcntl(opened, F_SETFL, 0), "blocking: %s", strerror(errno));
	aio_begin(&aio);
	each_allocation(read_by_aio, cancel_read, NULL);
	aio_end(&aio);
}

static int epolls = -1;

static int watch_by_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	epolls = epoll_create1(EPOLL_CLOEXEC);
	return epolls < 0 || epoll_ctl(epolls, EPOLL_CTL_ADD, opened, &event) ? -errno : 0;
}

static void unwatch(void)
{
	if (epolls >= 0)
		close(epolls);
	epolls = -1;
}

static void expect_ready(void)
{
	struct epoll_event event;

	EXPECT_EQ(epoll_wait(epolls, &event, 1, 0), 1);
}

void epoll(void)
{
	begin_reading(true);
	each_allocation(watch_by_epoll, unwatch, expect_ready);
}

static int pipes[2];

static int splice_marker(void)
{
	const ssize_t got = splice(opened, NULL, pipes[1], NULL, 65536, SPLICE_F_NONBLOCK);

	return got < 0 ? -errno : 0;
}

static struct batch read_pipe(void)
{
	char data[4096] __attribute__((aligned(8)));
	const ssize_t got = read(pipes[0], data, sizeof(data));
	struct batch b = {};

	if (got > 0)
		batch_add(&b, data, got);
	return b;
}

/* What did not come through the pipe is in the file still; then there is another. */
static void marker_is_not_lost(void)
{
	const struct batch spliced = read_pipe(), left = data_drain(opened);

	EXPECT(spliced.events + left.events == 1, "%u were spliced, %u are left", spliced.events,
	       left.events);
	NEED(!write_marker(), "no marker");
}

void splice_to_a_pipe(void)
{
	begin_reading(true);
	NEED(!pipe2(pipes, O_NONBLOCK | O_CLOEXEC), "pipe: %s", strerror(errno));
	each_allocation(splice_marker, marker_is_not_lost, NULL);
}
