/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a point needs to be hooked by a kprobe or kretprobe.
 */
#ifndef _MAGNET_KPROBE_H
#define _MAGNET_KPROBE_H

#include <linux/kprobes.h>

#include "ring/clock.h"
#include "symbol.h"

/**
 * struct magnet_kprobe - a kprobe or kretprobe, and how it is to be set
 * @place: where
 * @on_hit: mechanism kprobe: its handler
 * @on_call: mechanism kretprobe: at the function's entry
 * @on_return: and at its return
 * @data_size: bytes that @on_call leaves for @on_return
 * @maxactive: calls at once that it follows
 * @found: this kernel has the place
 * @waits: its module is not there
 * @missed: what @rp missed before it was hooked anew
 * @untold: hits that the handlers themselves could make no event of
 * @rp: mechanism kretprobe; its kprobe is that of mechanism kprobe
 */
struct magnet_kprobe {
	struct magnet_place	*place;
	kprobe_pre_handler_t	on_hit;
	kretprobe_handler_t	on_call;
	kretprobe_handler_t	on_return;
	size_t			data_size;
	unsigned int		maxactive;
	bool			found;
	bool			waits;
	u64			missed;
	atomic64_t		untold;
	struct kretprobe	rp;
};

/* Only ticks between two reads on one thread: there is no ring to keep order in. */
static __always_inline u64 magnet_kprobe_ticks(void)
{
	u64 last = 0;

	return magnet_clock(&last);
}

#endif /* _MAGNET_KPROBE_H */
