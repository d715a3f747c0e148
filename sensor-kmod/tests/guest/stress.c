// SPDX-License-Identifier: GPL-2.0-only
/*
 * test-stress [-s SEED] [-d SECONDS]: everything at once, and nothing is lost
 * unseen. All points are subscribed in several buffers, while both CPUs work,
 * readers come and go, and filters, guards and sizes change. Then every
 * counter of the module is held against what the readers counted.
 *
 * With MAGNET_NMI=FOLDER somebody outside sends NMIs from when the file "begin"
 * is there until "end" is, and makes "ended" then. The event magnet_nmi of
 * tests/module/nmi.c has to be as many as the kernel counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "guest.h"
#include "namespace.h"
#include "request.h"
#include "sensor.h"

#define CPUS		2
#define BUFFERS		3		/* beside the flight recorder */
#define RECORDER	BUFFERS
#define ALL_BUFFERS	(BUFFERS + 1)
#define POINTS_MAX	64
#define EVENTS_MAX	4096
#define ROOM		(256 * 1024)
#define SHOT		"stress-shot"
#define REPORTS		60	/* in a run */

static const char *const buffers[ALL_BUFFERS] = {
	"stress-0", "stress-1", "stress-2", "stress-recorder",
};

static const char *const inserted[] = {
	"p:vfs_read", "r:vfs_write $retval:s64", "f:vfs_open",
	"t:sched_stat_runtime",
};

struct sub {
	uint32_t	id;
	uint32_t	rule;		/* that was put in front of the others, or 0 */
	struct magnet_ctl_counters counters[CPUS];
};

struct point {
	char		name[64];
	char		mechanism[24];
	unsigned int	event;
	bool		packet;		/* may carry a part of it */
	bool		off;
	bool		always;		/* what it counts is known: it stays on */
	unsigned int	of_fields;	/* which of these chains it can have */
	struct sub	sub[ALL_BUFFERS];
};

/* What was read of a ring. Whoever has the file open writes it. */
struct seen {
	uint64_t	records;
	uint64_t	bytes;
	uint64_t	lost;
	uint64_t	timer;
	uint64_t	nmi;			/* number of the last magnet_nmi */
	unsigned int	before;			/* event of the last record */
	uint64_t	events[EVENTS_MAX];
	uint64_t	storms[EVENTS_MAX];	/* refused, as STORM records told */
};

/* What BUFFER_GET says of a ring. */
struct ring {
	uint64_t	written, read, bytes_written, bytes_read, lost, overwritten;
};

static uint64_t seed;
static unsigned int seconds = 20;
static struct magnet_ctl ctl;
static struct point points[POINTS_MAX];
static unsigned int nr_points;
static bool known[EVENTS_MAX];
static struct seen seen[ALL_BUFFERS][CPUS];
static struct ring rings[ALL_BUFFERS][CPUS];
static long long nmis[CPUS];
static bool readers_end, load_ends;
static uint64_t markers;

/* What the control thread got done; a run in which something never happened tests little. */
static struct {
	unsigned long	wishes, rules, resizes, snapshots, switches, guards, opens;
} changes;

/* ---- chance ---- */

static uint64_t chance(uint64_t *state)
{
	/* splitmix64 */
	uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static unsigned int below(uint64_t *state, unsigned int n)
{
	return chance(state) % n;
}

static bool is_set(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
	__atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

/* ---- records ---- */

static void look_at_event(struct seen *s, const struct record *rec, const char *where)
{
	static unsigned int nmi;
	unsigned int i;

	if (!nmi)
		for (i = 0; i < nr_points; i++)
			if (!strcmp(points[i].name, "magnet_nmi"))
				nmi = points[i].event;
	if (rec->event != nmi || !nmi)
		return;
	EXPECT(rec->id > s->nmi && rec->id == *(const uint64_t *)rec->payload,
	       "%s: NMI %llu after %llu", where, (unsigned long long)rec->id,
	       (unsigned long long)s->nmi);
	s->nmi = rec->id;
}

/* A record belongs to whom it says, is of a known event, and is not older than the one before. */
static void look_at(struct seen *s, const struct record *rec, const char *where)
{
	const struct magnet_storm *storm = rec->payload;
	const struct magnet_lost *lost = rec->payload;

	EXPECT(rec->timer >= s->timer, "%s: time went back from %llu to %llu", where,
	       (unsigned long long)s->timer, (unsigned long long)rec->timer);
	REQUIRE(rec->event < EVENTS_MAX && known[rec->event], "%s: event %#x is unknown", where,
		rec->event);
	/* A flight recorder may have overwritten their event. */
	if (rec->event == MAGNET_EVENT_COUNTERS && strcmp(where, SHOT))
		EXPECT(rec->timer == s->timer && s->before < EVENTS_MAX &&
		       s->before != MAGNET_EVENT_COUNTERS, "%s: counters of no event", where);
	if (rec->event == MAGNET_EVENT_STORM) {
		REQUIRE(rec->id < EVENTS_MAX && known[rec->id], "%s: storm of event %#llx", where,
			(unsigned long long)rec->id);
		EXPECT(storm->refused && storm->refused < 1ULL << 40, "%s: a storm of %lld", where,
		       (long long)storm->refused);
		s->storms[rec->id] += storm->refused;
	}
	if (rec->event == MAGNET_EVENT_LOST) {
		EXPECT(lost->count && lost->count < 1ULL << 40, "%s: lost %lld", where,
		       (long long)lost->count);
		s->lost += lost->count;
	}
	look_at_event(s, rec, where);
	s->timer = rec->timer;
	s->before = rec->event;
	s->events[rec->event]++;
	s->records++;
	s->bytes += rec->size;
}

/* @cpu: whose file it is, or -1: merged. */
static void look_at_all(struct seen *of, int cpu, const char *where, const void *data, size_t len)
{
	const void *end = (const char *)data + len;
	struct record rec;

	while (records_next(&data, end, &rec)) {
		REQUIRE(rec.cpu < CPUS && (cpu < 0 || rec.cpu == (unsigned int)cpu),
			"%s: a record of CPU %u", where, rec.cpu);
		look_at(&of[rec.cpu], &rec, where);
	}
}

/* ---- readers ---- */

struct reader {
	pthread_t	thread;
	unsigned int	buffer;
	int		cpu;	/* -1: any, and merged */
	uint64_t	chance;
};

static int open_file(const char *buffer, int cpu, int flags)
{
	char path[128];
	int fd;

	if (cpu >= 0)
		return ctl_data_open(buffer, cpu, flags);
	snprintf(path, sizeof(path), "/dev/magnet/%s/merged", buffer);
	fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	return fd < 0 ? -errno : fd;
}

/* One way to wait of several: poll, a read that sleeps, or looking again and again. */
static void read_on(struct reader *r, int fd, int cpu, unsigned int way, char *data)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t got;

	if (way == 0)
		poll(&pfd, 1, 50);
	got = read(fd, data, MAGNET_RECORD_SIZE_MAX +
		   below(&r->chance, ROOM - MAGNET_RECORD_SIZE_MAX));
	NEED(got > 0 || (got < 0 && errno == EAGAIN), "%s: read gives %zd, %s",
	     buffers[r->buffer], got, strerror(errno));
	if (got > 0)
		look_at_all(seen[r->buffer], cpu, buffers[r->buffer], data, got);
	else
		guest_nap();
}

static void *read_some(void *arg)
{
	char *data = malloc(ROOM);
	struct reader *r = arg;

	while (!is_set(&readers_end)) {
		const int cpu = r->cpu < 0 ? (int)below(&r->chance, CPUS + 1) - 1 : r->cpu;
		const unsigned int way = below(&r->chance, 3);
		unsigned int times = 1 + below(&r->chance, 60);
		const int fd = open_file(buffers[r->buffer], cpu, way == 1 ? 0 : O_NONBLOCK);

		/* A program that is being started has for a moment all that this one has open. */
		if (fd == -EBUSY) {
			guest_nap();
			continue;
		}
		NEED(fd >= 0, "%s: %s", buffers[r->buffer], strerror(-fd));
		__atomic_fetch_add(&changes.opens, 1, __ATOMIC_RELAXED);
		/* A read that sleeps comes back, whatever happens. */
		attr_need(fd, MAGNET_ATTR_MAX_READ_TIMEOUT, 20000);
		attr_need(fd, MAGNET_ATTR_READCOUNT_WATERMARK, below(&r->chance, 500));
		while (times-- && !is_set(&readers_end))
			read_on(r, fd, cpu, way, data);
		close(fd);
		if (!below(&r->chance, 4))
			usleep(below(&r->chance, 200000));
	}
	free(data);
	return NULL;
}

/* All that is there now, or, of a snapshot, all there will ever be. */
static void drain(const char *buffer, unsigned int cpu, struct seen *of)
{
	const int fd = ctl_data_open(buffer, cpu, O_NONBLOCK);
	char *data = malloc(ROOM);
	ssize_t got;

	NEED(fd >= 0 && data, "%s: %s", buffer, strerror(-fd));
	attr_need(fd, MAGNET_ATTR_FLUSH, 0);
	while ((got = read(fd, data, ROOM)) > 0)
		look_at_all(of, cpu, buffer, data, got);
	EXPECT(!got || errno == EAGAIN, "%s: %s", buffer, strerror(errno));
	free(data);
	close(fd);
}

/* ---- load ---- */

struct work {
	pthread_t	thread;
	unsigned int	cpu;
	int		udp, tcp[2], device, marker, zero;
	struct sockaddr_in to;
	void		*block;
};

static void begin_work(struct work *w)
{
	socklen_t len = sizeof(w->to);

	guest_on_cpu(w->cpu);
	namespace_enter();
	namespace_connect(AF_INET, w->tcp);
	w->to = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	w->udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	NEED(!bind(w->udp, (void *)&w->to, len) && !getsockname(w->udp, (void *)&w->to, &len),
	     "bind: %s", strerror(errno));
	w->device = open("/dev/nullb0", O_RDWR | O_DIRECT | O_CLOEXEC);
	w->marker = open("/dev/magnet/marker", O_WRONLY | O_CLOEXEC);
	w->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	w->block = aligned_alloc(4096, 4096);
	NEED(w->device >= 0 && w->marker >= 0 && w->zero >= 0 && w->block, "files: %s",
	     strerror(errno));
	memset(w->block, 'x', 4096);
}

static void packets(struct work *w)
{
	char data[2048] = "";
	unsigned int i;

	for (i = 0; i < 20; i++) {
		NEED(sendto(w->udp, data, 64 + i * 50, 0, (void *)&w->to, sizeof(w->to)) > 0 &&
		     recv(w->udp, data, sizeof(data), 0) > 0, "UDP: %s", strerror(errno));
		NEED(send(w->tcp[0], data, 64 + i * 50, 0) > 0 &&
		     recv(w->tcp[1], data, sizeof(data), 0) > 0, "TCP: %s", strerror(errno));
	}
}

/* Pages that are touched by the program, and by the kernel for it. */
static void faults(struct work *w)
{
	char *p = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	NEED(p != MAP_FAILED, "mmap: %s", strerror(errno));
	for (i = 0; i < 8; i++)
		*(volatile char *)(p + i * 4096) = 1;
	NEED(read(w->zero, p + 8 * 4096, 8 * 4096) > 0, "/dev/zero: %s", strerror(errno));
	munmap(p, 16 * 4096);
}

static void marks(struct work *w)
{
	unsigned int i;

	for (i = 0; i < 20; i++)
		NEED(write(w->marker, w->block, 1 + i * 40) > 0, "marker: %s", strerror(errno));
	__atomic_fetch_add(&markers, i, __ATOMIC_RELAXED);
}

static void start_program(void)
{
	char name[] = "true";
	char *argv[2] = { name };
	pid_t child;

	NEED(!posix_spawn(&child, "/bin/true", NULL, NULL, argv, argv + 1), "no program");
	waitpid(child, NULL, 0);
}

static void *work(void *arg)
{
	struct work *w = arg;
	unsigned int i;

	begin_work(w);
	for (i = 0; !is_set(&load_ends); i++) {
		packets(w);
		faults(w);
		marks(w);
		NEED(pwrite(w->device, w->block, 4096, i % 1000 * 4096) == 4096, "block: %s",
		     strerror(errno));
		if (i % 16 == 0)
			start_program();
		if (i % 8 == 0)
			guest_nap();
	}
	return NULL;
}

/* ---- changes ---- */

static const char *const chains[] = {
	"", "log", "drop", "drop if cpu == 1; log", "sample 7", "every 5ms", "urgent if cpu == 0",
	"drop if tgid != 1; sample 3 if tid & 1; every 1ms", "drop if cpu in 0,2-5; urgent",
};

/* Of points that have such fields, as control/format names them. */
static const struct {
	const char	*field;
	const char	*chain;
} of_fields[] = {
	{ " len:u32@", "drop if len & 1" },
	{ " len:u32@", "sample 3 if len > 100 and tgid != 1; drop if len < 60" },
	{ " prev_state:u32@", "drop if prev_state == 0" },
	{ " address:u64@", "log if address & 0x1000; drop if tid & 1 and cpu == 0" },
	{ " ret:u64@", "drop if ret == 0,1,2; urgent if ret > 0xfffffffffffff000" },
	{ " bytes:u32@", "drop if bytes > 4096" },
};

static int ask(struct request *r, answer_fn fn, void *arg)
{
	const struct answer a = request_send(r, &ctl, fn, arg);

	NEED(!a.error || a.error == -EBUSY || a.error == -EAGAIN, "command %u: %s, %s",
	     r->genl.cmd, strerror(-a.error), a.text);
	return a.error;
}

static struct point *any_point(uint64_t *c)
{
	return &points[below(c, nr_points)];
}

static struct sub *any_sub(uint64_t *c, struct point **p)
{
	struct sub *sub;

	do {
		*p = any_point(c);
		sub = &(*p)->sub[below(c, ALL_BUFFERS)];
	} while (!sub->id);
	return sub;
}

static const char *any_chain(uint64_t *c, const struct point *p)
{
	const unsigned int i = below(c, KTAP_SIZE(of_fields));

	return p->of_fields & 1u << i ? of_fields[i].chain : chains[below(c, KTAP_SIZE(chains))];
}

static void change_wish(uint64_t *c)
{
	struct point *p;
	struct sub *sub = any_sub(c, &p);
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_SUB_SET);
	request_put_u32(&r, MAGNET_A_SUB_ID, sub->id);
	switch (below(c, 5)) {
	case 0:
		request_put_u32(&r, MAGNET_A_SAMPLE_COUNT, below(c, 20));
		break;
	case 1:
		request_put_u32(&r, MAGNET_A_SAMPLE_INTERVAL_US, below(c, 2) * below(c, 5000));
		break;
	case 2:
		request_put_u32(&r, MAGNET_A_COUNTERS, below(c, 2) *
				(MAGNET_COUNTER_CPU_CLOCK | MAGNET_COUNTER_CONTEXT_SWITCHES));
		break;
	case 3:
		request_put_u32(&r, MAGNET_A_SNAP_LEN, p->packet * below(c, 1500));
		break;
	default:
		request_put_text(&r, MAGNET_A_RULES, any_chain(c, p));
		sub->rule = 0;
	}
	changes.wishes += !ask(&r, NULL, NULL);
}

static void keep_rule(struct attrs attrs, void *id)
{
	struct attrs rule;

	NEED(attrs_find(attrs, MAGNET_A_RULE, &rule), "no rule in the answer");
	*(uint32_t *)id = attrs_u32(rule, MAGNET_A_RULE_ID);
}

static void change_rule(uint64_t *c)
{
	struct point *p;
	struct sub *sub = any_sub(c, &p);
	struct request r;

	request_begin(&r, &ctl, sub->rule ? MAGNET_CMD_RULE_DEL : MAGNET_CMD_RULE_NEW);
	request_put_u32(&r, MAGNET_A_SUB_ID, sub->id);
	if (sub->rule) {
		request_put_u32(&r, MAGNET_A_RULE_ID, sub->rule);
		sub->rule = 0;
		ask(&r, NULL, NULL);
	} else {
		request_put_text(&r, MAGNET_A_RULE_TEXT, "sample 2 if cpu == 1");
		ask(&r, keep_rule, &sub->rule);
	}
	changes.rules++;
}

static void change_size(uint64_t *c)
{
	const int err = ctl_buffer_resize(&ctl, buffers[below(c, ALL_BUFFERS)],
					  (uint64_t)MAGNET_BUFFER_SIZE_MIN << below(c, 5), NULL);

	NEED(!err || err == -EBUSY || err == -EAGAIN, "resize: %s", ctl.error);
	changes.resizes += !err;
}

static bool take_snapshot(void)
{
	const int err = ctl_buffer_snapshot(&ctl, buffers[RECORDER], SHOT, 0);
	unsigned int cpu;

	NEED(!err || err == -EAGAIN, "snapshot: %s", ctl.error);
	if (err)
		return false;
	for (cpu = 0; cpu < CPUS; cpu++)
		drain(SHOT, cpu, seen[RECORDER]);
	NEED(!ctl_buffer_del(&ctl, SHOT), "snapshot: %s", ctl.error);
	changes.snapshots++;
	return true;
}

static void set_point(const struct point *p, uint16_t attr, uint32_t value)
{
	struct request r;

	request_begin(&r, &ctl, MAGNET_CMD_POINT_SET);
	request_put_text(&r, MAGNET_A_POINT, p->name);
	request_put_u32(&r, attr, value);
	ask(&r, NULL, NULL);
}

static void switch_point(uint64_t *c)
{
	struct point *p = any_point(c);

	/*
	 * QEMU's processors do not stand a kprobe that comes and goes at a
	 * function that others are in all the time (see harness/boot).
	 */
	if (p->always || !strcmp(p->mechanism, "kretprobe"))
		return;
	p->off = !p->off;
	set_point(p, MAGNET_A_ENABLED, !p->off);
	changes.switches++;
}

static void set_guard(uint64_t *c)
{
	set_point(any_point(c), MAGNET_A_STORM_RATE, below(c, 2) * (1 + below(c, 300)));
	changes.guards++;
}

static void change_something(uint64_t *c)
{
	const unsigned int what = below(c, 100);

	if (what < 35)
		change_wish(c);
	else if (what < 50)
		change_rule(c);
	else if (what < 65)
		change_size(c);
	else if (what < 75)
		take_snapshot();
	else if (what < 80)
		switch_point(c);
	else
		set_guard(c);
}

/* ---- NMIs ---- */

static const char *nmi_file(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", getenv("MAGNET_NMI"), name);
	return path;
}

static void make_nmi_file(const char *name)
{
	const int fd = open(nmi_file(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	NEED(fd >= 0, "%s: %s", nmi_file(name), strerror(errno));
	close(fd);
}

/* The kernel's own count. One that is pending comes before this thread runs there. */
static void count_nmis(int sign)
{
	unsigned long long count[CPUS];
	char line[512];
	unsigned int i;
	FILE *f;

	for (i = 0; i < CPUS; i++)
		guest_on_cpu(i);
	f = fopen("/proc/interrupts", "re");
	NEED(f, "/proc/interrupts: %s", strerror(errno));
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " NMI: %llu %llu", &count[0], &count[1]) == CPUS)
			for (i = 0; i < CPUS; i++)
				nmis[i] += sign * (long long)count[i];
	fclose(f);
}

static void begin_nmis(void)
{
	if (!getenv("MAGNET_NMI"))
		return;
	count_nmis(-1);
	make_nmi_file("begin");
}

static void end_nmis(void)
{
	if (!getenv("MAGNET_NMI"))
		return;
	make_nmi_file("end");
	UNTIL(!access(nmi_file("ended"), F_OK));
	count_nmis(1);
}

/* ---- all of it ---- */

static void insert_points(void)
{
	unsigned int i;

	for (i = 0; i < KTAP_SIZE(inserted); i++)
		NEED(!ctl_point_insert(&ctl, NULL, inserted[i], 0, NULL), "%s: %s", inserted[i],
		     ctl.error);
}

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names))
		names++;
	return *names;
}

/* Every point that this kernel has. */
static void find_points(void)
{
	static const char *const packet[] = {
		"ip_send_skb", "dev_queue_xmit", "net_dev_start_xmit", "netif_receive_skb",
		"ip_local_deliver", "udp_rcv", "udp_enqueue", "skb_consume_udp", "tcp_rcv",
		"tcp_rcv_established", "kfree_skb", NULL
	};
	static const char *const always[] = {
		"marker", "magnet_nmi", NULL
	};
	FILE *f = fopen(MAGNET_CONTROL "/events", "re");
	char line[1024];

	NEED(f, "control/events: %s", strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		struct point *p = &points[nr_points];

		if (sscanf(line, "%x %63s %*s %23s", &p->event, p->name, p->mechanism) != 3 ||
		    !strstr(line, "=off"))
			continue;
		p->packet = is_one_of(p->name, packet);
		p->always = is_one_of(p->name, always);
		known[p->event] = true;
		NEED(++nr_points < POINTS_MAX, "too many points");
	}
	fclose(f);
	known[MAGNET_EVENT_CLOCK] = true;
	known[MAGNET_EVENT_LOST] = true;
	known[MAGNET_EVENT_STORM] = true;
	known[MAGNET_EVENT_COUNTERS] = true;
}

/* Notes which of the chains that ask for fields a point can have. */
static void find_fields(void)
{
	FILE *f = fopen(MAGNET_CONTROL "/format", "re");
	unsigned int event, i, j;
	char line[1024];

	NEED(f, "control/format: %s", strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "event %x", &event) != 1)
			continue;
		for (i = 0; i < nr_points; i++)
			for (j = 0; j < KTAP_SIZE(of_fields) && points[i].event == event; j++)
				if (strstr(line, of_fields[j].field))
					points[i].of_fields |= 1u << j;
	}
	fclose(f);
}

/*
 * Every second point has one subscription, so that its handlers look at rules
 * and samples by themselves; the others have one in each buffer.
 */
static bool has_sub(unsigned int point, unsigned int buffer)
{
	return points[point].always || point % 2 || point / 2 % ALL_BUFFERS == buffer;
}

static void subscribe_all(void)
{
	unsigned int i, b;

	for (b = 0; b < ALL_BUFFERS; b++)
		NEED(!ctl_buffer_new(&ctl, buffers[b], 256 * 1024,
				     b == RECORDER ? MAGNET_F_OVERWRITE : 0, NULL), "%s",
		     ctl.error);
	for (i = 0; i < nr_points; i++)
		for (b = 0; b < ALL_BUFFERS; b++)
			NEED(!has_sub(i, b) ||
			     !ctl_sub_new(&ctl, points[i].name, buffers[b], 0,
					  &points[i].sub[b].id), "%s: %s", points[i].name,
			     ctl.error);
}

static void keep_counters(struct attrs attrs, void *arg)
{
	struct sub *sub = arg;
	struct attrs cpu;
	uint16_t type;

	while (attrs_next(&attrs, &type, &cpu)) {
		if (type != MAGNET_A_CPU_STATS)
			continue;
		NEED(attrs_u32(cpu, MAGNET_A_CPU) < CPUS, "there are more than two CPUs");
		sub->counters[attrs_u32(cpu, MAGNET_A_CPU)] = (struct magnet_ctl_counters) {
			.hits = attrs_u64(cpu, MAGNET_A_HITS),
			.committed = attrs_u64(cpu, MAGNET_A_COMMITTED),
			.filtered = attrs_u64(cpu, MAGNET_A_FILTERED),
			.sampled_out = attrs_u64(cpu, MAGNET_A_SAMPLED_OUT),
			.dropped_full = attrs_u64(cpu, MAGNET_A_DROPPED_FULL),
			.dropped_big = attrs_u64(cpu, MAGNET_A_DROPPED_BIG),
			.dropped_recursion = attrs_u64(cpu, MAGNET_A_DROPPED_RECURSION),
			.dropped_storm = attrs_u64(cpu, MAGNET_A_DROPPED_STORM),
			.missed = attrs_u64(cpu, MAGNET_A_MISSED),
		};
	}
}

static void unsubscribe(bool always)
{
	struct request r;
	unsigned int i, b;

	for (i = 0; i < nr_points; i++)
		for (b = 0; b < ALL_BUFFERS; b++) {
			if (points[i].always != always || !has_sub(i, b))
				continue;
			request_begin(&r, &ctl, MAGNET_CMD_SUB_DEL);
			request_put_u32(&r, MAGNET_A_SUB_ID, points[i].sub[b].id);
			ask(&r, keep_counters, &points[i].sub[b]);
		}
}

static void keep_rings(struct attrs attrs, void *arg)
{
	const char *name = attrs_text(attrs, MAGNET_A_BUFFER);
	struct attrs cpu;
	unsigned int b = 0;
	uint16_t type;

	(void)arg;
	while (b < ALL_BUFFERS && strcmp(name, buffers[b]))
		b++;
	while (b < ALL_BUFFERS && attrs_next(&attrs, &type, &cpu))
		if (type == MAGNET_A_CPU_STATS)
			rings[b][attrs_u32(cpu, MAGNET_A_CPU)] = (struct ring) {
				.written = attrs_u64(cpu, MAGNET_A_RECORDS_WRITTEN),
				.read = attrs_u64(cpu, MAGNET_A_RECORDS_READ),
				.bytes_written = attrs_u64(cpu, MAGNET_A_BYTES_WRITTEN),
				.bytes_read = attrs_u64(cpu, MAGNET_A_BYTES_READ),
				.lost = attrs_u64(cpu, MAGNET_A_LOST),
				.overwritten = attrs_u64(cpu, MAGNET_A_OVERWRITTEN),
			};
}

/* What is left goes into the same counters as what was read while it came. */
static void drain_all(void)
{
	unsigned int b, cpu;

	for (b = 0; b < BUFFERS; b++)
		for (cpu = 0; cpu < CPUS; cpu++)
			drain(buffers[b], cpu, seen[b]);
	UNTIL(take_snapshot());
	NEED(!request_dump(&ctl, MAGNET_CMD_BUFFER_GET, keep_rings, NULL).error, "no buffers");
}

static void start_readers(struct reader *readers, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		readers[i].chance = seed + 1 + i;
		NEED(!pthread_create(&readers[i].thread, NULL, read_some, &readers[i]), "no thread");
	}
}

static void start_work(struct work *works)
{
	unsigned int cpu;

	NEED(!system("modprobe null_blk nr_devices=1 gb=1"), "no null_blk");
	UNTIL(!access("/dev/nullb0", R_OK | W_OK));
	for (cpu = 0; cpu < CPUS; cpu++) {
		works[cpu].cpu = cpu;
		NEED(!pthread_create(&works[cpu].thread, NULL, work, &works[cpu]), "no thread");
	}
}

/* Whoever waits for the end of an hour sees that it goes on. */
static void report(uint64_t since, uint64_t *next)
{
	const uint64_t now = guest_now_us();

	if (now < *next)
		return;
	*next += seconds * US_PER_S / REPORTS;
	printf("# %llu s: %llu markers, %lu changes, %lu snapshots, %lu files opened\n",
	       (unsigned long long)((now - since) / US_PER_S),
	       (unsigned long long)__atomic_load_n(&markers, __ATOMIC_RELAXED),
	       changes.wishes + changes.rules + changes.resizes + changes.switches + changes.guards,
	       changes.snapshots, __atomic_load_n(&changes.opens, __ATOMIC_RELAXED));
}

static void change_for_a_time(void)
{
	const uint64_t since = guest_now_us();
	uint64_t c = seed, next = since;

	while (guest_now_us() - since < seconds * US_PER_S) {
		change_something(&c);
		report(since, &next);
	}
}

static void everything_happens_at_once(void)
{
	struct reader readers[] = {
		{ .buffer = 0, .cpu = 0 }, { .buffer = 0, .cpu = 1 }, { .buffer = 1, .cpu = -1 },
		{ .buffer = 2, .cpu = -1 },
	};
	struct work works[CPUS] = {};
	unsigned int i;

	NEED(!ctl_open(&ctl), "%s", ctl.error);
	insert_points();
	find_points();
	find_fields();
	subscribe_all();
	start_readers(readers, KTAP_SIZE(readers));
	start_work(works);
	begin_nmis();
	change_for_a_time();
	end_nmis();
	/* Ended one by one while all goes on: what each has counted is final. */
	unsubscribe(false);
	set(&load_ends);
	for (i = 0; i < CPUS; i++)
		pthread_join(works[i].thread, NULL);
	unsubscribe(true);
	set(&readers_end);
	for (i = 0; i < KTAP_SIZE(readers); i++)
		pthread_join(readers[i].thread, NULL);
	drain_all();
}

/* ---- the reckoning ---- */

typedef void (*sub_fn)(const struct point *p, unsigned int buffer, unsigned int cpu,
		       const struct magnet_ctl_counters *c);

static void for_all_subs(sub_fn fn)
{
	unsigned int i, b, cpu;

	REQUIRE(nr_points, "there was no point");
	for (i = 0; i < nr_points; i++)
		for (b = 0; b < ALL_BUFFERS; b++)
			for (cpu = 0; cpu < CPUS; cpu++)
				fn(&points[i], b, cpu, &points[i].sub[b].counters[cpu]);
}

static uint64_t drops(const struct magnet_ctl_counters *c)
{
	return c->dropped_full + c->dropped_big + c->dropped_recursion;
}

static void check_equation(const struct point *p, unsigned int buffer, unsigned int cpu,
			   const struct magnet_ctl_counters *c)
{
	EXPECT(c->hits == c->committed + c->filtered + c->sampled_out + drops(c) + c->dropped_storm,
	       "%s in %s, CPU %u: %llu hits = %llu + %llu + %llu + %llu + %llu", p->name,
	       buffers[buffer], cpu, (unsigned long long)c->hits, (unsigned long long)c->committed,
	       (unsigned long long)c->filtered, (unsigned long long)c->sampled_out,
	       (unsigned long long)drops(c), (unsigned long long)c->dropped_storm);
}

static void every_hit_is_accounted_for(void)
{
	for_all_subs(check_equation);
}

static void check_events(const struct point *p, unsigned int buffer, unsigned int cpu,
			 const struct magnet_ctl_counters *c)
{
	const struct seen *s = &seen[buffer][cpu];
	const unsigned long long events = s->events[p->event], storms = s->storms[p->event];

	EXPECT(buffer == RECORDER ? events <= c->committed : events == c->committed,
	       "%s in %s, CPU %u: %llu committed, %llu read", p->name, buffers[buffer], cpu,
	       (unsigned long long)c->committed, events);
	/* Those after the last record are told by the counter only. */
	EXPECT(storms <= c->dropped_storm, "%s in %s, CPU %u: %llu refused, %llu told", p->name,
	       buffers[buffer], cpu, (unsigned long long)c->dropped_storm, storms);
}

static void every_event_is_read(void)
{
	for_all_subs(check_events);
}

static uint64_t drops_of_ring(unsigned int buffer, unsigned int cpu)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < nr_points; i++)
		sum += drops(&points[i].sub[buffer].counters[cpu]);
	return sum;
}

/* All has been read, and what was made for a reader counts as written. */
static void check_written(const struct ring *ring, unsigned int buffer)
{
	EXPECT_EQ(ring->written, ring->read + ring->overwritten);
	if (buffer != RECORDER)
		EXPECT_EQ(ring->bytes_written, ring->bytes_read);
}

static void every_record_is_accounted_for(void)
{
	unsigned int b, cpu;

	for (b = 0; b < ALL_BUFFERS; b++)
		for (cpu = 0; cpu < CPUS; cpu++) {
			const struct ring *ring = &rings[b][cpu];
			const struct seen *s = &seen[b][cpu];

			printf("# %s CPU %u: %llu records written, %llu read, %llu overwritten, %llu events lost\n",
			       buffers[b], cpu, (unsigned long long)ring->written,
			       (unsigned long long)s->records,
			       (unsigned long long)ring->overwritten,
			       (unsigned long long)ring->lost);
			EXPECT(s->records, "%s, CPU %u: nothing was read", buffers[b], cpu);
			EXPECT_EQ(s->records, ring->read);
			EXPECT_EQ(s->bytes, ring->bytes_read);
			check_written(ring, b);
			EXPECT_EQ(ring->lost, drops_of_ring(b, cpu));
			if (b == RECORDER)
				EXPECT(s->lost <= ring->lost && ring->overwritten,
				       "the recorder lost %llu, told %llu",
				       (unsigned long long)ring->lost, (unsigned long long)s->lost);
			else
				EXPECT_EQ(s->lost, ring->lost);
		}
}

/* As many as the kernel counts, and as were written, in each buffer. */
static void known_numbers_are_right(void)
{
	unsigned int i, b, cpu;

	for (i = 0; i < nr_points; i++) {
		const struct point *p = &points[i];

		for (b = 0; p->always && b < ALL_BUFFERS; b++) {
			const struct magnet_ctl_counters *c = p->sub[b].counters;

			if (!strcmp(p->name, "marker"))
				EXPECT_EQ(c[0].hits + c[1].hits, markers);
			else
				for (cpu = 0; cpu < CPUS; cpu++)
					EXPECT(c[cpu].hits == (uint64_t)nmis[cpu],
					       "%s in %s, CPU %u: %llu hits, %lld NMIs", p->name,
					       buffers[b], cpu, (unsigned long long)c[cpu].hits,
					       nmis[cpu]);
		}
	}
	printf("# NMIs: %lld on CPU 0, %lld on CPU 1\n", nmis[0], nmis[1]);
	EXPECT(!getenv("MAGNET_NMI") || (nmis[0] && nmis[1]), "there was no NMI on one of the CPUs");
}

static void add(struct magnet_ctl_counters *sum, const struct magnet_ctl_counters *c)
{
	sum->hits += c->hits;
	sum->committed += c->committed;
	sum->filtered += c->filtered;
	sum->sampled_out += c->sampled_out;
	sum->dropped_full += c->dropped_full;
	sum->dropped_big += c->dropped_big;
	sum->dropped_recursion += c->dropped_recursion;
	sum->dropped_storm += c->dropped_storm;
	sum->missed += c->missed;
}

/* Of the points with this mechanism, and in this buffer; NULL and -1: of all. */
static struct magnet_ctl_counters sum_of(const char *mechanism, int buffer)
{
	struct magnet_ctl_counters sum = {};
	unsigned int i, b, cpu;

	for (i = 0; i < nr_points; i++)
		for (b = 0; b < ALL_BUFFERS; b++)
			for (cpu = 0; cpu < CPUS; cpu++)
				if ((!mechanism || !strcmp(mechanism, points[i].mechanism)) &&
				    (buffer < 0 || b == (unsigned int)buffer))
					add(&sum, &points[i].sub[b].counters[cpu]);
	return sum;
}

static void show(const char *what, struct magnet_ctl_counters c)
{
	printf("# %s: %llu hits = %llu committed + %llu filtered + %llu sampled out + %llu dropped: full + %llu big + %llu recursion + %llu storm; %llu missed\n",
	       what, (unsigned long long)c.hits, (unsigned long long)c.committed,
	       (unsigned long long)c.filtered, (unsigned long long)c.sampled_out,
	       (unsigned long long)c.dropped_full, (unsigned long long)c.dropped_big,
	       (unsigned long long)c.dropped_recursion, (unsigned long long)c.dropped_storm,
	       (unsigned long long)c.missed);
}

static void show_sums(void)
{
	unsigned int i, j, b;

	for (i = 0; i < nr_points; i++) {
		/* Each mechanism once. */
		for (j = 0; strcmp(points[j].mechanism, points[i].mechanism); j++)
			;
		if (j == i)
			show(points[i].mechanism, sum_of(points[i].mechanism, -1));
	}
	for (b = 0; b < ALL_BUFFERS; b++)
		show(buffers[b], sum_of(NULL, b));
}

static void all_of_it_did_happen(void)
{
	const struct magnet_ctl_counters total = sum_of(NULL, -1);

	show_sums();
	printf("# %u points with 1 or %u subscriptions, %u s\n", nr_points, ALL_BUFFERS, seconds);
	show("all", total);
	printf("# %lu wishes, %lu rules, %lu sizes, %lu snapshots, %lu points switched, %lu guards, %lu files opened\n",
	       changes.wishes, changes.rules, changes.resizes, changes.snapshots, changes.switches,
	       changes.guards, changes.opens);
	EXPECT(total.committed && total.filtered && total.sampled_out && total.dropped_full &&
	       total.dropped_storm, "one of the counters is 0");
	EXPECT(changes.wishes && changes.rules && changes.resizes && changes.snapshots > 1 &&
	       changes.switches && changes.guards && changes.opens, "one of the changes never was");
}

static const struct ktap_test tests[] = {
	KTAP_TEST(everything_happens_at_once),
	KTAP_TEST(every_hit_is_accounted_for),
	KTAP_TEST(every_event_is_read),
	KTAP_TEST(every_record_is_accounted_for),
	KTAP_TEST(known_numbers_are_right),
	KTAP_TEST(all_of_it_did_happen),
};

int main(int argc, char **argv)
{
	int option;

	seed = guest_now_us() ^ (uint64_t)getpid() << 32;
	while ((option = getopt(argc, argv, "s:d:")) != -1) {
		if (option == 's') {
			seed = strtoull(optarg, NULL, 0);
		} else if (option == 'd') {
			seconds = strtoul(optarg, NULL, 0);
		} else {
			fprintf(stderr, "usage: %s [-s seed] [-d seconds]\n", argv[0]);
			return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("# seed %llu, %u seconds\n", (unsigned long long)seed, seconds);
	return ktap_main_around(tests, KTAP_SIZE(tests), 1, argv, ktap_run_here);
}
