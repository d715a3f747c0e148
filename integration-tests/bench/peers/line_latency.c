// SPDX-License-Identifier: Apache-2.0
/*
 * line_latency FILE N: reads lines that begin with the time of an event in
 * brackets, seconds since 1970, as babeltrace2 --clock-seconds prints them, and
 * writes for each of N how long after it the line was there.
 */
#include <stdio.h>

#include "latency.h"

int main(int argc, char **argv)
{
	unsigned long long seconds, fraction;
	char line[4096];
	FILE *file;

	if (argc != 3) {
		fprintf(stderr, "line_latency FILE N\n");
		return 2;
	}
	file = latencies_to(argv[1], argv[2]);
	while (fgets(line, sizeof(line), stdin)) {
		const uint64_t now = nanoseconds(CLOCK_REALTIME);

		if (sscanf(line, "[%llu.%9llu]", &seconds, &fraction) != 2) {
			fprintf(stderr, "line_latency: no time: %s", line);
			return 1;
		}
		keep_latency(file, now - (seconds * 1000000000ULL + fraction));
	}
	fprintf(stderr, "line_latency: the input ended before there were %s events\n", argv[2]);
	return 1;
}
