/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Telling a new subscription what is there already, as events of its own.
 */
#ifndef _MAGNET_PRESENT_H
#define _MAGNET_PRESENT_H

#include <linux/types.h>

struct magnet_sub;
struct magnet_view;

/**
 * struct magnet_present - one telling
 * @sub: who is told
 * @patience: how often it may still wait for a reader
 */
struct magnet_present {
	struct magnet_sub	*sub;
	unsigned int		patience;
};

void magnet_present_begin(struct magnet_present *p, struct magnet_sub *sub);
void magnet_present_tell(struct magnet_present *p, struct magnet_view *view, u32 size);
bool magnet_present_has_room(const struct magnet_present *p);
void magnet_present_pause(struct magnet_present *p) __must_hold(RCU);

#endif /* _MAGNET_PRESENT_H */
