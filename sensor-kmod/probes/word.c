// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the running kernel calls numbers that records have and that each kernel
 * counts in its own way: flags of allocations and operations of block devices.
 * Its reasons to drop a packet are in net_drop.c.
 */
#include <linux/blkdev.h>
#include <linux/gfp.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <trace/events/mmflags.h>

#include "compat.h"
#include "probes/word.h"

/* In the order in which the kernel's tracer looks for them: most bits first. */
static const struct trace_print_flags gfp_flags[] = { __def_gfpflag_names MAGNET_GFP_NAMES_KASAN };

/* Flags that this kernel is built without have no bits. */
static void show_gfp_flags_words(struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(gfp_flags); i++)
		if (gfp_flags[i].mask)
			seq_printf(m, "word gfp_flags 0x%lx %s\n", gfp_flags[i].mask,
				   gfp_flags[i].name);
}

static void show_block_op_words(struct seq_file *m)
{
	unsigned int op;

	for (op = 0; op < (__force unsigned int)REQ_OP_LAST; op++) {
		const char *name = blk_op_str((__force enum req_op)op);

		if (strcmp(name, "UNKNOWN"))
			seq_printf(m, "word block_op 0x%x %s\n", op, name);
	}
}

/**
 * magnet_words_show() - a line for each word, as control/format has them
 * @m: gets them
 *
 * Context: may sleep.
 */
void magnet_words_show(struct seq_file *m)
{
	show_gfp_flags_words(m);
	show_block_op_words(m);
}
