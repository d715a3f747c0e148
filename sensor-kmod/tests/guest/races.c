// SPDX-License-Identifier: GPL-2.0-only
/*
 * An event and a reader that is about to sleep: whichever way they meet, the
 * reader gets the event.
 */
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "guest.h"
#include "sensor.h"

#define MEETINGS	1500
/* Asleep for so long beside an event that is there: nobody will wake it. */
#define MISSED_US	(3 * US_PER_S)

static struct sensor s;
/* How often each has come to where they meet. */
static unsigned int arrived[2];

struct party {
	pthread_t	thread;
	unsigned int	cpu;
	pid_t		tid;
	void		(*prepare)(void);
	void		(*act)(void);
};

static unsigned int arrivals(unsigned int cpu)
{
	return __atomic_load_n(&arrived[cpu], __ATOMIC_ACQUIRE);
}

static void *attend(void *arg)
{
	struct party *p = arg;
	unsigned int i, seed = p->cpu;

	guest_on_cpu(p->cpu);
	__atomic_store_n(&p->tid, guest_tid(), __ATOMIC_RELEASE);
	for (i = 1; i <= MEETINGS; i++) {
		unsigned int pause = rand_r(&seed) % 256;

		if (p->prepare)
			p->prepare();
		__atomic_store_n(&arrived[p->cpu], i, __ATOMIC_RELEASE);
		while (arrivals(!p->cpu) < i)
			;
		while (pause--)
			__asm__ __volatile__("");
		p->act();
	}
	__atomic_store_n(&arrived[p->cpu], MEETINGS + 1, __ATOMIC_RELEASE);
	return NULL;
}

static void emit_one(void)
{
	sensor_emit(1);
}

/* The writer waits for the reader, which sleeps beside the event. */
static bool missed(const struct party *reader, unsigned int meeting)
{
	return arrivals(0) == meeting && arrivals(1) > meeting &&
	       guest_sleeps_in(reader->tid, SYS_read);
}

static void meet(void (*prepare)(void), void (*act)(void))
{
	struct party reader = { .cpu = 0, .prepare = prepare, .act = act };
	struct party writer = { .cpu = 1, .act = emit_one };
	uint64_t since = guest_now_us();
	unsigned int last = 0;

	arrived[0] = 0;
	arrived[1] = 0;
	NEED(!pthread_create(&reader.thread, NULL, attend, &reader), "no thread");
	NEED(!pthread_create(&writer.thread, NULL, attend, &writer), "no thread");
	while (last <= MEETINGS) {
		if (arrivals(0) != last) {
			last = arrivals(0);
			since = guest_now_us();
		}
		REQUIRE(guest_now_us() - since < MISSED_US || !missed(&reader, last),
			"the reader missed event %u", last);
		usleep(100000);
	}
	pthread_join(reader.thread, NULL);
	pthread_join(writer.thread, NULL);
}

/* ---- a file that is opened ---- */

static void open_file(void)
{
	if (s.fd >= 0)
		close(s.fd);
	sensor_open(&s, 1);
	data_drain(s.fd);
}

static void read_one(void)
{
	struct batch b = {};

	while (!b.events)
		NEED(data_read(s.fd, &b, DATA_ROOM) > 0, "read failed");
	NEED(b.events == 1, "%u events", b.events);
}

static void first_read_of_a_file(void)
{
	sensor_make(&s, MAGNET_BUFFER_SIZE_MIN);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	meet(open_file, read_one);
}

/* ---- a file that is read again ---- */

static void next_read_of_a_file(void)
{
	sensor_make(&s, MAGNET_BUFFER_SIZE_MIN);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	open_file();
	meet(NULL, read_one);
}

/* ---- a watermark that is lowered for the next read ---- */

static void raise_watermark(void)
{
	attr_need(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK, 1000);
}

static void lower_watermark_and_read(void)
{
	attr_need(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK, 1);
	read_one();
}

static void lowered_watermark(void)
{
	sensor_make(&s, MAGNET_BUFFER_SIZE_MIN);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	open_file();
	meet(raise_watermark, lower_watermark_and_read);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(first_read_of_a_file),
	KTAP_TEST(next_read_of_a_file),
	KTAP_TEST(lowered_watermark),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
