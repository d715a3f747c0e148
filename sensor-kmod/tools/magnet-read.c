// SPDX-License-Identifier: GPL-2.0-only
/*
 * magnet-read: the smallest useful client. Makes a buffer, subscribes points,
 * and keeps what its CPUs log as raw records, one file for each CPU, or as a
 * trace that others can read.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <magnet.h>
#include "magnet_ctl.h"
#include "trace.h"

#define CPUS_MAX	1024
#define POINTS_MAX	64
#define BATCH		(256 * 1024)
/* The multicast group of what the kernel itself tells. */
#define UEVENT_KERNEL	1

struct options {
	const char	*points[POINTS_MAX];
	const char	*definitions[POINTS_MAX];	/* of those to insert */
	unsigned int	nr_points;
	const char	*buffer;
	const char	*dir;
	const char	*trace;
	uint64_t	size;
	uint64_t	watermark;
	uint64_t	max_us;
	double		seconds;
};

struct cpu_file {
	unsigned int	cpu;
	int		out;
	uint64_t	bytes;
	struct trace_stream stream;
};

struct reader {
	struct magnet_ctl	ctl;
	struct options		opt;
	uint32_t		subs[POINTS_MAX];
	char			inserted[POINTS_MAX][MAGNET_NAME_SIZE];
	struct pollfd		fds[CPUS_MAX + 1];	/* and behind them, uevents */
	struct cpu_file		files[CPUS_MAX];
	unsigned int		nr;
	unsigned int		open;
	int			uevents;
	struct trace		trace;
	bool			tracing;
	bool			given_up[CPUS_MAX];	/* came online and can't be read */
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static void usage(FILE *to)
{
	fprintf(to,
		"magnet-read {-p POINT | -i DEFINITION}... [-c DIR] [-o DIR] [-s BYTES] [-w BYTES] [-t USEC] [-d SECONDS] [-b NAME]\n"
		"  -p POINT    log this point's events; may be given again\n"
		"  -i DEFINITION, --insert DEFINITION\n"
		"              insert a point and log its events, such as 'p:vfs_read len=$arg3:u32'\n"
		"              or 'r:vfs_read $retval:s64' (docs/control.md); may be given again\n"
		"  -c DIR, --ctf DIR\n"
		"              save a trace in the Common Trace Format, CTF 1.8, in DIR, which is made:\n"
		"              babeltrace2 DIR prints it. Needs debugfs (docs/traces.md)\n"
		"  -o DIR      keep the raw records in DIR/cpuN.raw\n"
		"              (default without -c and -o: read and forget)\n"
		"  -s BYTES    buffer size per CPU (default 262144)\n"
		"  -w BYTES    READSIZE_WATERMARK (default 65536)\n"
		"  -t USEC     MAX_READ_TIMEOUT (default 200000)\n"
		"  -d SECONDS  stop after that time (default: at SIGINT or SIGTERM)\n"
		"  -b NAME     name of the buffer (default read-PID)\n"
		"Counters of each subscription go to the standard output at the end.\n"
		"Exit code: 0; 1 it could not be done; 2 wrong usage.\n");
}

static int die(const char *what, const char *why)
{
	fprintf(stderr, "magnet-read: %s: %s\n", what, why);
	return 1;
}

/* The command line is wrong. Returns what parse() does. */
static int __attribute__((format(printf, 1, 2))) wrong(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("magnet-read: ", stderr);
	vfprintf(stderr, fmt, args);
	fputs("; try --help\n", stderr);
	va_end(args);
	return 3;
}

static int parse_number(int option, const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (!errno && *text >= '0' && *text <= '9' && !*end)
		return 0;
	return wrong("-%c: \"%s\" is not a whole number from 0 on", option, text);
}

static int add_point(struct options *o, int option, const char *text)
{
	if (o->nr_points == POINTS_MAX)
		return wrong("-%c %s: there are %u points already, the most that can be given",
			     option, text, POINTS_MAX);
	if (option == 'p')
		o->points[o->nr_points++] = text;
	else
		o->definitions[o->nr_points++] = text;
	return 0;
}

/* @text: what getopt_long() was looking at last */
static int bad_option(int c, const char *text)
{
	if (c == ':')
		return wrong("%s needs an argument", text);
	if (optopt && text[1] != '-')
		return wrong("there is no option -%c", optopt);
	return wrong("there is no option %s, or it takes no argument", text);
}

/* Returns 0, or an exit code + 1. */
static int parse(int argc, char **argv, struct options *o)
{
	static const struct option long_options[] = {
		{ "ctf", required_argument, NULL, 'c' },
		{ "insert", required_argument, NULL, 'i' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	uint64_t seconds = 0;
	int c, err = 0;

	o->watermark = 65536;
	o->max_us = 200000;
	while (!err && (c = getopt_long(argc, argv, ":p:i:c:o:s:w:t:d:b:h", long_options,
					NULL)) != -1) {
		switch (c) {
		case 'p':
		case 'i':
			err = add_point(o, c, optarg);
			break;
		case 'c':
			o->trace = optarg;
			break;
		case 'o':
			o->dir = optarg;
			break;
		case 's':
			err = parse_number(c, optarg, &o->size);
			break;
		case 'w':
			err = parse_number(c, optarg, &o->watermark);
			break;
		case 't':
			err = parse_number(c, optarg, &o->max_us);
			break;
		case 'd':
			err = parse_number(c, optarg, &seconds);
			if (!err && !seconds)
				err = wrong("-d 0: that is no time; without -d it reads until SIGINT");
			o->seconds = seconds;
			break;
		case 'b':
			o->buffer = optarg;
			break;
		case 'h':
			usage(stdout);
			return 1;
		default:
			err = bad_option(c, argv[optind - 1]);
		}
	}
	if (err)
		return err;
	if (optind < argc)
		return wrong("\"%s\" belongs to no option", argv[optind]);
	if (!o->nr_points)
		return wrong("it needs a point to log: -p POINT or -i DEFINITION");
	return 0;
}

static int insert(struct reader *r, unsigned int i)
{
	const char *definition = r->opt.definitions[i];

	if (!definition)
		return 0;
	if (ctl_point_insert(&r->ctl, NULL, definition, 0, r->inserted[i]))
		return die(definition, r->ctl.error);
	r->opt.points[i] = r->inserted[i];
	return 0;
}

static int make(struct reader *r)
{
	unsigned int i;

	if (ctl_open(&r->ctl))
		return die("control", r->ctl.error);
	if (ctl_buffer_new(&r->ctl, r->opt.buffer, r->opt.size, 0, NULL))
		return die(r->opt.buffer, r->ctl.error);
	for (i = 0; i < r->opt.nr_points; i++) {
		if (insert(r, i))
			return 1;
		if (ctl_sub_new(&r->ctl, r->opt.points[i], r->opt.buffer, 0, &r->subs[i]))
			return die(r->opt.points[i], r->ctl.error);
	}
	return 0;
}

static int set(int fd, unsigned int option, uint64_t value)
{
	return lseek(fd, MAGNET_ATTR(option, value), SEEK_SET) < 0 ? -errno : 0;
}

static int open_out(const char *dir, unsigned int cpu)
{
	char path[4096];

	if (!dir)
		return -1;
	snprintf(path, sizeof(path), "%s/cpu%u.raw", dir, cpu);
	return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

static int open_stream(struct reader *r, struct cpu_file *f)
{
	if (trace_stream_open(&r->trace, &f->stream, f->cpu))
		return die("-c", r->trace.error);
	return 0;
}

static int open_trace(struct reader *r)
{
	unsigned int i;

	if (!r->opt.trace)
		return 0;
	if (trace_begin(&r->trace, r->opt.trace))
		return die("-c", r->trace.error);
	r->tracing = true;
	for (i = 0; i < r->nr; i++)
		if (open_stream(r, &r->files[i]))
			return 1;
	return 0;
}

static bool is_open(const struct reader *r, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		if (r->files[i].cpu == cpu)
			return true;
	return false;
}

static int set_attributes(const struct reader *r, int fd)
{
	if (set(fd, MAGNET_ATTR_READSIZE_WATERMARK, r->opt.watermark))
		return die("-w", "the watermark is above three quarters of the buffer, or there was no memory for a CPU's");
	if (set(fd, MAGNET_ATTR_MAX_READ_TIMEOUT, r->opt.max_us))
		return die("-t", "the time is longer than an hour");
	return 0;
}

static int open_cpu(struct reader *r, unsigned int cpu)
{
	struct cpu_file *f = &r->files[r->nr];
	const int fd = ctl_data_open(r->opt.buffer, cpu, O_NONBLOCK);

	if (fd == -ENOENT)	/* has never been online */
		return 0;
	if (fd < 0)
		return die("data file", strerror(-fd));
	if (set_attributes(r, fd)) {
		close(fd);
		return 1;
	}
	f->cpu = cpu;
	f->out = open_out(r->opt.dir, cpu);
	if (r->opt.dir && f->out < 0) {
		close(fd);
		return die(r->opt.dir, strerror(errno));
	}
	r->fds[r->nr++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	r->open++;
	return r->tracing ? open_stream(r, f) : 0;
}

/*
 * Those that have a file and are not yet read. What can't be read of one CPU is
 * not tried again, and does not keep the others from being read.
 */
static int open_cpus(struct reader *r)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	long cpu;
	int err = 0;

	for (cpu = 0; cpu < cpus && r->nr < CPUS_MAX; cpu++) {
		if (!is_open(r, cpu) && !r->given_up[cpu])
			r->given_up[cpu] = open_cpu(r, cpu);
		err |= r->given_up[cpu];
	}
	return err;
}

/* At the start each CPU that has been online has to be readable. */
static int open_first_cpus(struct reader *r)
{
	if (open_cpus(r))
		return 1;
	return r->nr ? 0 : die("data files", "none found; is debugfs mounted, or /dev/magnet there?");
}

/*
 * A CPU that comes online gets a file, and that a device node, which the kernel
 * tells of. Where it can't be heard the file is found at the end.
 */
static int open_uevents(void)
{
	const struct sockaddr_nl group = { .nl_family = AF_NETLINK, .nl_groups = UEVENT_KERNEL };
	const int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && !bind(fd, (const struct sockaddr *)&group, sizeof(group)))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* What they say does not matter, nor that some found no room. */
static void hear_uevents(struct reader *r)
{
	char text[8192];

	while (recv(r->uevents, text, sizeof(text), 0) >= 0 || errno == ENOBUFS)
		;
	open_cpus(r);
}

static int keep(struct cpu_file *f, const char *data, size_t len)
{
	f->bytes += len;
	while (f->out >= 0 && len) {
		ssize_t done = write(f->out, data, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return die("write", strerror(errno));
		data += done;
		len -= done;
	}
	return 0;
}

/* One read; the buffer's end closes the file. */
static int read_some(struct reader *r, unsigned int i)
{
	/* A page boundary between header and records: they are copied page by page. */
	static char memory[4096 + BATCH] __attribute__((aligned(4096)));
	char *const batch = memory + 4096;
	ssize_t got = read(r->fds[i].fd, batch, BATCH);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : die("read", strerror(errno));
	if (!got) {
		close(r->fds[i].fd);
		r->fds[i].fd = -1;
		r->open--;
		return 0;
	}
	if (keep(&r->files[i], batch, got))
		return 1;
	if (r->opt.trace && trace_write(&r->trace, &r->files[i].stream,
					batch - TRACE_PACKET_HEADER, got))
		return die("-c", r->trace.error);
	return 0;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int run(struct reader *r)
{
	const double end = r->opt.seconds ? now() + r->opt.seconds : 0;
	unsigned int i;

	while (!stop && r->open && (!end || now() < end)) {
		const double ms = (end - now()) * 1000;
		const int wait = !end ? -1 : ms < INT_MAX ? (int)ms + 1 : INT_MAX;
		const unsigned int nr = r->nr;

		r->fds[nr] = (struct pollfd){ .fd = r->uevents, .events = POLLIN };
		if (poll(r->fds, nr + 1, wait) < 0) {
			if (errno != EINTR)
				return die("poll", strerror(errno));
			continue;
		}
		for (i = 0; i < nr; i++)
			if (r->fds[i].fd >= 0 && r->fds[i].revents && read_some(r, i))
				return 1;
		if (r->fds[nr].revents)
			hear_uevents(r);
	}
	return 0;
}

/* What is still there after the subscriptions ended. */
static int drain(struct reader *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		uint64_t before;

		if (r->fds[i].fd < 0)
			continue;
		do {
			before = r->files[i].bytes;
			set(r->fds[i].fd, MAGNET_ATTR_FLUSH, 0);
			if (read_some(r, i))
				return 1;
		} while (r->files[i].bytes != before);
	}
	return 0;
}

/* @err: why it ends early; then what is left is not read. */
static int finish(struct reader *r, int err)
{
	const bool all = !err;
	unsigned int i;

	for (i = 0; i < r->opt.nr_points; i++) {
		struct magnet_ctl_counters c;

		if (ctl_sub_del(&r->ctl, r->subs[i], &c)) {
			err = die(r->opt.points[i], r->ctl.error);
			continue;
		}
		printf("%s hits %" PRIu64 " committed %" PRIu64 " filtered %" PRIu64
		       " sampled_out %" PRIu64 " dropped_full %" PRIu64 " dropped_big %" PRIu64
		       " dropped_recursion %" PRIu64 " dropped_storm %" PRIu64
		       " missed %" PRIu64 "\n",
		       r->opt.points[i], c.hits, c.committed, c.filtered, c.sampled_out,
		       c.dropped_full, c.dropped_big, c.dropped_recursion, c.dropped_storm,
		       c.missed);
	}
	if (all)
		err |= open_cpus(r) | drain(r);
	for (i = 0; i < r->nr; i++)
		printf("cpu%u bytes %" PRIu64 "\n", r->files[i].cpu, r->files[i].bytes);
	return err;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	static struct reader r;
	char name[32];
	int err;

	err = parse(argc, argv, &r.opt);
	if (err)
		return err - 1;
	if (!r.opt.buffer) {
		snprintf(name, sizeof(name), "read-%d", (int)getpid());
		r.opt.buffer = name;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	r.uevents = open_uevents();
	err = make(&r);
	if (!err)
		err = open_first_cpus(&r);
	if (!err)
		err = open_trace(&r);
	if (!err) {
		err = run(&r);
		if (r.open)
			err = finish(&r, err);
	}
	ctl_close(&r.ctl);
	return err;
}
