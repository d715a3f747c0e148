// SPDX-License-Identifier: GPL-2.0-only
/*
 * test-fuzz [-s SEED] [-n OPERATIONS]: whatever is done to its netlink family
 * and its files, in whatever order, the module stands it, works afterwards and
 * keeps nothing. The kernel's log and its checkers are the judges of the rest.
 *
 * The same seed gives each thread the same sequence; how they meet is up to the
 * scheduler.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "sensor.h"

#define THREADS		3
#define EVENTS		1009	/* a prime */
/* A thread that blocks in a call is interrupted after at most so long. */
#define PATIENCE_US	20000
#define REPORTS		20
/* No longer does it take until what died is gone. */
#define LEFT_LIMIT_US	(120 * US_PER_S)

struct operation {
	void		(*run)(struct chance *c);
	unsigned int	weight;
};

/* What waits for grace periods is rare, so that millions of operations fit in an hour. */
static const struct operation operations[] = {
	{ fuzz_request, 3000 }, { fuzz_slow_request, 20 }, { fuzz_good_request, 20 },
	{ fuzz_new_socket, 1 },
	{ fuzz_open, 300 }, { fuzz_close, 40 }, { fuzz_lseek, 2500 }, { fuzz_read, 2200 },
	{ fuzz_poll, 1200 }, { fuzz_odd, 300 }, { fuzz_share, 50 }, { fuzz_marker, 200 },
	{ fuzz_control_file, 10 }, { fuzz_events, 200 },
};

static uint64_t seed;
static unsigned long wanted = 60000;
static unsigned long done;

static unsigned long successes[FUZZ_SUCCESSES];

void fuzz_note(enum fuzz_success what)
{
	__atomic_fetch_add(&successes[what], 1, __ATOMIC_RELAXED);
}

uint64_t chance_next(struct chance *c)
{
	/* splitmix64 */
	uint64_t z = (c->state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

uint64_t chance_number(struct chance *c)
{
	switch (chance_below(c, 4)) {
	case 0:
		return chance_below(c, 10);
	case 1:
		return (1ULL << chance_below(c, 64)) + chance_below(c, 3) - 1;
	case 2:
		return chance_next(c) >> chance_below(c, 64);
	default:
		return chance_below(c, 100000);
	}
}

void fuzz_buffer_name(struct chance *c, char *name, size_t size)
{
	snprintf(name, size, "fuzz-%u", chance_below(c, FUZZ_BUFFERS));
}

/* ---- the threads ---- */

static const struct operation *pick(struct chance *c)
{
	unsigned int sum = 0, at, i;

	for (i = 0; i < KTAP_SIZE(operations); i++)
		sum += operations[i].weight;
	at = chance_below(c, sum);
	for (i = 0; at >= operations[i].weight; i++)
		at -= operations[i].weight;
	return &operations[i];
}

static void *work(void *arg)
{
	struct chance c = { .state = seed + (uintptr_t)arg };

	chance_next(&c);
	c.state ^= chance_next(&c);
	while (__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED) < wanted)
		pick(&c)->run(&c);
	return NULL;
}

static void interrupted(int signal)
{
	(void)signal;
}

static void report(unsigned long *next, uint64_t since)
{
	const unsigned long now = __atomic_load_n(&done, __ATOMIC_RELAXED);

	if (now < *next)
		return;
	printf("# %lu operations in %llu s\n", now,
	       (unsigned long long)((guest_now_us() - since) / US_PER_S));
	*next += wanted / REPORTS;
}

/* Operations that all fail at the door would show nothing. */
static void expect_successes(void)
{
	static const char *const names[FUZZ_SUCCESSES] = {
		"requests acknowledged", "refused", "things made", "files opened",
		"attributes set", "reads", "polls", "markers",
	};
	unsigned int i;

	for (i = 0; i < FUZZ_SUCCESSES; i++) {
		printf("# %lu %s\n", successes[i], names[i]);
		EXPECT(successes[i] >= wanted / 5000, "%s: only %lu", names[i], successes[i]);
	}
}

static void any_operations_are_withstood(void)
{
	const struct sigaction action = { .sa_handler = interrupted };
	const uint64_t since = guest_now_us();
	unsigned long next = wanted / REPORTS;
	pthread_t threads[THREADS];
	uintptr_t i;

	NEED(fuzz_netlink_begin(), "the module does not answer");
	fuzz_files_begin();
	/* Without SA_RESTART, so that calls that block return. */
	sigaction(SIGUSR1, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	for (i = 0; i < THREADS; i++)
		NEED(!pthread_create(&threads[i], NULL, work, (void *)i), "no thread");
	while (__atomic_load_n(&done, __ATOMIC_RELAXED) < wanted) {
		usleep(PATIENCE_US);
		for (i = 0; i < THREADS; i++)
			pthread_kill(threads[i], SIGUSR1);
		report(&next, since);
	}
	for (i = 0; i < THREADS; i++)
		while (pthread_tryjoin_np(threads[i], NULL) == EBUSY) {
			usleep(PATIENCE_US);
			pthread_kill(threads[i], SIGUSR1);
		}
	printf("# %lu operations in %llu s, seed %llu\n", wanted,
	       (unsigned long long)((guest_now_us() - since) / US_PER_S),
	       (unsigned long long)seed);
	fuzz_files_end();
	fuzz_netlink_end();
	expect_successes();
}

/* ---- and afterwards ---- */

static int references(void)
{
	FILE *file = fopen("/sys/module/magnet/refcnt", "r");
	int n = -1;

	NEED(file && fscanf(file, "%d", &n) == 1, "no count of references");
	fclose(file);
	return n;
}

static void nothing_is_left(void)
{
	const uint64_t since = guest_now_us();

	/* magnetk ends what died with its socket. */
	while (guest_now_us() - since < LEFT_LIMIT_US &&
	       (guest_file_has(MAGNET_CONTROL "/buffers", "fuzz-") || references()))
		guest_nap();
	EXPECT(!guest_file_has(MAGNET_CONTROL "/buffers", "fuzz-"), "there is still a buffer");
	EXPECT(!guest_file_has(MAGNET_CONTROL "/events", " dynamic "), "there is still a point");
	EXPECT(!guest_file_has(MAGNET_CONTROL "/events", "=on"), "a point is still hooked");
	EXPECT_EQ(references(), 0);
}

static void events_are_exact_afterwards(void)
{
	struct magnet_ctl_counters counters;
	struct batch batch, more;
	struct sensor s;

	sensor_make(&s, 1 << 20);
	sensor_subscribe(&s, "inet_sendmsg", 0);
	sensor_open(&s, 0);
	guest_on_cpu(0);
	sensor_emit(EVENTS);
	batch = data_drain(s.fd);
	more = data_drain(s.fd);
	NEED(!ctl_sub_del(&s.ctl, s.sub, &counters), "%s", s.ctl.error);
	EXPECT_EQ(counters.committed, EVENTS);
	EXPECT_EQ(counters.hits, EVENTS);
	EXPECT_EQ(batch.events + more.events, EVENTS);
	close(s.fd);
	sensor_end(&s);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(any_operations_are_withstood),
	KTAP_TEST(nothing_is_left),
	KTAP_TEST(events_are_exact_afterwards),
};

int main(int argc, char **argv)
{
	int option;

	seed = guest_now_us() ^ (uint64_t)getpid() << 32;
	while ((option = getopt(argc, argv, "s:n:")) != -1) {
		if (option == 's') {
			seed = strtoull(optarg, NULL, 0);
		} else if (option == 'n') {
			wanted = strtoul(optarg, NULL, 0);
		} else {
			fprintf(stderr, "usage: %s [-s seed] [-n operations]\n", argv[0]);
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %llu, %lu operations\n", (unsigned long long)seed, wanted);
	return ktap_main_around(tests, KTAP_SIZE(tests), 1, argv, ktap_run_here);
}
