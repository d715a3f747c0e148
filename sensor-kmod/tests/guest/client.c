// SPDX-License-Identifier: GPL-2.0-only
/*
 * What clients of data files are promised: the loop of the MAGNET paper's
 * figure 3 works as it is printed there, and an urgent event is not kept
 * waiting.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "guest.h"
#include "marks.h"
#include "sensor.h"

static struct sensor s;

/* ---- figure 3 ---- */

/* samples/figure3 is built beside this program. */
static void become_figure3(const char *option, unsigned int value)
{
	char program[256], path[128], number[16];
	const ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 16);

	NEED(len > 0, "no /proc/self/exe");
	program[len] = '\0';
	strcpy(strrchr(program, '/'), "/figure3");
	snprintf(path, sizeof(path), "/dev/magnet/%s/cpu0", s.buffer);
	snprintf(number, sizeof(number), "%u", value);
	execl(program, program, path, option, number, NULL);
	ABORT("%s: %s", program, strerror(errno));
}

static pid_t figure3_start(FILE **output, const char *option, unsigned int value)
{
	int ends[2];
	pid_t pid;

	NEED(!pipe2(ends, O_CLOEXEC), "no pipe");
	pid = fork();
	NEED(pid >= 0, "no process");
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		become_figure3(option, value);
	}
	close(ends[1]);
	*output = fdopen(ends[0], "r");
	return pid;
}

static void loop_of_figure_3_reads_to_the_end(void)
{
	/* All of it fits into the ring; the rest is less than the watermark. */
	const unsigned int batches = 13, batch = 50, rest = 7;
	const unsigned long events = batches * batch + rest;
	unsigned long records = 0, reads = 0;
	unsigned int i;
	FILE *output;
	int status;
	pid_t pid;

	sensor_start(&s);
	close(s.fd);
	pid = figure3_start(&output, "READCOUNT_WATERMARK", batch);
	for (i = 0; i < batches; i++)
		sensor_emit(batch);
	/* The end of the buffer brings the rest. */
	sensor_emit(rest);
	UNTIL(guest_sleeps_in(pid, SYS_read));
	ctl_close(&s.ctl);
	EXPECT(fscanf(output, "%lu records in %lu reads", &records, &reads) == 2, "no figures");
	EXPECT(waitpid(pid, &status, 0) == pid && !status, "it ended with status %#x", status);
	/* What is no event is a CLOCK record. */
	marks_expect_clocks(records - events, 0);
	EXPECT(reads && reads <= batches + 1, "%lu reads", reads);
}

/* ---- urgent events ---- */

#define ROUNDS	501
#define HOUR_US	MAGNET_READ_TIMEOUT_MAX_US

static int by_size(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Prints how many are below each power of two, and returns the middle one. */
static uint64_t tell_latencies(const char *what, uint64_t us[ROUNDS])
{
	unsigned int i = 0;
	uint64_t bound;

	qsort(us, ROUNDS, sizeof(us[0]), by_size);
	printf("# %s: median %llu us, longest %llu us\n", what,
	       (unsigned long long)us[ROUNDS / 2], (unsigned long long)us[ROUNDS - 1]);
	for (bound = 1; i < ROUNDS; bound *= 2) {
		const unsigned int before = i;

		while (i < ROUNDS && us[i] < bound)
			i++;
		if (i > before)
			printf("#   < %6llu us: %u\n", (unsigned long long)bound, i - before);
	}
	return us[ROUNDS / 2];
}

/* The way of a byte through a pipe: what waking a reader costs in any case. */
static void *pipe_thread(void *arg)
{
	struct sleeper *sleeper = arg;
	char byte;

	sleeper->tid = guest_tid();
	sleeper->result = read(sleeper->fd, &byte, 1);
	sleeper->returned = guest_now_us();
	return NULL;
}

static uint64_t pipe_latency(const int ends[2])
{
	struct sleeper sleeper = { .fd = ends[0] };
	uint64_t since;

	NEED(!pthread_create(&sleeper.thread, NULL, pipe_thread, &sleeper), "no thread");
	UNTIL(__atomic_load_n(&sleeper.tid, __ATOMIC_RELAXED) &&
	      guest_sleeps_in(sleeper.tid, SYS_read));
	since = guest_now_us();
	NEED(write(ends[1], "", 1) == 1, "write: %s", strerror(errno));
	pthread_join(sleeper.thread, NULL);
	return sleeper.returned - since;
}

/* A reader that would wait an hour for 1,000 events gets an urgent one at once. */
static uint64_t urgent_latency(uint64_t number)
{
	struct sleeper sleeper;
	uint64_t since;

	sleeper_read(&sleeper, s.fd);
	since = guest_now_us();
	marks_write(number, number, 0);
	EXPECT(sleeper_join(&sleeper) > 0, "read: %s", strerror(-sleeper.result));
	EXPECT_EQ(sleeper.batch.events, 1);
	return sleeper.returned - since;
}

static void urgent_events_arrive_nearly_as_soon_as_a_byte_of_a_pipe(void)
{
	static uint64_t urgent[ROUNDS], piped[ROUNDS];
	uint64_t median;
	unsigned int i;
	int ends[2];

	NEED(!pipe2(ends, O_CLOEXEC), "no pipe");
	sensor_start(&s);
	sensor_subscribe(&s, "marker", MAGNET_F_URGENT);
	data_drain(s.fd);
	attr_need(s.fd, MAGNET_ATTR_READCOUNT_WATERMARK, 1000);
	attr_need(s.fd, MAGNET_ATTR_MIN_READ_TIMEOUT, HOUR_US);
	for (i = 0; i < ROUNDS; i++) {
		piped[i] = pipe_latency(ends);
		urgent[i] = urgent_latency(i + 1);
	}
	median = tell_latencies("a byte through a pipe", piped);
	/*
	 * It goes through a record, and an interrupt that wakes the reader: three
	 * times as long. Waiting for a timer's tick would be hundreds.
	 */
	EXPECT(tell_latencies("an urgent event", urgent) <= 10 * median,
	       "an urgent event takes more than ten times as long as a byte");
}

static const struct ktap_test tests[] = {
	KTAP_TEST(loop_of_figure_3_reads_to_the_end),
	KTAP_TEST(urgent_events_arrive_nearly_as_soon_as_a_byte_of_a_pipe),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
