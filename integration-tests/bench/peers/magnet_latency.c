// SPDX-License-Identifier: Apache-2.0
/*
 * magnet_latency DATA-FILE FILE N: sleeps in read() until 256 KiB are there, which
 * only something urgent comes before, and writes for each of N events how long
 * after it was logged read() had returned. The TSC has to count nanoseconds.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include <magnet.h>
#include "latency.h"

#define WATERMARK	(256 << 10)

int main(int argc, char **argv)
{
	static char batch[WATERMARK];
	ssize_t got, at;
	FILE *file;
	int fd;

	if (argc != 4) {
		fprintf(stderr, "magnet_latency DATA-FILE FILE N\n");
		return 2;
	}
	file = latencies_to(argv[2], argv[3]);
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || lseek(fd, MAGNET_ATTR(MAGNET_ATTR_READSIZE_WATERMARK, WATERMARK), SEEK_SET) < 0) {
		perror(argv[1]);
		return 1;
	}
	while ((got = read(fd, batch, sizeof(batch))) > 0) {
		const uint64_t now = __rdtsc();

		for (at = 0; at < got;) {
			const struct magnet_record *record = (void *)(batch + at);

			/* The ring has some of its own, which wake nobody. */
			if (record->event != MAGNET_EVENT_CLOCK)
				keep_latency(file, now - record->timer);
			at += record->size;
		}
	}
	fprintf(stderr, "magnet_latency: %s: %s\n", argv[1], got ? strerror(errno) : "it ended");
	return 1;
}
