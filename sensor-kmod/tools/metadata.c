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
#include <sys/utsname.h>
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
	struct utsname machine;

	gethostname(host, sizeof(host) - 1);
	fprintf(f, "env {\n\thostname = \"%s\";\n", host);
	if (!uname(&machine))
		fprintf(f, "\tmachine = \"%s\";\n", machine.machine);
	fprintf(f, "\tdomain = \"kernel\";\n\ttracer_name = \"magnet\";\n"
		"\tmagnet_abi = %u;\n\tlayout = \"%s\";\n};\n\n", MAGNET_ABI_VERSION,
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

/*
 * Numbers that all kernels have alike, and what the Java service calls them,
 * too. Task states are those that kernels give, in the words of proc(5).
 */
static const struct trace_word task_states[] = {
	{ 0x0, "runnable" }, { 0x1, "sleeping" }, { 0x2, "disk_sleep" }, { 0x4, "stopped" },
	{ 0x8, "tracing_stop" }, { 0x10, "dead" }, { 0x20, "zombie" }, { 0x40, "parked" },
	{ 0x80, "dead" }, { 0x102, "disk_sleep" }, { 0x104, "stopped" },
	{ 0x108, "tracing_stop" }, { 0x402, "idle" }, { 0x1000, "disk_sleep" },
	{ 0x2001, "sleeping" }, { 0x2002, "disk_sleep" }, { 0x2102, "disk_sleep" },
	{ 0x2402, "idle" }, { 0x8000, "disk_sleep" }, { MAGNET_SCHED_PREEMPTED, "preempted" },
};

static const struct trace_word families[] = { { 2, "inet" }, { 10, "inet6" } };

static const struct trace_word protocols[] = {
	{ 0, "ip" }, { 1, "icmp" }, { 2, "igmp" }, { 4, "ipencap" }, { 6, "tcp" }, { 17, "udp" },
	{ 33, "dccp" }, { 41, "ipv6" }, { 47, "gre" }, { 50, "esp" }, { 51, "ah" },
	{ 58, "ipv6-icmp" }, { 89, "ospf" }, { 103, "pim" }, { 112, "vrrp" }, { 115, "l2tp" },
	{ 132, "sctp" }, { 136, "udplite" }, { 255, "raw" }, { 262, "mptcp" },
};

static const struct trace_word ethertypes[] = {
	{ 0, "none" }, { 0x0800, "ipv4" }, { 0x0806, "arp" }, { 0x8035, "rarp" },
	{ 0x8100, "vlan" }, { 0x86dd, "ipv6" }, { 0x8847, "mpls" }, { 0x8863, "pppoe-d" },
	{ 0x8864, "pppoe-s" }, { 0x88a8, "qinq" }, { 0x88cc, "lldp" },
};

static const struct trace_word irq_returns[] = {
	{ 0, "none" }, { 1, "handled" }, { 2, "wake_thread" },
};

static const struct trace_word cpu_modes[] = {
	{ MAGNET_CPU_USER, "user" }, { MAGNET_CPU_NICE, "nice" },
	{ MAGNET_CPU_SYSTEM, "system" }, { MAGNET_CPU_IDLE, "idle" },
};

static const struct trace_word attaches[] = {
	{ MAGNET_ATTACH_PRESENT, "present" }, { MAGNET_ATTACH_FORK, "fork" },
	{ MAGNET_ATTACH_EXEC, "exec" }, { MAGNET_ATTACH_MOVE, "move" },
};

/* A type of fields whose numbers have words, and the fields that are of it. */
struct word_type {
	const char		*name;
	const char		*container;
	const char		*field;
	unsigned int		event;		/* 0: of each of the ABI's */
	const struct trace_word	*words;		/* NULL: the kernel's */
	unsigned int		nr;
	unsigned int		kernel;		/* enum trace_kernel_words */
};

#define ALIKE(table)	.words = (table), .nr = sizeof(table) / sizeof(*(table))

static const struct word_type word_types[] = {
	{ "drop_reason", "u32", "reason", MAGNET_EVENT_KFREE_SKB, .kernel = TRACE_DROP_REASONS },
	{ "task_state", "u32", "prev_state", 0, ALIKE(task_states) },
	{ "family", "u16", "family", 0, ALIKE(families) },
	{ "protocol", "u16", "protocol", 0, ALIKE(protocols) },
	{ "ethertype", "u16", "ethertype", 0, ALIKE(ethertypes) },
	{ "gfp_flags", "u32", "gfp_flags", 0, .kernel = TRACE_GFP_FLAGS },
	{ "block_op", "u32", "op", 0, .kernel = TRACE_BLOCK_OPS },
	{ "irq_return", "u32", "ret", MAGNET_EVENT_IRQ_HANDLER_EXIT, ALIKE(irq_returns) },
	{ "cpu_mode", "u32", "mode", MAGNET_EVENT_CPU_TIME, ALIKE(cpu_modes) },
	{ "attach", "u32", "how", MAGNET_EVENT_TASK_ATTACH, ALIKE(attaches) },
};

#define NR_WORD_TYPES	(sizeof(word_types) / sizeof(*word_types))

static const struct trace_word *words_of(const struct trace *t, const struct word_type *type,
					 unsigned int *nr)
{
	*nr = type->words ? type->nr : t->words[type->kernel].nr;
	return type->words ?: t->words[type->kernel].words;
}

/* Readers print these words beside the numbers. */
static void put_words(FILE *f, const struct trace *t, const struct word_type *type)
{
	const struct trace_word *words;
	unsigned int i, nr;

	words = words_of(t, type, &nr);
	if (!nr)
		return;
	fprintf(f, "typealias enum : %s {\n", type->container);
	for (i = 0; i < nr; i++)
		fprintf(f, "\t\"%s\" = %u%s\n", words[i].name, words[i].number,
			i + 1 < nr ? "," : "");
	fprintf(f, "} := %s;\n\n", type->name);
}

static const char *type_of(const struct trace *t, const struct trace_event *e,
			   const struct trace_field *field)
{
	const struct word_type *type;
	unsigned int nr;

	if (e->id >= MAGNET_EVENT_DYNAMIC_CLASSIC && e->id < MAGNET_EVENT_DYNAMIC_CLASSIC_END)
		return field->type;
	if (e->id >= MAGNET_EVENT_DYNAMIC_WIDE)
		return field->type;
	for (type = word_types; type < word_types + NR_WORD_TYPES; type++)
		if ((!type->event || type->event == e->id) && words_of(t, type, &nr) && nr &&
		    !strcmp(field->name, type->field) && !strcmp(field->type, type->container))
			return type->name;
	return field->type;
}

/* Underscores keep names apart from the language's words; readers take one away. */
static void put_field(FILE *f, const struct trace *t, const struct trace_event *e,
		      const struct trace_field *field)
{
	if (strncmp(field->type, "char", 4))
		fprintf(f, "\t\t%s _%s;\n", type_of(t, e, field), field->name);
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
	for (i = 0; i < NR_WORD_TYPES; i++)
		put_words(f, t, &word_types[i]);
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
