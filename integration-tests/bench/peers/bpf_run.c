// SPDX-License-Identifier: Apache-2.0
/*
 * bpf_run OBJECT PROGRAM COMMAND...: runs a command twice while the BPF
 * program of this name is attached. The first time the kernel's counting of
 * programs' runs is switched on, which costs time: a program that writes
 * nothing has no other count. The second time it is not, and the command's
 * output is kept. Prints how many runs and records these were.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach.h"

static int on_record(void *context, void *data, size_t size)
{
	unsigned long *records = context;

	(void)data;
	(void)size;
	++*records;
	return 0;
}

static void run(char **command, int output)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		die("fork");
	if (!child) {
		dup2(output, STDOUT_FILENO);
		execvp(command[0], command);
		die(command[0]);
	}
	waitpid(child, &status, 0);
	if (status) {
		fprintf(stderr, "bpf_run: %s failed\n", command[0]);
		exit(1);
	}
}

static unsigned long long runs_of(struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
		die("the program's count");
	return info.run_cnt;
}

static void drain(struct ring_buffer *ring)
{
	if (ring_buffer__consume(ring) < 0)
		die("the ring");
}

int main(int argc, char **argv)
{
	struct bpf_program *program;
	struct bpf_object *object;
	struct ring_buffer *ring;
	unsigned long long runs;
	unsigned long records;
	int stats;

	if (argc < 4) {
		fprintf(stderr, "bpf_run OBJECT PROGRAM COMMAND...\n");
		return 2;
	}
	program = attach(argv[1], argv[2], &object);
	ring = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "ring"), on_record, &records, NULL);
	if (!ring)
		die("ring");

	stats = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (stats < 0)
		die("statistics");
	run(argv + 3, STDERR_FILENO);
	runs = runs_of(program);
	close(stats);
	drain(ring);
	records = 0;
	run(argv + 3, STDOUT_FILENO);
	drain(ring);
	printf("records=%lu runs=%llu\n", records, runs);
	return 0;
}
