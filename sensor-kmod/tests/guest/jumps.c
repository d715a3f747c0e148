// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer and CLOCK_MONOTONIC part, while the machine runs: every ring is told,
 * once, and nothing is joined across. magnet_jump.ko, which has to be loaded,
 * makes them part.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"
#include "marks.h"
#include "request.h"
#include "sensor.h"

#define AHEAD		"/sys/module/magnet_jump/parameters/ahead"
#define UNSTABLE	"/sys/module/magnet_jump/parameters/unstable"
#define CPUS		2
#define MS_NS		1000000ULL
#define HOUR_NS		(3600 * 1000 * MS_NS)
#define RECORDS_MAX	4096

static struct sensor s;

/* CLOCK_MONOTONIC goes on by so much at once, beside what it did in earlier tests. */
static void jump(uint64_t ns)
{
	unsigned long long ahead = 0;
	FILE *file = fopen(AHEAD, "re");
	char text[32];

	NEED(file && fscanf(file, "%llu", &ahead) == 1, "magnet_jump: %s", strerror(errno));
	fclose(file);
	snprintf(text, sizeof(text), "%llu", ahead + (unsigned long long)ns);
	NEED(guest_write_file(AHEAD, text), "magnet_jump: %s", strerror(errno));
}

static void start(const char *file)
{
	char path[128];

	guest_on_cpu(0);
	sensor_make(&s, 0);
	sensor_subscribe(&s, "marker", 0);
	snprintf(path, sizeof(path), "/dev/magnet/%s/%s", s.buffer, file);
	s.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	NEED(s.fd >= 0, "%s: %s", path, strerror(errno));
}

static void flush(void)
{
	NEED(lseek(s.fd, MAGNET_ATTR(MAGNET_ATTR_FLUSH, 0), SEEK_SET) == 0, "flush: %s",
	     strerror(errno));
}

static void mark_on(unsigned int cpu, unsigned int first, unsigned int last)
{
	guest_on_cpu(cpu);
	marks_write(first, last, 16);
}

/* ---- what was read ---- */

/*
 * Markers by their number, and CLOCK records that begin an epoch; and how many
 * matches of a filter there were, the last one of which number.
 */
struct seen {
	unsigned int	n;
	struct {
		bool		begins;
		unsigned int	cpu;
		uint64_t	number;
	} at[RECORDS_MAX];
	unsigned int	begun[CPUS];
	uint32_t	epoch[CPUS];
	bool		clock[CPUS];
	uint32_t	flags;
	unsigned int	found;
	uint64_t	found_last;
};

static void see_clock(struct seen *seen, const struct record *rec)
{
	const struct magnet_clock *clock = rec->payload;

	REQUIRE(rec->cpu < CPUS, "CPU %u", rec->cpu);
	if (seen->clock[rec->cpu] && seen->epoch[rec->cpu] != clock->epoch) {
		EXPECT_EQ(clock->epoch, seen->epoch[rec->cpu] + 1);
		seen->begun[rec->cpu]++;
		seen->at[seen->n].begins = true;
		seen->at[seen->n++].cpu = rec->cpu;
	}
	seen->flags = clock->flags;
	seen->clock[rec->cpu] = true;
	seen->epoch[rec->cpu] = clock->epoch;
}

static void look(struct seen *seen)
{
	static char data[1 << 16];
	const void *at;
	struct record rec;
	ssize_t got;

	while ((got = read(s.fd, data, sizeof(data))) > 0) {
		for (at = data; records_next(&at, data + got, &rec);) {
			REQUIRE(seen->n < RECORDS_MAX, "too many records");
			EXPECT(rec.event != MAGNET_EVENT_LOST, "events were lost");
			if (rec.event == MAGNET_EVENT_CLOCK)
				see_clock(seen, &rec);
			if (rec.event == MAGNET_EVENT_CORRELATED) {
				seen->found++;
				seen->found_last = rec.id;
			}
			if (rec.event != MAGNET_EVENT_MARKER)
				continue;
			seen->at[seen->n].cpu = rec.cpu;
			seen->at[seen->n++].number = rec.id;
		}
	}
}

/* ---- tests ---- */

/* Who flushes sees it, and magnetk tells the other rings. */
static void every_ring_is_told(void)
{
	static struct seen seen;
	unsigned int i, old = 0, young = 0;

	start("merged");
	mark_on(0, 1, 10);
	mark_on(1, 11, 20);
	jump(HOUR_NS);
	flush();
	UNTIL((look(&seen), seen.begun[0] && seen.begun[1]));
	mark_on(0, 21, 30);
	mark_on(1, 31, 40);
	flush();
	UNTIL((flush(), look(&seen), seen.n >= 42));
	EXPECT_EQ(seen.n, 42);
	EXPECT_EQ(seen.begun[0], 1);
	EXPECT_EQ(seen.begun[1], 1);
	for (i = 0; i < seen.n; i++) {
		if (seen.at[i].begins)
			continue;
		old += seen.at[i].number <= 20;
		young += seen.at[i].number > 20;
		EXPECT(!young || old == 20, "marker %llu of the older epoch comes late",
		       (unsigned long long)seen.at[i].number);
	}
	EXPECT_EQ(young, 20);
}

/* Nobody reads: magnetk looks, in time. */
static void it_is_noticed_without_a_reader(void)
{
	static struct seen seen;

	start("merged");
	mark_on(0, 1, 1);
	mark_on(1, 2, 2);
	jump(HOUR_NS);
	UNTIL((look(&seen), seen.begun[0] && seen.begun[1]));
}

/* An eighth of the time and 20 ms are no jump. */
static void slewing_is_no_jump(void)
{
	static struct seen seen;
	unsigned int i;

	start("merged");
	flush();
	for (i = 0; i < 20; i++) {
		jump(5 * MS_NS);
		guest_nap();
		mark_on(i % CPUS, i, i);
		flush();
		look(&seen);
	}
	UNTIL((flush(), look(&seen), seen.n >= 20));
	EXPECT_EQ(seen.n, 20);
	EXPECT_EQ(seen.begun[0] + seen.begun[1], 0);
}

/* How far two events are apart that have an epoch's border between them nobody knows. */
static void no_filter_joins_two_epochs(void)
{
	static struct seen seen;
	struct request r;
	struct answer answer;

	start("merged");
	request_begin(&r, &s.ctl, MAGNET_CMD_CORRELATION_NEW);
	request_put_text(&r, MAGNET_A_DEFINITION, "burst marker more than 1 in 1h");
	request_put_text(&r, MAGNET_A_BUFFER, s.buffer);
	answer = request_send(&r, &s.ctl, NULL, NULL);
	REQUIRE(!answer.error, "%s", answer.text);
	mark_on(0, 7, 7);
	jump(HOUR_NS);
	flush();
	UNTIL((look(&seen), seen.begun[0] && seen.begun[1]));
	mark_on(0, 7, 7);
	mark_on(0, 8, 8);
	mark_on(0, 8, 8);
	UNTIL((look(&seen), seen.found));
	/* A match of number 7 would have come before it. */
	EXPECT_EQ(seen.found, 1);
	EXPECT_EQ(seen.found_last, 8);
	mark_on(0, 7, 7);
	UNTIL((look(&seen), seen.found > 1));
	EXPECT_EQ(seen.found, 2);
	EXPECT_EQ(seen.found_last, 7);
}

/* There is no other timer on arm64. */
#ifdef __x86_64__
static uint32_t clock_flags(void)
{
	return request_info_u32(&s.ctl, MAGNET_A_CLOCK_FLAGS);
}

static void an_unstable_tsc_is_told(void)
{
	struct seen seen = {};

	start("merged");
	EXPECT_EQ(clock_flags(), 0);
	NEED(guest_write_file(UNSTABLE, "1"), UNSTABLE ": %s", strerror(errno));
	EXPECT_EQ(clock_flags(), MAGNET_CLOCK_F_UNSTABLE);
	EXPECT(guest_file_has(MAGNET_CONTROL "/clock", "trusted no"), "control/clock trusts it");
	/* A CLOCK record says it, too: one comes with the epoch. */
	mark_on(0, 1, 1);
	jump(HOUR_NS);
	flush();
	UNTIL((look(&seen), seen.begun[0]));
	EXPECT_EQ(seen.flags, MAGNET_CLOCK_F_UNSTABLE);
	NEED(guest_write_file(UNSTABLE, "0"), UNSTABLE ": %s", strerror(errno));
	EXPECT_EQ(clock_flags(), 0);
	EXPECT(guest_file_has(MAGNET_CONTROL "/clock", "trusted yes"), "control/clock does not trust it");
}
#endif

static const struct ktap_test tests[] = {
	KTAP_TEST(every_ring_is_told),
	KTAP_TEST(it_is_noticed_without_a_reader),
	KTAP_TEST(slewing_is_no_jump),
	KTAP_TEST(no_filter_joins_two_epochs),
#ifdef __x86_64__
	KTAP_TEST(an_unstable_tsc_is_told),
#endif
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
