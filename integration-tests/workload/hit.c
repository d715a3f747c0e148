// SPDX-License-Identifier: Apache-2.0
/*
 * hit: calls something over and over, in blocks, and prints what one call
 * costs in ticks of the TSC: the minimum and the median over the blocks, and
 * on demand what it cost in each block. In a guest whose TSC counts
 * instructions these are instructions.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

struct trigger {
	const char	*name;
	const char	*what;
	unsigned int	hits;		/* of the measured point, by one call */
	bool		(*prepare)(void);
	void		(*call)(void);
};

static int sock;

/* A UDP socket that is not connected: EDESTADDRREQ, after inet_sendmsg() and udp_sendmsg(). */
static bool prepare_send(void)
{
	sock = socket(AF_INET, SOCK_DGRAM, 0);
	return sock >= 0 && send(sock, "x", 1, 0) < 0 && errno == EDESTADDRREQ;
}

static void call_send(void)
{
	syscall(SYS_sendto, sock, "x", 1, 0, NULL, 0);
}

#define PORT		5001
#define BYTES_MAX	65507

static struct sockaddr_in address = { .sin_family = AF_INET };
static in_port_t port = PORT;
static char payload[BYTES_MAX];
static size_t bytes = 1;
static long failed;

/* To a socket that nobody reads: of this process, if it is not told another place. */
static bool prepare_datagram(void)
{
	address.sin_port = htons(port);
	if (!address.sin_addr.s_addr) {
		const int sink = socket(AF_INET, SOCK_DGRAM, 0);

		address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		if (sink < 0 || bind(sink, (struct sockaddr *)&address, sizeof(address)))
			return false;
	}
	sock = socket(AF_INET, SOCK_DGRAM, 0);
	return sock >= 0 && !connect(sock, (struct sockaddr *)&address, sizeof(address));
}

/* Whatever memory a socket may have is full of so many. */
#define MANY		20000

static bool prepare_dropped(void)
{
	if (!prepare_datagram())
		return false;
	for (int i = 0; i < MANY; i++)
		if (send(sock, payload, bytes, 0) != (ssize_t)bytes)
			return false;
	return true;
}

static void call_datagram(void)
{
	failed += send(sock, payload, bytes, 0) != (ssize_t)bytes;
}

/*
 * Two processes of one real-time priority on one CPU: each yield switches to
 * the other one, always.
 */
static bool prepare_switch(void)
{
	const struct sched_param param = { .sched_priority = 1 };
	cpu_set_t cpu;
	pid_t child;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) || sched_setscheduler(0, SCHED_FIFO, &param))
		return false;
	child = fork();
	if (child < 0)
		return false;
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			syscall(SYS_sched_yield);
	}
	return true;
}

static void call_switch(void)
{
	syscall(SYS_sched_yield);
}

static bool prepare_fork(void)
{
	return true;
}

/* A child that ends at once, and is waited for. */
static void call_fork(void)
{
	const pid_t child = fork();

	if (!child)
		_exit(0);
	failed += child < 0 || waitpid(child, NULL, 0) != child;
}

static const struct trigger triggers[] = {
	{ "send", "send() on an unconnected UDP socket", 1, prepare_send, call_send },
	{ "datagram", "a datagram, which nobody reads", 1, prepare_datagram, call_datagram },
	{ "dropped", "a datagram to a socket that is full", 1, prepare_dropped, call_datagram },
	{ "switch", "sched_yield() to another process and back", 2, prepare_switch, call_switch },
	{ "fork", "fork(), a child that ends, and wait()", 1, prepare_fork, call_fork },
};

static int usage(void)
{
	fprintf(stderr, "hit [-k CALLS-PER-BLOCK] [-b BLOCKS] [-w WARM-UP-BLOCKS] [-u MICROSECONDS-OF-REST] [-o FILE] [-a ADDRESS] [-p PORT] [-l BYTES] TRIGGER\n");
	for (size_t i = 0; i < sizeof(triggers) / sizeof(*triggers); i++)
		fprintf(stderr, "  %-9s %s\n", triggers[i].name, triggers[i].what);
	return 2;
}

static const struct trigger *find(const char *name)
{
	for (size_t i = 0; i < sizeof(triggers) / sizeof(*triggers); i++)
		if (!strcmp(triggers[i].name, name))
			return &triggers[i];
	return NULL;
}

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t block(const struct trigger *t, long calls)
{
	const uint64_t start = __rdtsc();

	for (long i = 0; i < calls; i++)
		t->call();
	return __rdtsc() - start;
}

static bool write_blocks(const char *path, const uint64_t *cost, long blocks, double hits)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return false;
	for (long i = 0; i < blocks; i++)
		fprintf(file, "%.2f\n", cost[i] / hits);
	return !fclose(file);
}

static bool measure(const struct trigger *t, long calls, long blocks, long warm, useconds_t rest, const char *path)
{
	uint64_t *cost = calloc(blocks, sizeof(*cost)), sum = 0;
	const double hits = (double)calls * t->hits;

	if (!cost)
		abort();
	for (long i = -warm; i < blocks; i++) {
		const uint64_t ticks = block(t, calls);

		if (i >= 0)
			cost[i] = ticks;
		if (rest)
			usleep(rest);
	}
	for (long i = 0; i < blocks; i++)
		sum += cost[i];
	if (path && !write_blocks(path, cost, blocks, hits)) {
		fprintf(stderr, "hit: %s: %s\n", path, strerror(errno));
		return false;
	}
	qsort(cost, blocks, sizeof(*cost), by_size);
	printf("hits=%.0f min=%.2f median=%.2f mean=%.2f\n", hits * (blocks + warm),
	       cost[0] / hits, cost[blocks / 2] / hits, sum / hits / blocks);
	return true;
}

int main(int argc, char **argv)
{
	long calls = 100, blocks = 200, warm = 5, rest = 0;
	const struct trigger *t;
	const char *path = NULL;
	int c;

	while ((c = getopt(argc, argv, "k:b:w:u:o:a:p:l:")) != -1) {
		if (c == 'k')
			calls = atol(optarg);
		else if (c == 'b')
			blocks = atol(optarg);
		else if (c == 'w')
			warm = atol(optarg);
		else if (c == 'u')
			rest = atol(optarg);
		else if (c == 'o')
			path = optarg;
		else if (c == 'a' && inet_pton(AF_INET, optarg, &address.sin_addr) == 1)
			continue;
		else if (c == 'p')
			port = atoi(optarg);
		else if (c == 'l' && strtoul(optarg, NULL, 0) <= BYTES_MAX)
			bytes = strtoul(optarg, NULL, 0);
		else
			return usage();
	}
	t = argc == optind + 1 ? find(argv[optind]) : NULL;
	if (!t || calls < 1 || blocks < 1 || warm < 0 || rest < 0)
		return usage();
	mlockall(MCL_CURRENT | MCL_FUTURE);
	if (!t->prepare()) {
		fprintf(stderr, "hit: cannot prepare %s: %s\n", t->name, strerror(errno));
		return 1;
	}
	if (!measure(t, calls, blocks, warm, rest, path))
		return 1;
	if (failed)
		fprintf(stderr, "hit: %ld calls failed\n", failed);
	return !!failed;
}
