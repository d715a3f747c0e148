// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/uio.h>

#include "guest.h"
#include "marks.h"
#include "sensor.h"

/* That of CLOCK records, see magnetk.c. */
#define CLOCK_PERIOD_US	10000000

static size_t text_of(uint64_t number, size_t len, char *text)
{
	size_t at = sprintf(text, "%llu ", (unsigned long long)number);

	for (len += number % 37; at < len; at++)
		text[at] = 'a' + (number + at) % 26;
	return at;
}

void marks_write(uint64_t first, uint64_t last, size_t len)
{
	static __thread char text[MAGNET_MARKER_MAX];
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/magnet/marker", O_WRONLY | O_CLOEXEC);
	NEED(fd >= 0, "marker: %s", strerror(errno));
	for (; first <= last; first++) {
		const size_t n = text_of(first, len, text);

		NEED(write(fd, text, n) == (ssize_t)n, "marker: %s", strerror(errno));
	}
}

static void check_mark(struct marks *m, const struct record *rec)
{
	static char text[MAGNET_MARKER_MAX];
	const struct magnet_marker *marker = rec->payload;
	size_t len;

	EXPECT(!m->events || rec->id == m->last + 1 + m->untold,
	       "marker %llu and %llu lost come before marker %llu", (unsigned long long)m->last,
	       (unsigned long long)m->untold, (unsigned long long)rec->id);
	/* It says itself how much longer than the others it is. */
	len = marker->len - rec->id % 37;
	EXPECT(rec->size == records_header_size() + sizeof(*marker) + (marker->len + 7) / 8 * 8 &&
	       text_of(rec->id, len, text) == marker->len &&
	       !memcmp(text, marker + 1, marker->len), "marker %llu has another text",
	       (unsigned long long)rec->id);
	if (!m->events++)
		m->first = rec->id;
	m->last = rec->id;
	m->untold = 0;
}

static void check(struct marks *m, const void *data, size_t len)
{
	const void *end = (const char *)data + len;
	struct record rec;

	m->bytes += len;
	while (records_next(&data, end, &rec)) {
		EXPECT(rec.timer >= m->timer, "time went back from %llu to %llu",
		       (unsigned long long)m->timer, (unsigned long long)rec.timer);
		m->timer = rec.timer;
		m->records++;
		if (rec.event == MAGNET_EVENT_MARKER) {
			check_mark(m, &rec);
		} else if (rec.event == MAGNET_EVENT_LOST) {
			m->untold += ((const struct magnet_lost *)rec.payload)->count;
			m->lost += ((const struct magnet_lost *)rec.payload)->count;
		} else {
			EXPECT(rec.event == MAGNET_EVENT_CLOCK, "event %#x", rec.event);
			m->clocks++;
		}
	}
}

void marks_read(int fd, struct marks *m)
{
	static char data[DATA_ROOM];
	const struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	ssize_t got;

	for (;;) {
		attr_need(fd, MAGNET_ATTR_FLUSH, 0);
		got = preadv2(fd, &iov, 1, -1, RWF_NOWAIT);
		if (got <= 0)
			break;
		check(m, data, got);
	}
	NEED(!got || errno == EAGAIN, "read: %s", strerror(errno));
	m->ended |= !got;
}

void marks_expect_clocks(uint64_t clocks, uint64_t wanted)
{
	const uint64_t periods = guest_elapsed_us() / CLOCK_PERIOD_US;

	if (clocks > wanted)
		guest_disturbed();
	/* Where a test takes that long, running it again does not help. */
	EXPECT(clocks >= wanted && clocks <= wanted + periods + !!periods,
	       "%llu CLOCK records, not %llu; %llu periods have passed",
	       (unsigned long long)clocks, (unsigned long long)wanted,
	       (unsigned long long)periods);
}
