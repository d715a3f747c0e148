// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring under fire: a thread logs, signals of three levels interrupt it and
 * each other at any instruction, and another thread reads and checks.
 *
 * RING_SEED repeats the sizes, RING_EVENTS sets how many interrupts of each
 * level a storm has.
 *
 * The thread sanitizer (RING_TSAN) holds a signal back until the next access
 * it knows, and all others until that signal's handler is done. So there the
 * writer sends them to itself before accesses, at random, from handlers too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../ktap.h"
#include "fixture.h"

struct storm {
	unsigned long	ring_size;
	u32		largest;	/* bytes of a record */
	unsigned int	reader_naps;	/* microseconds between two reads */
	bool		overflows;	/* the reader begins when something was dropped */
	bool		one_by_one;	/* the reader consumes record by record */
	bool		exchanges;	/* the ring gets other memory again and again */
	bool		overwrite;	/* nobody reads until the end */
	bool		marks;		/* a reader sleeps: each record leaves a mark */
};

static const struct storm *storm;
static u64 events = 1500;
static u64 seeds[LEVELS];
static bool writer_is_done;

/* xorshift; each level has its own, so that no handler disturbs another. */
static u32 random_size(unsigned int level)
{
	u64 x = seeds[level];

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	seeds[level] = x;
	return header_size() + (x >> 16) % (storm->largest - header_size() + 8) / 8 * 8;
}

/* The reader's, or whose who exchanges the memory. */
static pthread_mutex_t memory = PTHREAD_MUTEX_INITIALIZER;
static u64 exchanges, refusals;

static void exchange(int (*lock)(pthread_mutex_t *mutex))
{
	int err;

	if (!storm->exchanges || lock(&memory))
		return;
	if (ring.overwrite)
		magnet_ring_shrink(&ring, storm->ring_size);
	err = ring_exchange();
	exchanges += !err;
	refusals += err == -EAGAIN;
	pthread_mutex_unlock(&memory);
}

static const int signals[LEVELS] = { 0, SIGUSR1, SIGUSR2, SIGALRM };

static __thread unsigned int running = LEVELS;	/* the level; LEVELS: not to be interrupted */

static void interrupt(int sig)
{
	const unsigned int level = sig == SIGUSR1 ? 1 : sig == SIGUSR2 ? 2 : 3;
	const unsigned int interrupted = running;
	const int saved = errno;

	running = level;
	ring_write(level, random_size(level));
	if (level == LEVELS - 1 && written[level].attempted % 16 == 0)
		exchange(pthread_mutex_trylock);
	running = interrupted;
	errno = saved;
}

/* A signal is blocked while one of its level or above runs. */
static void install_interrupts(void)
{
	struct sigaction action = { .sa_handler = interrupt };
	int level;

	sigemptyset(&action.sa_mask);
	for (level = 1; level < LEVELS; level++) {
		sigaddset(&action.sa_mask, signals[level]);
		sigaction(signals[level], &action, NULL);
	}
}

#ifdef RING_TSAN
static u64 step_seed;

void ring_step(void)
{
	u64 x;

	if (running >= LEVELS - 1)
		return;
	x = step_seed;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	step_seed = x;
	if (x >> 32 & 63)
		return;
	pthread_kill(pthread_self(), signals[running + 1 + (x >> 38) % (LEVELS - 1 - running)]);
}

static void start_interrupts(void)
{
	step_seed = seeds[0];
	running = 0;
}

static void stop_interrupts(void)
{
	running = LEVELS;
}
#else
/* Microseconds between two interrupts; timers do not care what they interrupt. */
static const long periods[LEVELS] = { 0, 37, 53, 71 };

static timer_t start_timer(unsigned int level)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = signals[level],
		._sigev_un._tid = syscall(SYS_gettid),
	};
	struct itimerspec period = {
		.it_value.tv_nsec = periods[level] * 1000,
		.it_interval.tv_nsec = periods[level] * 1000,
	};
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &period, NULL)) {
		perror("timer");
		exit(2);
	}
	return timer;
}

static timer_t timers[LEVELS];

static void start_interrupts(void)
{
	unsigned int level;

	for (level = 1; level < LEVELS; level++)
		timers[level] = start_timer(level);
}

static void stop_interrupts(void)
{
	unsigned int level;

	for (level = 1; level < LEVELS; level++)
		timer_delete(timers[level]);
}
#endif

static void *reader(void *unused)
{
	(void)unused;
	while (storm->overflows && !__atomic_load_n(&lost_events, __ATOMIC_RELAXED))
		sched_yield();
	while (!__atomic_load_n(&writer_is_done, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&memory);
		if (storm->one_by_one)
			ring_read_one();
		else if (!storm->overwrite)
			ring_read();
		pthread_mutex_unlock(&memory);
		if (storm->reader_naps)
			usleep(storm->reader_naps);
	}
	return NULL;
}

static bool enough(void)
{
	unsigned int level;

	for (level = 1; level < LEVELS; level++)
		if (__atomic_load_n(&written[level].attempted, __ATOMIC_RELAXED) < events)
			return false;
	return true;
}

/* However busy the machine is, the reader's thread has its turn. */
static void wait_for_reader(void)
{
	const unsigned long tail = READ_ONCE(ring.tail);

	while (READ_ONCE(ring.tail) == tail)
		sched_yield();
}

static void write_until_enough(void)
{
	unsigned int dropped = 0;

	while (!enough()) {
		dropped = ring_write(0, random_size(0)) ? 0 : dropped + 1;
		if (dropped % 32 == 31 && !storm->overwrite)
			wait_for_reader();
		if (written[0].attempted % 64 == 0)
			exchange(pthread_mutex_lock);
		if (written[0].attempted % 8 == 0)
			ring_try_write(0, random_size(0));
	}
}

static void run(const struct storm *s)
{
	sigset_t interrupts;
	unsigned int level;
	pthread_t thread;

	storm = s;
	ring_setup(s->ring_size, -s->ring_size);
	ring.overwrite = s->overwrite;
	if (s->marks) {
		ring.armed = 1;
		ring.wake_bytes = 1;
	}
	exchanges = 0;
	refusals = 0;
	writer_is_done = false;

	/* The reader inherits the mask: only the writer is interrupted. */
	sigemptyset(&interrupts);
	for (level = 1; level < LEVELS; level++)
		sigaddset(&interrupts, signals[level]);
	pthread_sigmask(SIG_BLOCK, &interrupts, NULL);
	pthread_create(&thread, NULL, reader, NULL);
	pthread_sigmask(SIG_UNBLOCK, &interrupts, NULL);
	start_interrupts();
	write_until_enough();
	stop_interrupts();
	__atomic_store_n(&writer_is_done, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);

	while (ring_read_one())
		;
	if (s->overwrite)
		ring_check_recorder(NULL);
	else
		ring_check_equation();
	for (level = 0; level < LEVELS; level++)
		printf("# level %d: %llu logged, %llu dropped\n", level,
		       written[level].committed, written[level].dropped);
	printf("# %llu LOST records, %llu told by the reader\n", received.lost_records,
	       received.told_by_reader);
	if (s->marks)
		printf("# %llu marks\n", received.marks);
	if (s->exchanges)
		printf("# %llu exchanges, %llu met a writer\n", exchanges, refusals);
	if (s->overwrite)
		printf("# %ld overwritten\n", ring.overwritten.v);
}

static void small_ring_overflows(void)
{
	run(&(struct storm) { .ring_size = 4096, .largest = 1024, .overflows = true });
	EXPECT(total_dropped(), "nothing was dropped");
}

static void large_ring_keeps_up(void)
{
	run(&(struct storm) { .ring_size = 1 << 20, .largest = 256 });
}

static void slow_reader(void)
{
	static const struct storm s = {
		.ring_size = 1 << 16, .largest = 128, .reader_naps = 2000, .overflows = true,
	};

	run(&s);
	EXPECT(total_dropped(), "nothing was dropped");
}

static void reader_takes_one_by_one(void)
{
	run(&(struct storm) { .ring_size = 8192, .largest = 512, .one_by_one = true });
}

static void marks_while_records_come(void)
{
	run(&(struct storm) { .ring_size = 1 << 16, .largest = 128, .marks = true });
	EXPECT(received.marks, "no mark was believed");
}

static void largest_records(void)
{
	run(&(struct storm) { .ring_size = 1 << 16, .largest = MAGNET_RECORD_SIZE_MAX });
}

static void memory_is_exchanged(void)
{
	run(&(struct storm) { .ring_size = 1 << 16, .largest = 512, .exchanges = true });
	EXPECT(exchanges, "no exchange came through");
}

static void newest_overwrite_the_oldest(void)
{
	run(&(struct storm) { .ring_size = 4096, .largest = 256, .overwrite = true });
	EXPECT(ring.overwritten.v, "nothing was overwritten");
}

static void memory_of_a_recorder_is_exchanged(void)
{
	static const struct storm s = {
		.ring_size = 1 << 14, .largest = 256, .overwrite = true, .exchanges = true,
	};

	run(&s);
	EXPECT(exchanges, "no exchange came through");
}

static const struct ktap_test tests[] = {
	KTAP_TEST(small_ring_overflows),
	KTAP_TEST(large_ring_keeps_up),
	KTAP_TEST(slow_reader),
	KTAP_TEST(reader_takes_one_by_one),
	KTAP_TEST(marks_while_records_come),
	KTAP_TEST(largest_records),
	KTAP_TEST(memory_is_exchanged),
	KTAP_TEST(newest_overwrite_the_oldest),
	KTAP_TEST(memory_of_a_recorder_is_exchanged),
};

static u64 setting(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

int main(int argc, char **argv)
{
	const u64 seed = setting("RING_SEED", time(NULL));
	int level;

	for (level = 0; level < LEVELS; level++)
		seeds[level] = (seed + level + 1) * 0x9e3779b97f4a7c15ULL;
	events = setting("RING_EVENTS", events);
	printf("# RING_SEED=%llu\n", seed);
	install_interrupts();
	return ktap_main_around(tests, KTAP_SIZE(tests), argc, argv, ktap_run_here);
}
