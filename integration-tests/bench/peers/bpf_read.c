// SPDX-License-Identifier: Apache-2.0
/*
 * bpf_read OBJECT PROGRAM FILE: attaches the BPF program of this name and
 * copies what it writes to the ring buffer to a file, until SIGTERM; then
 * prints how many records these were. Says "ready" when it is.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

#include "attach.h"

#define OUTPUT_BUFFER	(256 << 10)

static volatile sig_atomic_t stop;
static unsigned long records;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static int on_record(void *context, void *data, size_t size)
{
	records++;
	return fwrite(data, size, 1, context) == 1 ? 0 : -EIO;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = on_signal };
	static char output[OUTPUT_BUFFER];
	struct bpf_object *object;
	struct ring_buffer *ring;
	FILE *file;
	int err = 0;

	if (argc != 4) {
		fprintf(stderr, "bpf_read OBJECT PROGRAM FILE\n");
		return 2;
	}
	sigaction(SIGTERM, &action, NULL);
	file = fopen(argv[3], "w");
	if (!file || setvbuf(file, output, _IOFBF, sizeof(output)))
		die(argv[3]);
	attach(argv[1], argv[2], &object);
	ring = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "ring"), on_record, file, NULL);
	if (!ring)
		die("ring");
	puts("ready");
	fflush(stdout);
	while (!stop && (err >= 0 || err == -EINTR))
		err = ring_buffer__poll(ring, -1);
	if ((err < 0 && err != -EINTR) || ring_buffer__consume(ring) < 0 || fclose(file))
		die(argv[3]);
	printf("records=%lu\n", records);
	return 0;
}
