// SPDX-License-Identifier: GPL-2.0-only
/*
 * The largest ring, 256 MiB, filled to its end and around it, and every byte
 * read. Most of the time goes into making and comparing these bytes.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "guest.h"
#include "marks.h"
#include "sensor.h"

#define LARGEST		(256ULL << 20)
#define LEN		3900
/* More than there is room for, whatever the layout's header adds. */
#define ENOUGH		(LARGEST / LEN + 1000)
/* No record is longer, so that less than this is left of a full ring. */
#define LONGEST		(MAGNET_MARKER_MAX + 64)

static struct sensor s;

static struct marks fill_and_read(uint64_t first)
{
	struct marks m = {};

	marks_write(first, first + ENOUGH - 1, LEN);
	marks_read(s.fd, &m);
	EXPECT_EQ(m.first, first);
	EXPECT_EQ(m.last, first + m.events - 1);
	EXPECT_EQ(m.events + m.lost, ENOUGH);
	EXPECT(m.lost, "it was not full");
	EXPECT(records_in_ring(m.bytes, m.records) > LARGEST - LONGEST, "%llu bytes",
	       (unsigned long long)m.bytes);
	return m;
}

/* The second time positions are beyond the ring's size, and records lie across its end. */
static void largest_ring_keeps_all_it_has_room_for(void)
{
	struct magnet_ctl_counters c;
	struct marks one, two;

	sensor_make(&s, LARGEST);
	sensor_subscribe(&s, "marker", 0);
	sensor_open(&s, 0);
	guest_on_cpu(0);
	one = fill_and_read(1);
	two = fill_and_read(ENOUGH + 1);
	NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.hits, 2 * ENOUGH);
	EXPECT_EQ(c.committed, one.events + two.events);
	EXPECT_EQ(c.dropped_full, one.lost + two.lost);
	printf("# %llu and %llu events of %llu each time\n", (unsigned long long)one.events,
	       (unsigned long long)two.events, (unsigned long long)ENOUGH);
	sensor_end(&s);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(largest_ring_keeps_all_it_has_room_for),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
