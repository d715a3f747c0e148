// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads what the module says of its records and its clock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <magnet.h>
#include "trace.h"

#define CONTROL	"/sys/kernel/debug/magnet/control/"

static int fail(struct trace *t, int err, const char *what)
{
	if (err == -ENOENT || err == -EACCES)
		snprintf(t->error, sizeof(t->error), "%s: %s; a trace needs debugfs, and root to read it",
			 what, strerror(-err));
	else
		snprintf(t->error, sizeof(t->error), "%s: %s", what, strerror(-err));
	return err;
}

/* Bytes of a value of this type; 0: not known. */
static unsigned int type_size(const char *type)
{
	unsigned int n;

	if (sscanf(type, "char[%u]", &n) == 1)
		return n;
	if (strchr("usx", *type) && sscanf(type + 1, "%u", &n) == 1 &&
	    (n == 8 || n == 16 || n == 32 || n == 64))
		return n / 8;
	return 0;
}

unsigned int trace_tail_unit(enum trace_tail tail)
{
	return tail == TRACE_TAIL_VALUES ? sizeof(uint64_t) : tail != TRACE_TAIL_NONE;
}

/*
 * The format tells no more than that there is a count; what it counts is in the
 * ABI. What follows the fields of another module's event ends with the record.
 */
static void find_tail(const struct trace *t, struct trace_event *event, bool dynamic)
{
	const bool modules = t->classic ? event->id >= MAGNET_EVENT_DYNAMIC_CLASSIC &&
					  event->id < MAGNET_EVENT_DYNAMIC_CLASSIC_END :
					  event->id >= MAGNET_EVENT_DYNAMIC_WIDE;
	const char *count = event->id == MAGNET_EVENT_MARKER ? "len" :
			    event->id == MAGNET_EVENT_COUNTERS ? "n" : "captured";
	unsigned int i;

	if (dynamic)
		return;
	if (modules) {
		event->tail = TRACE_TAIL_MORE;
		return;
	}
	for (i = 0; i < event->nr_fields; i++) {
		if (strcmp(event->fields[i].name, count))
			continue;
		event->tail_count = i;
		event->tail = event->id == MAGNET_EVENT_MARKER ? TRACE_TAIL_TEXT :
			      event->id == MAGNET_EVENT_COUNTERS ? TRACE_TAIL_VALUES :
			      TRACE_TAIL_BYTES;
	}
}

/* name:type@offset, the offset from the start of the record */
static int add_field(struct trace *t, struct trace_event *event, const char *text)
{
	struct trace_field *f = &event->fields[event->nr_fields];
	unsigned int offset;

	if (event->nr_fields == TRACE_FIELDS_MAX ||
	    sscanf(text, "%63[^:]:%15[^@]@%u", f->name, f->type, &offset) != 3)
		return -EPROTO;
	f->offset = offset - t->header_size;
	f->size = type_size(f->type);
	if (offset < t->header_size || !f->size || f->offset + f->size > event->size)
		return -EPROTO;
	event->nr_fields++;
	return 0;
}

static struct trace_event *new_event(struct trace *t)
{
	struct trace_event *events;

	events = reallocarray(t->events, t->nr_events + 1, sizeof(*events));
	if (!events)
		return NULL;
	t->events = events;
	memset(&events[t->nr_events], 0, sizeof(*events));
	return &events[t->nr_events++];
}

static bool has_event(const struct trace *t, unsigned int id)
{
	return id < sizeof(t->kind) && t->kind[id] != TRACE_UNKNOWN;
}

static void note_kind(struct trace *t, const struct trace_event *event)
{
	t->kind[event->id] = event->tail == TRACE_TAIL_MORE ? TRACE_OPEN : TRACE_KNOWN;
}

int trace_add_nameless(struct trace *t, unsigned int id)
{
	struct trace_event *event = new_event(t);

	if (!event)
		return fail(t, -ENOMEM, "metadata");
	event->id = id;
	snprintf(event->name, sizeof(event->name), "unknown_0x%03x", id);
	event->tail = TRACE_TAIL_MORE;
	note_kind(t, event);
	return 0;
}

/* event ID NAME SUBSYSTEM size N abstract_id WHAT fields FIELD... */
static int add_event(struct trace *t, char *line)
{
	char subsystem[32], *fields, *word;
	struct trace_event *event;
	unsigned int id;
	int err = 0;

	if (sscanf(line, "event %x", &id) == 1 && has_event(t, id))
		return 0;
	event = new_event(t);
	if (!event)
		return -ENOMEM;
	fields = strstr(line, " fields");
	if (!fields || sscanf(line, "event %x %63s %31s size %u", &event->id, event->name,
			      subsystem, &event->size) != 4 || event->size < t->header_size ||
	    event->id >= sizeof(t->kind))
		return -EPROTO;
	event->size -= t->header_size;
	strtok(fields, " ");
	while (!err && (word = strtok(NULL, " ")))
		err = add_field(t, event, word);
	find_tail(t, event, !strcmp(subsystem, "dynamic"));
	if (!err)
		note_kind(t, event);
	return err;
}

/* The first word for a number stays. */
static int add_word(struct trace_words *t, const struct trace_word *word)
{
	struct trace_word *words;
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (t->words[i].number == word->number)
			return 0;
	words = reallocarray(t->words, t->nr + 1, sizeof(*words));
	if (!words)
		return -ENOMEM;
	t->words = words;
	words[t->nr++] = *word;
	return 0;
}

/* word KIND NUMBER NAME */
static int take_word(struct trace *t, const char *line)
{
	struct trace_word word;
	char kind[16];

	if (sscanf(line, "word %15s %x %63[A-Za-z0-9_.-]", kind, &word.number, word.name) != 3)
		return 0;
	if (!strcmp(kind, "gfp_flags"))
		return add_word(&t->words[TRACE_GFP_FLAGS], &word);
	if (!strcmp(kind, "block_op"))
		return add_word(&t->words[TRACE_BLOCK_OPS], &word);
	return 0;
}

static int take_line(struct trace *t, char *line)
{
	if (!strncmp(line, "layout ", 7))
		t->classic = !strcmp(line + 7, "classic");
	else if (!strncmp(line, "byte_order ", 11))
		t->big_endian = strcmp(line + 11, "little");
	else if (!strncmp(line, "header size ", 12))
		t->header_size = strtoul(line + 12, NULL, 10);
	else if (!strncmp(line, "event ", 6))
		return add_event(t, line);
	else if (!strncmp(line, "word ", 5))
		return take_word(t, line);
	return 0;
}

/* What the sensor itself says, in case the format does not list it; in the ABI's form. */
static int add_own_events(struct trace *t)
{
	static const struct trace_event own[] = {
		{
			.id = MAGNET_EVENT_CORRELATED, .name = "correlated", .size = 24,
			.nr_fields = 4, .fields = {
				{ "correlation", "u32", 0, 4 }, { "count", "u32", 4, 4 },
				{ "first_timer", "u64", 8, 8 }, { "last_timer", "u64", 16, 8 },
			},
		}, {
			.id = MAGNET_EVENT_COUNTERS, .name = "counters", .size = 8,
			.nr_fields = 2, .fields = {
				{ "which", "u32", 0, 4 }, { "n", "u32", 4, 4 },
			},
			.tail = TRACE_TAIL_VALUES, .tail_count = 1,
		}, {
			.id = MAGNET_EVENT_STORM, .name = "storm", .size = 24,
			.nr_fields = 3, .fields = {
				{ "refused", "u64", 0, 8 },
				{ "first_timer", "u64", 8, 8 }, { "last_timer", "u64", 16, 8 },
			},
		},
	};
	struct trace_event *event;
	unsigned int i;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++) {
		if (has_event(t, own[i].id))
			continue;
		event = new_event(t);
		if (!event)
			return -ENOMEM;
		*event = own[i];
		note_kind(t, event);
	}
	return 0;
}

int trace_read_format(struct trace *t)
{
	FILE *f = fopen(CONTROL "format", "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	if (!f)
		return fail(t, -errno, CONTROL "format");
	while (!err && (len = getline(&line, &size, f)) > 0) {
		line[len - 1] = 0;
		err = take_line(t, line);
	}
	free(line);
	fclose(f);
	if (!err)
		err = add_own_events(t);
	if (!err && !t->header_size)
		err = -EPROTO;
	return err ? fail(t, err, CONTROL "format is not what this program understands") : 0;
}

int trace_read_clock(struct trace *t)
{
	FILE *f = fopen(CONTROL "clock", "re");
	struct trace_clock *c = &t->clock;
	char source[8];
	int got;

	if (!f)
		return fail(t, -errno, CONTROL "clock");
	got = fscanf(f, "source %7s khz %" SCNu64 " timer %" SCNu64 " realtime_ns %" SCNu64,
		     source, &c->khz, &c->timer, &c->realtime_ns);
	fclose(f);
	if (got != 4 || !c->khz)
		return fail(t, -EPROTO, CONTROL "clock");
	c->mono = !strcmp(source, "mono");
	return 0;
}

/* "2 NOT_SPECIFIED"; comments begin with '#'. */
static int add_reason(struct trace *t, const char *line)
{
	struct trace_word reason;

	if (sscanf(line, "%u %63[A-Za-z0-9_]", &reason.number, reason.name) != 2)
		return 0;
	return add_word(&t->words[TRACE_DROP_REASONS], &reason);
}

int trace_read_reasons(struct trace *t)
{
	FILE *f = fopen(CONTROL "drop_reasons", "re");
	char line[128];
	int err = 0;

	if (!f)
		return fail(t, -errno, CONTROL "drop_reasons");
	while (!err && fgets(line, sizeof(line), f))
		err = add_reason(t, line);
	fclose(f);
	return err ? fail(t, err, CONTROL "drop_reasons") : 0;
}
