// SPDX-License-Identifier: Apache-2.0
/*
 * bpf_latency OBJECT PROGRAM FILE N: attaches the BPF program of this name, sleeps
 * in poll until the ring buffer wakes it, and writes for each of N records how
 * long after it was made it had got it. Says "ready" when it is.
 */
#include <errno.h>
#include <stdio.h>

#include <bpf/bpf.h>

#include "attach.h"
#include "latency.h"
#include "record.h"

static int on_record(void *context, void *data, size_t size)
{
	const struct record *record = data;
	const uint64_t now = nanoseconds(CLOCK_MONOTONIC);

	(void)size;
	keep_latency(context, now - record->time);
	return 0;
}

int main(int argc, char **argv)
{
	struct bpf_object *object;
	struct ring_buffer *ring;
	FILE *file;
	int err;

	if (argc != 5) {
		fprintf(stderr, "bpf_latency OBJECT PROGRAM FILE N\n");
		return 2;
	}
	file = latencies_to(argv[3], argv[4]);
	attach(argv[1], argv[2], &object);
	ring = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "ring"), on_record, file, NULL);
	if (!ring)
		die("ring");
	puts("ready");
	fflush(stdout);
	do {
		err = ring_buffer__poll(ring, -1);
	} while (err >= 0 || err == -EINTR);
	die("poll");
}
