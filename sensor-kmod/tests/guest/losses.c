// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loss by cause and CPU: module/magnet_losses.ko, which is loaded, makes a known
 * number of events that can't be logged. Each is counted on its CPU under its
 * cause, no other, and told in that CPU's ring.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"
#include "request.h"
#include "sensor.h"

#define POINT		"magnet_losses"
#define ORDER		"/sys/module/magnet_losses/parameters/order"
/* What the event may have, and the least that is too much. */
#define LARGEST		8008
#define TOO_BIG		8009

static struct sensor s;
/* On CPU 0 and 1; primes. */
static const unsigned int times[] = { 101, 37 };

static void order(const char *what, unsigned int size, unsigned int n)
{
	char text[64];

	snprintf(text, sizeof(text), "%s %u %u", what, size, n);
	NEED(guest_write_file(ORDER, text), "%s: %s", text, strerror(errno));
}

static void keep_id(struct attrs attrs, void *id)
{
	*(uint32_t *)id = attrs_u32(attrs, MAGNET_A_SUB_ID);
}

static void subscribe(uint32_t counters)
{
	struct request r;
	struct answer a;

	request_begin(&r, &s.ctl, MAGNET_CMD_SUB_NEW);
	request_put_text(&r, MAGNET_A_POINT, POINT);
	request_put_text(&r, MAGNET_A_BUFFER, s.buffer);
	if (counters)
		request_put_u32(&r, MAGNET_A_COUNTERS, counters);
	a = request_send(&r, &s.ctl, keep_id, &s.sub);
	NEED(!a.error, "%s", a.text);
}

/* Of each of the events on a CPU: how many in which way. */
struct share {
	unsigned int	committed;
	unsigned int	big;
	unsigned int	recursion;
};

static void expect_counters(const struct share *share, unsigned int cpu)
{
	const unsigned int n = times[cpu];
	char line[256];

	snprintf(line, sizeof(line),
		 "subscription %u " POINT " %s cpu%u hits %u committed %u filtered 0 sampled_out 0 dropped_full 0 dropped_big %u dropped_recursion %u dropped_storm 0",
		 s.sub, s.buffer, cpu, n * (share->committed + share->big + share->recursion),
		 n * share->committed, n * share->big, n * share->recursion);
	EXPECT(guest_file_has(MAGNET_CONTROL "/stats", line), "there is no line %s", line);
}

/* What is lost is told; what is logged is there, with a record of counters each if so wanted. */
static void expect_records(const struct share *share, unsigned int cpu, unsigned int per_event)
{
	struct batch batch;

	sensor_open(&s, cpu);
	batch = data_drain(s.fd);
	EXPECT_EQ(batch.events, times[cpu] * share->committed * per_event);
	EXPECT_EQ(batch.lost, times[cpu] * (share->big + share->recursion));
	close(s.fd);
}

static void expect_share(const char *what, unsigned int size, const struct share *share,
			 unsigned int per_event)
{
	const uint64_t n = times[0] + times[1];
	struct magnet_ctl_counters c;
	unsigned int cpu;

	for (cpu = 0; cpu < 2; cpu++) {
		guest_on_cpu(cpu);
		order(what, size, times[cpu]);
	}
	for (cpu = 0; cpu < 2; cpu++)
		expect_counters(share, cpu);
	NEED(!ctl_sub_del(&s.ctl, s.sub, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.committed, n * share->committed);
	EXPECT_EQ(c.dropped_big, n * share->big);
	EXPECT_EQ(c.dropped_recursion, n * share->recursion);
	EXPECT_EQ(c.hits, c.committed + c.dropped_big + c.dropped_recursion);
	for (cpu = 0; cpu < 2; cpu++)
		expect_records(share, cpu, per_event);
	sensor_end(&s);
}

/* As it is; and where gates look at each event first, which COUNTERS records show. */
static void expect_both(const char *what, unsigned int size, const struct share *share)
{
	sensor_make(&s, 4 << 20);
	subscribe(0);
	expect_share(what, size, share, 1);
	sensor_make(&s, 4 << 20);
	subscribe(MAGNET_COUNTER_CPU_CLOCK);
	expect_share(what, size, share, 2);
}

static void the_largest_is_added(void)
{
	expect_both("add", LARGEST, &(struct share){ .committed = 1 });
}

static void too_big_to_be_added(void)
{
	expect_both("add", TOO_BIG, &(struct share){ .big = 1 });
}

static void the_largest_is_reserved(void)
{
	expect_both("reserve", LARGEST, &(struct share){ .committed = 1 });
}

static void too_big_to_be_reserved(void)
{
	expect_both("reserve", TOO_BIG, &(struct share){ .big = 1 });
}

/* Of three events inside each other the innermost is refused. */
static void recursion(void)
{
	expect_both("nested", 8, &(struct share){ .committed = 2, .recursion = 1 });
}

int main(int argc, char **argv)
{
	static const struct ktap_test tests[] = {
		KTAP_TEST(the_largest_is_added),
		KTAP_TEST(too_big_to_be_added),
		KTAP_TEST(the_largest_is_reserved),
		KTAP_TEST(too_big_to_be_reserved),
		KTAP_TEST(recursion),
	};

	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
