/* SPDX-License-Identifier: Apache-2.0 */
/* What each program that measures latency does with one event. */
#ifndef LATENCY_H
#define LATENCY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline uint64_t nanoseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static unsigned long latencies_wanted;

/* Keeps a line for it in a file, and ends the program when there are as many as are wanted. */
static inline void keep_latency(FILE *file, uint64_t ns)
{
	fprintf(file, "%llu\n", (unsigned long long)ns);
	if (--latencies_wanted)
		return;
	if (fclose(file)) {
		perror("latency");
		exit(1);
	}
	exit(0);
}

static inline FILE *latencies_to(const char *path, const char *wanted)
{
	FILE *file = fopen(path, "w");

	latencies_wanted = strtoul(wanted, NULL, 10);
	if (!file || !latencies_wanted) {
		perror(path);
		exit(1);
	}
	return file;
}

#endif
