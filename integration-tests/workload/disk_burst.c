// SPDX-License-Identifier: Apache-2.0
/*
 * disk_burst DEVICE NAME REQUESTS: looks at NAME's line of /proc/diskstats every
 * 10 ms, as a sampler would. Between two such looks it gives the device so many
 * reads at once and waits for all of them. Prints the microseconds that this
 * took, those until the last was given, and the most requests that any look saw
 * under way.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOKS		20
#define BURST_AFTER	10
#define APART_NS	10000000
#define READ_SIZE	4096
#define REQUESTS_MAX	64

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec ts = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* Requests under way, the twelfth column; or -1. */
static int under_way(const char *name)
{
	FILE *f = fopen("/proc/diskstats", "r");
	char line[512], disk[64];
	int n, found = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*u %*u %63s %*u %*u %*u %*u %*u %*u %*u %*u %d", disk, &n) == 2 &&
		    !strcmp(disk, name))
			found = n;
	if (f)
		fclose(f);
	return found;
}

struct burst {
	aio_context_t	context;
	struct iocb	request[REQUESTS_MAX];
	struct iocb	*requests[REQUESTS_MAX];
	struct io_event	done[REQUESTS_MAX];
	unsigned int	n;
	uint64_t	given_ns;
	uint64_t	all_ns;
};

/* Apart from each other, so that none are made one. */
static int prepare(struct burst *b, const char *device)
{
	const int fd = open(device, O_RDONLY | O_DIRECT);
	unsigned int i;

	for (i = 0; i < b->n; i++) {
		b->requests[i] = &b->request[i];
		b->request[i] = (struct iocb){
			.aio_lio_opcode = IOCB_CMD_PREAD,
			.aio_fildes = fd,
			.aio_buf = (uintptr_t)aligned_alloc(READ_SIZE, READ_SIZE),
			.aio_nbytes = READ_SIZE,
			.aio_offset = (uint64_t)i << 20,
		};
	}
	return fd < 0 ? -1 : syscall(SYS_io_setup, b->n, &b->context);
}

static int run(struct burst *b)
{
	const uint64_t begin = now_ns();

	if (syscall(SYS_io_submit, b->context, b->n, b->requests) != (long)b->n)
		return -1;
	b->given_ns = now_ns() - begin;
	if (syscall(SYS_io_getevents, b->context, b->n, b->n, b->done, NULL) != (long)b->n)
		return -1;
	b->all_ns = now_ns() - begin;
	return 0;
}

int main(int argc, char **argv)
{
	struct burst b = { .n = argc == 4 ? atoi(argv[3]) : 0 };
	uint64_t next = now_ns();
	int look, seen, most = 0;

	if (!b.n || b.n > REQUESTS_MAX) {
		fprintf(stderr, "usage: disk_burst DEVICE NAME REQUESTS\n");
		return 2;
	}
	if (prepare(&b, argv[1])) {
		perror(argv[1]);
		return 1;
	}
	for (look = 0; look < LOOKS; look++, next += APART_NS) {
		sleep_until(next);
		seen = under_way(argv[2]);
		if (seen < 0 || (look == BURST_AFTER && run(&b))) {
			perror(argv[1]);
			return 1;
		}
		most = seen > most ? seen : most;
	}
	printf("took %llu given %llu seen %d\n", (unsigned long long)b.all_ns / 1000,
	       (unsigned long long)b.given_ns / 1000, most);
	return 0;
}
