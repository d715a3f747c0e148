// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file "metadata" of a trace: what its packets look like, in TSDL, the
 * language of CTF 1.8.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <magnet.h>
#include "trace.h"

static void put_types(FILE *f)
{
	static const unsigned int bits[] = { 8, 16, 32, 64 };
	unsigned int i;

	for (i = 0; i < sizeof(bits) / sizeof(*bits); i++) {
		const unsigned int n = bits[i];

		fprintf(f, "typealias integer { size = %u; align = %u; signed = false; } := u%u;\n",
			n, n, n);
		fprintf(f, "typealias integer { size = %u; align = %u; signed = true; } := s%u;\n",
			n, n, n);
		fprintf(f, "typealias integer { size = %u; align = %u; signed = false; base = 16; } := x%u;\n",
			n, n, n);
	}
	fprintf(f, "typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text;\n"
		"typealias integer { size = 64; align = 64; signed = false; map = clock.magnet.value; } := ticks;\n"
		/* In layout classic it follows a u32. */
		"typealias integer { size = 64; align = 32; signed = false; map = clock.magnet.value; } := ticks32;\n\n");
}

/*
 * A time stamp of 0 was at @offset ticks after 1970. The division keeps both
 * parts exact: 64 bits of nanoseconds times a frequency take more than that.
 */
static void put_clock(FILE *f, const struct trace_clock *c)
{
	const uint64_t freq = c->khz * 1000;
	const __int128 offset = (__int128)c->realtime_ns * freq / 1000000000 - c->timer;

	fprintf(f, "clock {\n\tname = \"magnet\";\n\tdescription = \"%s\";\n\tfreq = %" PRIu64 ";\n"
		"\toffset_s = %" PRIu64 ";\n\toffset = %" PRIu64 ";\n\tabsolute = true;\n};\n\n",
		c->mono ? "CLOCK_MONOTONIC" : "TSC", freq, (uint64_t)(offset / freq),
		(uint64_t)(offset % freq));
}

static void put_environment(FILE *f, const struct trace *t)
{
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);
	fprintf(f, "env {\n\thostname = \"%s\";\n\tdomain = \"kernel\";\n\ttracer_name = \"magnet\";\n"
		"\tmagnet_abi = %u;\n\tlayout = \"%s\";\n};\n\n", host, MAGNET_ABI_VERSION,
		t->classic ? "classic" : "wide");
}

static bool has_open_events(const struct trace *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_events; i++)
		if (t->events[i].tail == TRACE_TAIL_MORE)
			return true;
	return false;
}

/*
 * As trace.c has arranged it: id and time come first. Between the two is how
 * much follows the fields, where they do not tell themselves, and the CPU, which
 * alignment skips. The former has a name only where it is needed, since
 * babeltrace2 warns of it: it is used, but not shown.
 */
static void put_stream(FILE *f, const struct trace *t)
{
	const bool more = has_open_events(t);

	fprintf(f, "stream {\n\tid = 0;\n"
		"\tpacket.context := struct {\n"
		"\t\tticks timestamp_begin;\n\t\tticks timestamp_end;\n"
		"\t\tu64 content_size;\n\t\tu64 packet_size;\n"
		"\t\tu64 events_discarded;\n\t\tu32 cpu_id;\n\t};\n");
	if (t->classic)
		fprintf(f, "\tevent.header := struct {\n"
			"\t\tinteger { size = 10; align = 1; signed = false; } id;\n"
			"%s\t\tticks32 timestamp;\n\t} align(64);\n"
			"\tevent.context := struct {\n\t\tu32 tgid;\n"
			"\t\tinteger { size = 64; align = 32; signed = false; } abstract_id;\n\t};\n",
			more ? "\t\tinteger { size = 16; align = 1; signed = false; } _more;\n" : "");
	else
		fprintf(f, "\tevent.header := struct {\n"
			"\t\tu16 id;\n%s\t\tticks timestamp;\n\t} align(64);\n"
			"\tevent.context := struct {\n"
			"\t\tu32 tgid;\n\t\tu32 tid;\n\t\tu64 abstract_id;\n\t};\n",
			more ? "\t\tinteger { size = 32; align = 16; signed = false; } _more;\n" : "");
	fprintf(f, "};\n\n");
}

/* Bytes that no field describes, up to @end; those that alignment skips anyway are not named. */
static unsigned int put_gap(FILE *f, unsigned int at, unsigned int end, unsigned int align,
			    unsigned int *nr)
{
	if (align && (at + align - 1) / align * align == end)
		return end;
	if (end - at == 4 && !(at % 4))
		fprintf(f, "\t\tu32 _reserved%u;\n", (*nr)++);
	else if (end > at)
		fprintf(f, "\t\tu8 _reserved%u[%u];\n", (*nr)++, end - at);
	return end;
}

/* The type of kfree_skb's field "reason", so that readers print names. */
static void put_reasons(FILE *f, const struct trace *t)
{
	unsigned int i;

	if (!t->nr_reasons)
		return;
	fprintf(f, "typealias enum : u32 {\n");
	for (i = 0; i < t->nr_reasons; i++)
		fprintf(f, "\t\"%s\" = %u%s\n", t->reasons[i].name, t->reasons[i].number,
			i + 1 < t->nr_reasons ? "," : "");
	fprintf(f, "} := drop_reason;\n\n");
}

static bool is_reason(const struct trace *t, const struct trace_event *e,
		      const struct trace_field *field)
{
	return t->nr_reasons && e->id == MAGNET_EVENT_KFREE_SKB &&
	       !strcmp(field->name, "reason") && !strcmp(field->type, "u32");
}

/* Underscores keep names apart from the language's words; readers take one away. */
static void put_field(FILE *f, const struct trace *t, const struct trace_event *e,
		      const struct trace_field *field)
{
	if (is_reason(t, e, field))
		fprintf(f, "\t\tdrop_reason _%s;\n", field->name);
	else if (strncmp(field->type, "char", 4))
		fprintf(f, "\t\t%s _%s;\n", field->type, field->name);
	else
		fprintf(f, "\t\ttext _%s[%u];\n", field->name, field->size);
}

static void put_tail(FILE *f, const struct trace_event *e)
{
	static const char *const types[] = {
		[TRACE_TAIL_BYTES] = "x8 _data", [TRACE_TAIL_TEXT] = "text _text",
		[TRACE_TAIL_VALUES] = "u64 _values",
	};

	if (e->tail == TRACE_TAIL_MORE) {
		fprintf(f, "\t\tx8 _more[stream.event.header._more];\n");
		return;
	}
	fprintf(f, "\t\t%s[_%s];\n", types[e->tail], e->fields[e->tail_count].name);
}

/* The last gap is the next event's alignment, unless something follows it. */
static void put_event(FILE *f, const struct trace *t, const struct trace_event *e)
{
	unsigned int i, at = 0, gaps = 0;

	fprintf(f, "event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n",
		e->name, e->id);
	for (i = 0; i < e->nr_fields; i++) {
		const struct trace_field *field = &e->fields[i];
		const bool text = !strncmp(field->type, "char", 4);

		put_gap(f, at, field->offset, text ? 1 : field->size, &gaps);
		put_field(f, t, e, field);
		at = field->offset + field->size;
	}
	if (e->tail != TRACE_TAIL_NONE) {
		put_gap(f, at, e->size, trace_tail_unit(e->tail), &gaps);
		put_tail(f, e);
	}
	fprintf(f, "\t};\n};\n\n");
}

static void put_all(FILE *f, const struct trace *t)
{
	unsigned int i;

	fprintf(f, "/* CTF 1.8 */\n\n");
	put_types(f);
	put_reasons(f, t);
	fprintf(f, "trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = %s;\n"
		"\tpacket.header := struct {\n\t\tu32 magic;\n\t\tu32 stream_id;\n\t};\n};\n\n",
		t->big_endian ? "be" : "le");
	put_environment(f, t);
	put_clock(f, &t->clock);
	put_stream(f, t);
	for (i = 0; i < t->nr_events; i++)
		put_event(f, t, &t->events[i]);
}

/* Who reads it meanwhile has the old one or the new one. */
int trace_write_metadata(struct trace *t)
{
	char path[4096], new[4096];
	int err;
	FILE *f;

	snprintf(path, sizeof(path), "%s/metadata", t->dir);
	snprintf(new, sizeof(new), "%s/metadata.new", t->dir);
	f = fopen(new, "we");
	if (!f)
		goto failed;
	put_all(f, t);
	err = ferror(f);
	if (!fclose(f) && !err && !rename(new, path))
		return 0;
failed:
	err = errno;
	snprintf(t->error, sizeof(t->error), "%.200s: %s", path, strerror(err));
	return -err;
}
