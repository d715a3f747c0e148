// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often an event may come, also where the timer began anew.
 */
#include "../ktap.h"
#include "pace.h"
#include "paces.h"

/* Ticks. */
#define MS	3000000ull
#define SECOND	(1000 * MS)
#define DAY	(86400 * SECOND)

static const struct {
	const char	*what;
	u64		last;
	u64		now;
	u64		ticks;
	bool		passed;
} times[] = {
	{ "the first of all", 0, DAY, SECOND, true },
	{ "to the tick", DAY, DAY + 10 * MS, 10 * MS, true },
	{ "a tick too early", DAY, DAY + 10 * MS - 1, 10 * MS, false },
	{ "at the same time", DAY, DAY, 10 * MS, false },
	{ "every one", DAY, DAY, 0, true },
	{ "long after", DAY, 300 * DAY, 10 * MS, true },
	{ "across the largest number", -5 * MS, 5 * MS, 10 * MS, true },
	{ "across the largest number, too early", -5 * MS, 5 * MS - 1, 10 * MS, false },
	{ "another CPU's is a little younger", DAY, DAY - 10 * MS, 10 * MS, false },
	{ "another CPU's is a second younger", DAY, DAY - SECOND, 10 * MS, false },
	{ "the timer went back by more than a second", DAY, DAY - SECOND - 1, 10 * MS, true },
	{ "the timer began anew", DAY, 5 * MS, 10 * MS, true },
	{ "the timer began anew, and the time is an hour", DAY, 5 * MS, 3600 * SECOND, true },
	{ "a day is the time, and an hour has passed", DAY, DAY + 3600 * SECOND, DAY, false },
};

void one_in_a_time_comes(void)
{
	unsigned int i;

	for (i = 0; i < KTAP_SIZE(times); i++) {
		const bool passed = magnet_pace_passed(times[i].last, times[i].now, times[i].ticks,
						       SECOND);

		EXPECT(passed || !times[i].passed, "%s: it is refused", times[i].what);
		EXPECT(!passed || times[i].passed, "%s: it is let through", times[i].what);
	}
}

/* A hundred a second, five at once. */
static const struct magnet_pace pace = {
	.interval = 10 * MS,
	.tolerance = 4 * 10 * MS,
	.second = SECOND,
};

static const struct {
	const char	*what;
	u64		due;
	u64		now;
	u64		next;	/* 0: refused */
} buckets[] = {
	{ "the first of all", 0, DAY, DAY + 10 * MS },
	{ "just due", DAY, DAY, DAY + 10 * MS },
	{ "long due", DAY, 2 * DAY, 2 * DAY + 10 * MS },
	{ "a little early", DAY, DAY - 10 * MS, DAY + 10 * MS },
	{ "as early as it may be", DAY, DAY - 40 * MS, DAY + 10 * MS },
	{ "a tick too early", DAY, DAY - 40 * MS - 1, 0 },
	{ "as early as it can be", DAY, DAY - 50 * MS, 0 },
	{ "who interrupted it was let through", DAY, DAY - 60 * MS, 0 },
	{ "who interrupted it took a second", DAY, DAY - 50 * MS - SECOND, 0 },
	{ "the timer went back by more", DAY, DAY - 50 * MS - SECOND - 1,
	  DAY - 40 * MS - SECOND - 1 },
	{ "the timer began anew", DAY, 5 * MS, 15 * MS },
	{ "across the largest number", 10 * MS, -20 * MS, 20 * MS },
	{ "across the largest number, too early", 10 * MS, -30 * MS - 1, 0 },
};

void bucket_lets_through(void)
{
	unsigned int i;

	for (i = 0; i < KTAP_SIZE(buckets); i++) {
		u64 next = 0;
		const bool may = magnet_pace_next(&pace, buckets[i].due, buckets[i].now, &next);

		EXPECT(may || !buckets[i].next, "%s: it is refused", buckets[i].what);
		EXPECT(!may || buckets[i].next, "%s: it is let through", buckets[i].what);
		EXPECT(!may || next == buckets[i].next, "%s: the next one is due at %llu, not %llu",
		       buckets[i].what, (unsigned long long)next,
		       (unsigned long long)buckets[i].next);
	}
}

/* How many of the events that come each millisecond for so long are let through. */
static unsigned int let_through(u64 *due, u64 begin, unsigned int ms)
{
	unsigned int i, n = 0;

	for (i = 0; i < ms; i++)
		n += magnet_pace_next(&pace, *due, begin + i * MS, due);
	return n;
}

void bucket_keeps_its_rate(void)
{
	u64 due = 0;

	/* One each 10 ms, and at the beginning four that are not yet due. */
	EXPECT_EQ(let_through(&due, DAY, 10000), 1000 + 4);
	/* It has been quiet: the same again. */
	EXPECT_EQ(let_through(&due, 2 * DAY, 10000), 1000 + 4);
}

void bucket_begins_anew(void)
{
	u64 due = 0;

	let_through(&due, DAY, 10000);
	EXPECT_EQ(let_through(&due, MS, 10000), 1000 + 4);
}
