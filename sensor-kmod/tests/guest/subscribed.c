// SPDX-License-Identifier: GPL-2.0-only
/*
 * subscribed: runs a command while points are subscribed, and says what the
 * subscriptions counted meanwhile.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <magnet.h>
#include "magnet_ctl.h"

#define SUBS_MAX	1024
#define BATCH		(256 * 1024)

struct sub {
	const char	*point;
	const char	*definition;
	char		inserted[MAGNET_NAME_SIZE];
	char		buffer[MAGNET_NAME_SIZE];
	uint32_t	id;
};

static struct magnet_ctl ctl;
static struct sub subs[SUBS_MAX];
static unsigned int nr;
static struct magnet_ctl_wish wish;
static uint32_t flags;
static bool tell_dropped;

static int usage(void)
{
	fprintf(stderr,
		"subscribed {-p POINT | -i DEFINITION}... [-b NAME] [-s BYTES] [-r WATERMARK] [-f RULES] [-n N] [-l BYTES] [-d] [-k] -- COMMAND...\n"
		"  -p POINT      subscribe this point, to a buffer of its own; may be given again\n"
		"  -i DEFINITION insert a point first, and subscribe it\n"
		"  -b NAME       subscribe all to this buffer, which somebody else has made\n"
		"  -s BYTES      size of each buffer, per CPU\n"
		"  -r WATERMARK  let a reader of CPU 0 sleep until that many bytes are there\n"
		"  -f RULES      chain of rules of each subscription\n"
		"  -n N          sampling of each: one event of N\n"
		"  -l BYTES      of the packet in each record\n"
		"  -d            say as well how many events found no room\n"
		"  -k            keep all of it when the command has ended\n");
	return 2;
}

static void die(const char *what, const char *why)
{
	fprintf(stderr, "subscribed: %s: %s\n", what, why);
	exit(1);
}

static void subscribe(struct sub *sub, const char *buffer, uint64_t size)
{
	if (buffer)
		snprintf(sub->buffer, sizeof(sub->buffer), "%s", buffer);
	else
		snprintf(sub->buffer, sizeof(sub->buffer), "bench%td", sub - subs);
	if (sub->definition && ctl_point_insert(&ctl, NULL, sub->definition, flags, sub->inserted))
		die(sub->definition, ctl.error);
	if (sub->definition)
		sub->point = sub->inserted;
	if (!buffer && ctl_buffer_new(&ctl, sub->buffer, size, flags, NULL))
		die(sub->buffer, ctl.error);
	if (ctl_sub_new_wish(&ctl, sub->point, sub->buffer, flags, &wish, &sub->id))
		die(sub->point, ctl.error);
}

/* Reads and forgets, until the buffer is removed. */
static void read_all(const char *buffer, uint64_t watermark)
{
	static char batch[BATCH];
	int fd = ctl_data_open(buffer, 0, 0);
	ssize_t got;

	if (fd < 0)
		die(buffer, strerror(-fd));
	if (lseek(fd, MAGNET_ATTR(MAGNET_ATTR_READSIZE_WATERMARK, watermark), SEEK_SET) < 0)
		die("watermark", strerror(errno));
	do {
		got = read(fd, batch, sizeof(batch));
	} while (got > 0);
	if (got < 0)
		die("read", strerror(errno));
}

static void start_reader(const char *buffer, uint64_t watermark)
{
	pid_t child = fork();

	if (child < 0)
		die("fork", strerror(errno));
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent's copy of the socket is what keeps the buffers alive. */
	close(ctl.fd);
	read_all(buffer, watermark);
	_exit(0);
}

static void run(char **command)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		die("fork", strerror(errno));
	if (!child) {
		execvp(command[0], command);
		die(command[0], strerror(errno));
	}
	waitpid(child, &status, 0);
	if (status)
		die(command[0], "failed");
}

static void report(const struct sub *sub)
{
	struct magnet_ctl_counters c;

	if (ctl_sub_del(&ctl, sub->id, &c))
		die(sub->point, ctl.error);
	printf("%s hits=%" PRIu64 " committed=%" PRIu64, sub->point, c.hits, c.committed);
	if (wish.rules || wish.sample_count)
		printf(" filtered=%" PRIu64 " sampled_out=%" PRIu64, c.filtered, c.sampled_out);
	if (tell_dropped)
		printf(" dropped_full=%" PRIu64, c.dropped_full);
	putchar('\n');
}

int main(int argc, char **argv)
{
	uint64_t size = 0, watermark = 0;
	const char *buffer = NULL;
	unsigned int i;
	int c;

	while ((c = getopt(argc, argv, "p:i:b:s:r:f:n:l:dk")) != -1) {
		if (c == 'p' && nr < SUBS_MAX)
			subs[nr++].point = optarg;
		else if (c == 'i' && nr < SUBS_MAX)
			subs[nr++].definition = optarg;
		else if (c == 'b')
			buffer = optarg;
		else if (c == 's')
			size = strtoull(optarg, NULL, 0);
		else if (c == 'r')
			watermark = strtoull(optarg, NULL, 0);
		else if (c == 'f')
			wish.rules = optarg;
		else if (c == 'n')
			wish.sample_count = strtoul(optarg, NULL, 0);
		else if (c == 'l')
			wish.snap_len = strtoul(optarg, NULL, 0);
		else if (c == 'd')
			tell_dropped = true;
		else if (c == 'k')
			flags = MAGNET_F_PERSISTENT;
		else
			return usage();
	}
	if (!nr || optind == argc)
		return usage();
	if (ctl_open(&ctl))
		die("control", ctl.error);
	for (i = 0; i < nr; i++)
		subscribe(&subs[i], buffer, size);
	for (i = 0; watermark && i < nr; i++)
		start_reader(subs[i].buffer, watermark);
	if (watermark)
		sleep(1);	/* the readers fall asleep */
	run(argv + optind);
	for (i = 0; i < nr && !flags; i++)
		report(&subs[i]);
	ctl_close(&ctl);
	return 0;
}
