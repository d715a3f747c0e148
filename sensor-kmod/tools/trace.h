/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A saved trace in the Common Trace Format, CTF 1.8: a folder with a file of
 * packets for each CPU, and one that describes them, "metadata".
 * docs/traces.md.
 */
#ifndef MAGNET_TRACE_H
#define MAGNET_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TRACE_NAME_SIZE		64
#define TRACE_FIELDS_MAX	20

struct trace_field {
	char		name[TRACE_NAME_SIZE];
	char		type[16];	/* as control/format has it */
	unsigned int	offset;		/* in the payload */
	unsigned int	size;
};

/* What follows a payload of fixed size. */
enum trace_tail {
	TRACE_TAIL_NONE,
	TRACE_TAIL_BYTES,
	TRACE_TAIL_TEXT,
	TRACE_TAIL_VALUES,	/* u64 each */
	TRACE_TAIL_MORE,	/* up to the end of the record */
};

/* How an event's records are arranged. */
enum trace_kind {
	TRACE_UNKNOWN,		/* nothing is described yet */
	TRACE_KNOWN,		/* the description tells how long they are */
	TRACE_OPEN,		/* so does each record: TRACE_TAIL_MORE */
};

struct trace_event {
	unsigned int		id;
	char			name[TRACE_NAME_SIZE];
	unsigned int		size;		/* of the payload, what follows left out */
	unsigned int		nr_fields;
	struct trace_field	fields[TRACE_FIELDS_MAX];
	enum trace_tail		tail;
	unsigned int		tail_count;	/* the field that says how many */
};

/* A number of records and what it is called. */
struct trace_word {
	unsigned int	number;
	char		name[TRACE_NAME_SIZE];
};

/* Numbers that each kernel has its own of, and says what they mean. */
enum trace_kernel_words {
	TRACE_DROP_REASONS,
	TRACE_GFP_FLAGS,
	TRACE_BLOCK_OPS,
	TRACE_KERNEL_WORDS,
};

struct trace_words {
	struct trace_word	*words;
	unsigned int		nr;	/* 0: they have no names */
};

struct trace_clock {
	bool		mono;
	uint64_t	khz;
	uint64_t	timer;
	uint64_t	realtime_ns;
};

struct trace {
	const char		*dir;
	bool			classic;
	bool			big_endian;
	size_t			header_size;
	struct trace_clock	clock;
	struct trace_event	*events;
	unsigned int		nr_events;
	struct trace_words	words[TRACE_KERNEL_WORDS];
	uint8_t			kind[1 << 16];	/* enum trace_kind, of each id */
	int			failed;		/* an event could not be described */
	char			error[256];	/* why the last call failed */
};

/* Bytes in front of a packet's records. */
#define TRACE_PACKET_HEADER	56

struct trace_stream {
	unsigned int	cpu;
	int		fd;
	uint64_t	lost;		/* events, so far */
};

/*
 * All return 0 or a negative errno, with trace->error set. The module's events
 * are looked at in trace_begin(), and again when a record is of an event that
 * was not there: before its packet is written the metadata describes it.
 */
int trace_begin(struct trace *trace, const char *dir);
int trace_stream_open(struct trace *trace, struct trace_stream *stream, unsigned int cpu);
/*
 * Write whole records of a stream's CPU as a packet. @packet has
 * TRACE_PACKET_HEADER bytes of room in front of them; the records are changed.
 */
int trace_write(struct trace *trace, struct trace_stream *stream, void *packet, size_t len);

/* ---- control_format.c: what control/{format,clock,drop_reasons} say ---- */

/* May be called again: what is described stays as it is. */
int trace_read_format(struct trace *trace);
/* An event that the module does not know any more. */
int trace_add_nameless(struct trace *trace, unsigned int id);
int trace_read_clock(struct trace *trace);
int trace_read_reasons(struct trace *trace);
/* Bytes of an event's tail for each count. */
unsigned int trace_tail_unit(enum trace_tail tail);

/* ---- metadata.c ---- */

#define TRACE_MAGIC	0xc1fc1fc1u

int trace_write_metadata(struct trace *trace);

#endif
