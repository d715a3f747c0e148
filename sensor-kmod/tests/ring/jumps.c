// SPDX-License-Identifier: GPL-2.0-only
/*
 * What counts as a jump of the timer, and what does not.
 */
#include "../ktap.h"
#include "jump.h"
#include "jumps.h"

#define MS	((u64)NSEC_PER_MSEC)
#define SECOND	((u64)NSEC_PER_SEC)
#define DAY	(86400 * SECOND)
#define YEAR	(365 * DAY)

/* What @ns explain beside themselves. */
#define MOST(ns)	((ns) / 8 + 20 * MS)

/* One where a tick is a nanosecond, one where it is three to it, and one of an arm64 machine. */
enum { GHZ = 1000000, GHZ_3 = 3000000, MHZ_24 = 24000, MHZ_2900 = 2893202 };

/* 128 bits. */
typedef unsigned int wide __attribute__((mode(TI)));

/* Of @ns nanoseconds, rounded down. */
#define TICKS(ns, khz)	((u64)((wide)(ns) * (khz) / NSEC_PER_MSEC))

static const struct {
	const char	*what;
	u64		ticks;
	u64		ns;
	u32		khz;
	bool		explained;
} cases[] = {
	{ "nothing has passed", 0, 0, GHZ, true },
	{ "a second agrees", TICKS(SECOND, GHZ_3), SECOND, GHZ_3, true },
	{ "a second agrees, of an odd frequency", TICKS(SECOND, MHZ_2900), SECOND, MHZ_2900, true },
	{ "a day agrees", TICKS(DAY, GHZ_3), DAY, GHZ_3, true },
	{ "a day agrees, slowly", TICKS(DAY, MHZ_24), DAY, MHZ_24, true },

	{ "500 ppm ahead for 10 s", TICKS(10 * SECOND + 5 * MS, GHZ_3), 10 * SECOND, GHZ_3, true },
	{ "500 ppm behind for 10 s", TICKS(10 * SECOND - 5 * MS, GHZ_3), 10 * SECOND, GHZ_3, true },
	{ "500 ppm ahead for a year", TICKS(YEAR + YEAR / 2000, GHZ_3), YEAR, GHZ_3, true },
	{ "500 ppm behind for a year", TICKS(YEAR - YEAR / 2000, GHZ_3), YEAR, GHZ_3, true },
	{ "adjtimex's tick, a tenth", TICKS(DAY + DAY / 10, GHZ_3), DAY, GHZ_3, true },
	{ "a fifth ahead", TICKS(DAY + DAY / 5, GHZ_3), DAY, GHZ_3, false },
	{ "a fifth behind", TICKS(DAY - DAY / 5, GHZ_3), DAY, GHZ_3, false },

	{ "at once, to the bound", 20 * MS, 0, GHZ, true },
	{ "at once, a tick beyond", 20 * MS + 1, 0, GHZ, false },
	{ "at once, back to the bound", -20 * MS, 0, GHZ, true },
	{ "at once, back a tick beyond", -20 * MS - 1, 0, GHZ, false },
	{ "10 s, to the bound", 10 * SECOND + MOST(10 * SECOND), 10 * SECOND, GHZ, true },
	{ "10 s, a tick beyond", 10 * SECOND + MOST(10 * SECOND) + 1, 10 * SECOND, GHZ, false },
	{ "10 s, behind to the bound", 10 * SECOND - MOST(10 * SECOND), 10 * SECOND, GHZ, true },
	{ "10 s, behind a tick beyond", 10 * SECOND - MOST(10 * SECOND) - 1, 10 * SECOND, GHZ,
	  false },
	{ "not quite a millisecond, to the bound", MS - 1 + MOST(MS - 1), MS - 1, GHZ, true },
	{ "not quite a millisecond, a tick beyond", MS + MOST(MS - 1), MS - 1, GHZ, false },
	{ "to the bound, three ticks to a nanosecond", 3 * (SECOND + MOST(SECOND)), SECOND, GHZ_3,
	  true },
	{ "a tick beyond, three to a nanosecond", 3 * (SECOND + MOST(SECOND)) + 1, SECOND, GHZ_3,
	  false },
	{ "behind a tick beyond, three to a nanosecond", 3 * (SECOND - MOST(SECOND)) - 1, SECOND,
	  GHZ_3, false },
	{ "slowly, to the bound", TICKS(10 * SECOND + MOST(10 * SECOND), MHZ_24), 10 * SECOND,
	  MHZ_24, true },
	{ "slowly, a tick beyond", TICKS(10 * SECOND + MOST(10 * SECOND), MHZ_24) + 1, 10 * SECOND,
	  MHZ_24, false },

	{ "it stood still for 10 s", 0, 10 * SECOND, GHZ_3, false },
	{ "CLOCK_MONOTONIC stood still for 10 s", TICKS(10 * SECOND, GHZ_3), 0, GHZ_3, false },
	{ "it began anew after a day", TICKS(5 * SECOND, GHZ_3) - TICKS(DAY, GHZ_3), 5 * SECOND,
	  GHZ_3, false },
	{ "it began anew and has come back to where it was", -TICKS(10 * MS, GHZ_3), DAY, GHZ_3,
	  false },
	{ "it began anew and is a little beyond where it was", TICKS(10 * MS, GHZ_3), DAY, GHZ_3,
	  false },
	{ "it jumped an hour ahead", TICKS(3610 * SECOND, GHZ_3), 10 * SECOND, GHZ_3, false },
	{ "it jumped a year ahead", TICKS(YEAR, MHZ_24), 10 * SECOND, MHZ_24, false },
	{ "it jumped as far ahead as there is", 1ull << 63, 10 * SECOND, GHZ_3, false },
	{ "the same, slowly", 1ull << 63, 10 * SECOND, MHZ_24, false },
	{ "it jumped back as far as there is", (1ull << 63) + 1, 10 * SECOND, GHZ_3, false },
	{ "the same, slowly", (1ull << 63) + 1, 10 * SECOND, MHZ_24, false },

	{ "it jumped 2^64 ns ahead, slowly", TICKS((wide)1 << 64, MHZ_24) + 1, 0,
	  MHZ_24, false },

	{ "150 years agree", TICKS(150 * YEAR, GHZ), 150 * YEAR, GHZ, true },
	{ "150 years agree, and it has passed its largest number", TICKS(150 * YEAR, GHZ_3),
	  150 * YEAR, GHZ_3, true },
	{ "150 years, and a fifth is missing", TICKS(120 * YEAR, GHZ_3), 150 * YEAR, GHZ_3, false },
	{ "150 years agree, slowly", TICKS(150 * YEAR, MHZ_24), 150 * YEAR, MHZ_24, true },
	{ "150 years, and it stood still", 0, 150 * YEAR, MHZ_24, false },
};

void timer_is_explained(void)
{
	unsigned int i;

	for (i = 0; i < KTAP_SIZE(cases); i++) {
		const bool jumped = !magnet_timer_explained(cases[i].ticks, cases[i].ns,
							    cases[i].khz);

		EXPECT(!jumped || !cases[i].explained, "%s: that is a jump", cases[i].what);
		EXPECT(jumped || cases[i].explained, "%s: that is no jump", cases[i].what);
	}
}

void first_look_is_no_jump(void)
{
	struct magnet_look last = {};

	EXPECT(magnet_look_agrees(&last, (struct magnet_look){ 1ull << 60, DAY }, GHZ),
	       "there is nothing to compare it with");
	EXPECT_EQ(last.timer, 1ull << 60);
	EXPECT_EQ(last.ns, DAY);
}

void jump_is_seen_once(void)
{
	struct magnet_look last = { DAY, 10 * SECOND };

	EXPECT(!magnet_look_agrees(&last, (struct magnet_look){ 5 * SECOND, 20 * SECOND }, GHZ),
	       "the timer began anew, and nobody has seen it");
	EXPECT(magnet_look_agrees(&last, (struct magnet_look){ 15 * SECOND, 30 * SECOND }, GHZ),
	       "a jump is seen twice");
	/* Across the largest number there is. */
	last = (struct magnet_look){ -5 * SECOND, 10 * SECOND };
	EXPECT(magnet_look_agrees(&last, (struct magnet_look){ 5 * SECOND, 20 * SECOND }, GHZ),
	       "the timer went on, past its largest number");
}

/* Two CPUs look, and the one that looked first comes last. */
void older_look_says_nothing(void)
{
	struct magnet_look last = { DAY, 10 * SECOND };

	EXPECT(magnet_look_agrees(&last, (struct magnet_look){ 5, 10 * SECOND - 1 }, GHZ),
	       "a look from before a jump tells of it again");
	EXPECT_EQ(last.timer, DAY);
	EXPECT_EQ(last.ns, 10 * SECOND);
}
