// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/uio.h>

#include "guest.h"
#include "recording.h"
#include "sensor.h"

#define RING_SIZE	(8 << 20)
#define RECORDS_MAX	(1 << 18)

static struct sensor s;
static uint32_t subs[RECORDING_POINTS_MAX];
static unsigned int nr_subs;
static struct magnet_ctl_wish wish;
static struct record *records;
static unsigned int nr_records;

static uint32_t subscribe(const char *point)
{
	uint32_t id;

	NEED(!ctl_sub_new_wish(&s.ctl, point, s.buffer, 0, &wish, &id), "%s: %s", point,
	     s.ctl.error);
	return id;
}

void recording_make(void)
{
	if (!s.size)
		sensor_make(&s, RING_SIZE);
}

void recording_rules(const char *rules)
{
	wish.rules = rules;
}

void recording_start(const char *const *points)
{
	recording_make();
	for (nr_subs = 0; points[nr_subs]; nr_subs++) {
		NEED(nr_subs < RECORDING_POINTS_MAX, "too many points");
		subs[nr_subs] = subscribe(points[nr_subs]);
	}
}

static void keep(const void *data, size_t len)
{
	const void *end = (const char *)data + len;

	while (records_next(&data, end, &records[nr_records])) {
		const unsigned int event = records[nr_records].event;

		EXPECT(event != MAGNET_EVENT_LOST, "events were lost");
		if (event == MAGNET_EVENT_LOST || event == MAGNET_EVENT_CLOCK)
			continue;
		NEED(++nr_records < RECORDS_MAX, "too many records");
	}
}

/* A ring holds no more than its size, so one read takes it all. */
static void take(unsigned int cpu)
{
	struct iovec iov = { .iov_base = malloc(RING_SIZE), .iov_len = RING_SIZE };
	ssize_t got;

	sensor_open(&s, cpu);
	for (;;) {
		attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
		got = preadv2(s.fd, &iov, 1, -1, RWF_NOWAIT);
		if (got <= 0)
			break;
		/* Payloads stay where they were read. */
		keep(iov.iov_base, got);
		iov.iov_base = (char *)iov.iov_base + got;
		iov.iov_len -= got;
	}
	NEED(errno == EAGAIN, "read: %zd %s", got, strerror(errno));
	close(s.fd);
}

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->timer < y->timer ? -1 : x->timer > y->timer;
}

void recording_stop(void)
{
	uint64_t committed = 0;
	unsigned int i;

	for (i = 0; i < nr_subs; i++) {
		struct magnet_ctl_counters c;

		NEED(!ctl_sub_del(&s.ctl, subs[i], &c), "%s", s.ctl.error);
		EXPECT(c.hits == c.committed + c.filtered, "%llu hits, %llu committed",
		       (unsigned long long)c.hits, (unsigned long long)c.committed);
		committed += c.committed;
	}
	records = calloc(RECORDS_MAX, sizeof(*records));
	NEED(records, "no memory");
	for (i = 0; i < (unsigned int)sysconf(_SC_NPROCESSORS_ONLN); i++)
		take(i);
	EXPECT(nr_records == committed, "%u records, %llu committed", nr_records,
	       (unsigned long long)committed);
	qsort(records, nr_records, sizeof(*records), by_time);
}

const struct record *recording_find(const struct record *from, recording_match match,
				    const void *arg)
{
	const struct record *end = records + nr_records;

	for (from = from ? from : records; from < end; from++)
		if (match(from, arg))
			return from;
	return NULL;
}

unsigned int recording_count(recording_match match, const void *arg)
{
	const struct record *rec = recording_find(NULL, match, arg);
	unsigned int n = 0;

	for (; rec; rec = recording_find(rec + 1, match, arg))
		n++;
	return n;
}

static bool is_event(const struct record *rec, const void *event)
{
	return rec->event == *(const unsigned int *)event;
}

static bool is_own_event(const struct record *rec, const void *event)
{
	return is_event(rec, event) && rec->tgid == (uint32_t)getpid();
}

unsigned int recording_events(unsigned int event)
{
	return recording_count(is_event, &event);
}

unsigned int recording_own(unsigned int event)
{
	return recording_count(is_own_event, &event);
}

const struct record *recording_after(const struct record *rec, unsigned int event)
{
	return recording_find(rec ? rec + 1 : NULL, is_event, &event);
}

const struct record *recording_next_own(const struct record *rec, unsigned int event)
{
	return recording_find(rec ? rec + 1 : NULL, is_own_event, &event);
}
