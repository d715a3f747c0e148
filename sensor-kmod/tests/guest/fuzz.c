// SPDX-License-Identifier: GPL-2.0-only
/*
 * test-fuzz [-s SEED] [-n OPERATIONS] [-w WORKERS]: whatever is done to its
 * netlink family and its files, in whatever order, the module stands it, works
 * afterwards and keeps nothing. The kernel's log and its checkers are the
 * judges of the rest.
 *
 * The workers are processes side by side, each of several threads that share
 * sockets and descriptors. All that chance decides follows from the seed, the
 * worker, the thread and the number of the operation, so the same seed gives
 * each thread the same sequence; how they meet is up to the scheduler. The
 * first worker's seed is SEED; another one's, which it prints, repeats it alone
 * with -w 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "fuzz.h"
#include "sensor.h"

#define THREADS		3
#define WORKERS_MAX	16
#define SEEDS_APART	1000003	/* of workers; threads' are less apart */
#define EVENTS		1009	/* a prime */
/* A thread that blocks in a call is interrupted after at most twice so long. */
#define PATIENCE_US	20000
#define REPORTS		50
/* No longer does it take until what died is gone. */
#define LEFT_LIMIT_US	(120 * US_PER_S)

struct operation {
	const char	*name;
	void		(*run)(struct chance *c);
	unsigned int	weight;
	unsigned int	each;	/* so many operations is a call */
};

/*
 * The dear ones are rare: on the debug kernel each allocation takes 100,000
 * instructions, so that a request which is refused takes thirty times as long as
 * a read; a dump describes all there is; and what makes or ends something waits
 * for grace periods, and the other requests wait for it.
 */
static const struct operation operations[] = {
	{ "bad requests", fuzz_bad_requests, 80, FUZZ_BATCH },
	{ "dumps", fuzz_dump, 50, 1 },
	{ "slow requests", fuzz_slow_request, 20, 1 },
	{ "good requests", fuzz_good_request, 10, 1 },
	{ "new sockets", fuzz_new_socket, 1, 1 },
	{ "opens", fuzz_open, 300, 1 },
	{ "closes", fuzz_close, 40, 1 },
	{ "lseeks", fuzz_lseek, 2500, 1 },
	{ "reads", fuzz_read, 2200, 1 },
	{ "polls", fuzz_poll, 1200, 1 },
	{ "odd calls", fuzz_odd, 300, 1 },
	{ "shared descriptors", fuzz_share, 50, 1 },
	{ "markers", fuzz_marker, 200, 1 },
	{ "control files", fuzz_control_file, 10, 1 },
	{ "events", fuzz_events, 200, 1 },
};

#define OPERATIONS	KTAP_SIZE(operations)

struct thread {
	pthread_t	id;
	uint64_t	seed;
	unsigned long	done;
	unsigned long	seen_done;
};

/* What the workers have in common. */
struct tally {
	unsigned long	done;
	unsigned long	successes[FUZZ_SUCCESSES];
	unsigned long	calls[OPERATIONS];
	unsigned long	us[OPERATIONS];
};

static uint64_t seed;
static unsigned long wanted = 60000;
static unsigned int workers = 2;
static struct tally *tally;

void fuzz_note(enum fuzz_success what)
{
	__atomic_fetch_add(&tally->successes[what], 1, __ATOMIC_RELAXED);
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

/* ---- the threads of a worker ---- */

static const struct operation *pick(struct chance *c)
{
	unsigned int sum = 0, at, i;

	for (i = 0; i < OPERATIONS; i++)
		sum += operations[i].weight;
	at = chance_below(c, sum);
	for (i = 0; at >= operations[i].weight; i++)
		at -= operations[i].weight;
	return &operations[i];
}

/* Returns how many it was. The next one is the same, whatever this one made of its chance. */
static unsigned int operate(const struct thread *t, unsigned long number)
{
	struct chance c = { .state = t->seed };
	const uint64_t since = guest_now_us();
	const struct operation *op;

	c.state = chance_next(&c) + number;
	c.state = chance_next(&c);
	op = pick(&c);
	op->run(&c);
	__atomic_fetch_add(&tally->calls[op - operations], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&tally->us[op - operations], guest_now_us() - since, __ATOMIC_RELAXED);
	return op->each;
}

static void *work(void *arg)
{
	const unsigned long share = wanted / workers / THREADS;
	struct thread *t = arg;
	unsigned long number = 0, done = 0;

	while (done < share) {
		const unsigned int n = operate(t, number++);

		done += n;
		__atomic_store_n(&t->done, done, __ATOMIC_RELAXED);
		__atomic_fetch_add(&tally->done, n, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void interrupted(int signal)
{
	(void)signal;
}

/* Returns whether the thread has ended. */
static bool look_after(struct thread *t)
{
	const unsigned long done = __atomic_load_n(&t->done, __ATOMIC_RELAXED);

	if (!t->id)
		return true;
	if (pthread_tryjoin_np(t->id, NULL) != EBUSY) {
		t->id = 0;
		return true;
	}
	if (done == t->seen_done)
		pthread_kill(t->id, SIGUSR1);
	t->seen_done = done;
	return false;
}

static void __attribute__((noreturn)) be_worker(uint64_t own_seed)
{
	/* Without SA_RESTART, so that calls that block return. */
	const struct sigaction action = { .sa_handler = interrupted };
	struct thread threads[THREADS] = {};
	unsigned int i, ended;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fuzz_sockets_begin();
	fuzz_files_begin();
	sigaction(SIGUSR1, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGIO, SIG_IGN);
	for (i = 0; i < THREADS; i++) {
		threads[i].seed = own_seed + i;
		NEED(!pthread_create(&threads[i].id, NULL, work, &threads[i]), "no thread");
	}
	do {
		usleep(PATIENCE_US);
		for (i = 0, ended = 0; i < THREADS; i++)
			ended += look_after(&threads[i]);
	} while (ended < THREADS);
	fuzz_files_end();
	fuzz_sockets_end();
	fflush(stdout);
	_exit(!!ktap_complaints);
}

/* ---- the workers ---- */

static void start_worker(unsigned int n)
{
	const uint64_t own_seed = seed + n * (uint64_t)SEEDS_APART;
	pid_t pid;

	printf("# worker %u: seed %llu\n", n, (unsigned long long)own_seed);
	fflush(stdout);
	pid = fork();
	NEED(pid >= 0, "no process");
	if (!pid)
		be_worker(own_seed);
}

static void report(unsigned long *next, uint64_t since)
{
	const unsigned long now = __atomic_load_n(&tally->done, __ATOMIC_RELAXED);

	if (now < *next)
		return;
	printf("# %lu operations in %llu s\n", now,
	       (unsigned long long)((guest_now_us() - since) / US_PER_S));
	*next += wanted / REPORTS;
}

static void wait_for_workers(uint64_t since)
{
	unsigned long next = wanted / REPORTS;
	unsigned int left = workers;
	int status;

	while (left) {
		const pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid > 0) {
			left--;
			EXPECT(WIFEXITED(status) && !WEXITSTATUS(status),
			       "a worker ended with status %#x", status);
		} else {
			usleep(PATIENCE_US);
			report(&next, since);
		}
	}
}

/* Operations that all fail at the door would show nothing. */
static void expect_successes(void)
{
	static const char *const names[FUZZ_SUCCESSES] = {
		"requests acknowledged", "refused", "things described", "subscriptions reckoned up",
		"files opened", "attributes set", "reads", "polls", "markers",
	};
	unsigned int i;

	for (i = 0; i < OPERATIONS; i++)
		printf("# %s: %lu times, %lu us each\n", operations[i].name, tally->calls[i],
		       tally->calls[i] ? tally->us[i] / tally->calls[i] : 0);
	for (i = 0; i < FUZZ_SUCCESSES; i++) {
		printf("# %lu %s\n", tally->successes[i], names[i]);
		EXPECT(tally->successes[i] >= wanted / 5000, "%s: only %lu", names[i],
		       tally->successes[i]);
	}
	EXPECT(tally->done >= wanted / workers / THREADS * workers * THREADS,
	       "%lu operations are missing", wanted - tally->done);
}

static void any_operations_are_withstood(void)
{
	uint64_t since;
	unsigned int i;

	NEED(fuzz_netlink_begin(), "the module does not answer");
	since = guest_now_us();
	for (i = 0; i < workers; i++)
		start_worker(i);
	wait_for_workers(since);
	printf("# %lu operations in %llu s, seed %llu\n", tally->done,
	       (unsigned long long)((guest_now_us() - since) / US_PER_S),
	       (unsigned long long)seed);
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

static bool read_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "s:n:w:")) != -1) {
		if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (option == 'n')
			wanted = strtoul(optarg, NULL, 0);
		else if (option == 'w')
			workers = strtoul(optarg, NULL, 0);
		else
			return false;
	}
	return workers && workers <= WORKERS_MAX;
}

int main(int argc, char **argv)
{
	seed = guest_now_us() ^ (uint64_t)getpid() << 32;
	if (!read_options(argc, argv)) {
		fprintf(stderr, "usage: %s [-s seed] [-n operations] [-w workers, 1 to %u]\n",
			argv[0], WORKERS_MAX);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	NEED(tally != MAP_FAILED, "no memory");
	printf("# seed %llu, %lu operations, %u workers\n", (unsigned long long)seed, wanted,
	       workers);
	return ktap_main_around(tests, KTAP_SIZE(tests), 1, argv, ktap_run_here);
}
