// SPDX-License-Identifier: Apache-2.0
/*
 * burner BURN_US PERIOD_US SECONDS: uses the CPU for BURN_US in each period and
 * sleeps for the rest of it. At the end prints its thread id and
 * /proc/self/schedstat, the kernel's own account of time on the CPU and time
 * waiting for it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t ns_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void burn(uint64_t ns)
{
	const uint64_t end = ns_of(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (ns_of(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec ts = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static int report(void)
{
	char line[128];
	FILE *f = fopen("/proc/self/schedstat", "r");

	if (!f || !fgets(line, sizeof(line), f)) {
		perror("burner: /proc/self/schedstat");
		return 1;
	}
	fclose(f);
	printf("tid %d schedstat %s", (int)getpid(), line);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t burn_ns, period_ns, end, next;

	if (argc != 4) {
		fprintf(stderr, "usage: burner BURN_US PERIOD_US SECONDS\n");
		return 2;
	}
	burn_ns = strtoull(argv[1], NULL, 10) * 1000;
	period_ns = strtoull(argv[2], NULL, 10) * 1000;
	next = ns_of(CLOCK_MONOTONIC);
	end = next + strtoull(argv[3], NULL, 10) * 1000000000ULL;
	while (next < end) {
		burn(burn_ns);
		next += period_ns;
		sleep_until(next);
	}
	return report();
}
