// SPDX-License-Identifier: GPL-2.0-only
/*
 * The packets of a trace. One read of a data file makes one packet: a header
 * in front of the records, which are written from where they were read to.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include <magnet.h>
#include "trace.h"

/* As the metadata describes it. */
struct packet_header {
	uint32_t magic;
	uint32_t stream_id;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size;	/* bits */
	uint64_t packet_size;	/* bits */
	uint64_t events_discarded;
	uint32_t cpu_id;
	uint32_t reserved;
};

_Static_assert(sizeof(struct packet_header) == TRACE_PACKET_HEADER, "TRACE_PACKET_HEADER");

/* What one look at all records of a packet finds. */
struct look {
	uint64_t	first;	/* timers */
	uint64_t	last;
	uint64_t	lost;
	const char	*end;	/* the last record */
	unsigned int	event;	/* its event */
};

static const struct trace_event *find_event(const struct trace *t, unsigned int id)
{
	unsigned int i;

	for (i = 0; i < t->nr_events; i++)
		if (t->events[i].id == id)
			return &t->events[i];
	return NULL;
}

/* It came after the metadata was written; its point may be gone already. */
static int learn(struct trace *t, unsigned int id)
{
	int err = trace_read_format(t);

	if (!err && t->kind[id] == TRACE_UNKNOWN)
		err = trace_add_nameless(t, id);
	return err ?: trace_write_metadata(t);
}

/*
 * What goes where the record's size was: bytes that follow the fields, if only
 * the record tells how many.
 */
static uint32_t __attribute__((noinline, cold))
more_of(struct trace *t, unsigned int id, uint32_t size)
{
	if (t->kind[id] == TRACE_UNKNOWN && !t->failed)
		t->failed = learn(t, id);
	if (t->kind[id] != TRACE_OPEN)
		return size;
	return size - t->header_size - find_event(t, id)->size;
}

/*
 * CTF's readers want an event's id and time before all else of it, and show no
 * more of the header than that: babeltrace2 ignores other fields there. So the
 * id goes to the front and the timer behind it, then come thread and abstract
 * id as the event's context. Between id and timer stays the size, which nobody
 * looks at, or more_of() in its place; the CPU is what alignment skips. The
 * rest of the record stays as it is.
 */
static struct look arrange_wide(struct trace *t, char *at, const char *end)
{
	struct look l = { .first = ((struct magnet_record *)at)->timer };

	while (at < end) {
		const struct magnet_record head = *(struct magnet_record *)at;
		uint64_t *words = (uint64_t *)at;
		uint64_t first = words[0];

		if (t->kind[head.event] != TRACE_KNOWN)
			first = first >> 32 << 32 | more_of(t, head.event, head.size);
		words[0] = first << 16 | head.event;
		words[3] = head.abstract_id;
		words[2] = words[1];
		words[1] = head.timer;
		if (head.event == MAGNET_EVENT_LOST)
			l.lost += words[4];
		l.last = head.timer;
		l.event = head.event;
		l.end = at;
		at += head.size;
	}
	return l;
}

/* The 16 bits behind the event's. */
#define CLASSIC_MORE	(0xffffu << MAGNET_CLASSIC_EVENT_BITS)

/* As above; without the u32 that wide has there, the timer comes at a multiple of 4. */
static struct look arrange_classic(struct trace *t, char *at, const char *end)
{
	struct look l = { .first = ((struct magnet_record_classic *)at)->timer };

	while (at < end) {
		const struct magnet_record_classic head = *(struct magnet_record_classic *)at;
		const uint32_t size = head.header >> MAGNET_CLASSIC_SIZE_SHIFT;
		uint32_t header = head.header >> MAGNET_CLASSIC_EVENT_SHIFT |
				  head.header << (32 - MAGNET_CLASSIC_EVENT_SHIFT);
		uint64_t *words = (uint64_t *)at;

		l.event = header & ((1u << MAGNET_CLASSIC_EVENT_BITS) - 1);
		if (t->kind[l.event] != TRACE_KNOWN)
			header = (header & ~CLASSIC_MORE) |
				 more_of(t, l.event, size) << MAGNET_CLASSIC_EVENT_BITS;
		memcpy(at, &header, sizeof(header));
		memcpy(at + 4, &head.timer, sizeof(head.timer));
		memcpy(at + 12, &head.pid, sizeof(head.pid));
		words[2] = head.abstract_id;
		if (l.event == MAGNET_EVENT_LOST)
			l.lost += words[3];
		l.last = head.timer;
		l.end = at;
		at += size;
	}
	return l;
}

/* Of a record that has been arranged. */
static uint32_t more_in(const struct trace *t, const char *record)
{
	const uint64_t head = *(const uint64_t *)record;

	return t->classic ? (head & CLASSIC_MORE) >> MAGNET_CLASSIC_EVENT_BITS : head >> 16;
}

static uint64_t field_value(const struct trace_field *field, const char *payload)
{
	uint64_t value = 0;

	/* Little endian machines only, as the module. */
	memcpy(&value, payload + field->offset, field->size);
	return value;
}

/*
 * Bytes of a record that its description covers. A record is filled up to a
 * multiple of 8, which between two records is alignment; behind the last one a
 * reader would look for a further event there.
 */
static size_t described(const struct trace *t, const char *record, unsigned int id)
{
	const struct trace_event *e = find_event(t, id);
	const char *payload = record + t->header_size;
	const struct trace_field *last;

	if (e && e->tail == TRACE_TAIL_MORE)
		return t->header_size + e->size + more_in(t, record);
	if (!e || !e->nr_fields)
		return t->header_size;
	last = &e->fields[e->nr_fields - 1];
	if (e->tail == TRACE_TAIL_NONE)
		return t->header_size + last->offset + last->size;
	return t->header_size + e->size +
	       field_value(&e->fields[e->tail_count], payload) * trace_tail_unit(e->tail);
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		const ssize_t done = write(fd, data, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		data += done;
		len -= done;
	}
	return 0;
}

int trace_write(struct trace *t, struct trace_stream *s, void *packet, size_t len)
{
	char *data = (char *)packet + TRACE_PACKET_HEADER;
	struct packet_header *h = packet;
	struct look l;
	int err;

	l = t->classic ? arrange_classic(t, data, data + len) : arrange_wide(t, data, data + len);
	if (t->failed)
		return t->failed;
	s->lost += l.lost;
	*h = (struct packet_header) {
		.magic = TRACE_MAGIC,
		.timestamp_begin = l.first,
		.timestamp_end = l.last,
		.content_size = 8 * (l.end + described(t, l.end, l.event) - (char *)packet),
		.packet_size = 8 * (TRACE_PACKET_HEADER + len),
		.events_discarded = s->lost,
		.cpu_id = s->cpu,
	};
	err = write_all(s->fd, packet, TRACE_PACKET_HEADER + len);
	if (err)
		snprintf(t->error, sizeof(t->error), "%s/cpu%u: %s", t->dir, s->cpu,
			 strerror(-err));
	return err;
}

int trace_stream_open(struct trace *t, struct trace_stream *s, unsigned int cpu)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/cpu%u", t->dir, cpu);
	s->cpu = cpu;
	s->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (s->fd >= 0)
		return 0;
	snprintf(t->error, sizeof(t->error), "%.200s: %s", path, strerror(errno));
	return -errno;
}

int trace_begin(struct trace *t, const char *dir)
{
	int err;

	t->dir = dir;
	if (mkdir(dir, 0777) && errno != EEXIST) {
		snprintf(t->error, sizeof(t->error), "%s: %s", dir, strerror(errno));
		return -errno;
	}
	err = trace_read_format(t);
	if (!err)
		err = trace_read_clock(t);
	if (!err)
		err = trace_read_reasons(t);
	if (!err)
		err = trace_write_metadata(t);
	return err;
}
