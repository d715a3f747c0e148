/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Urgent events: they wake readers whatever these wait for, and who sends
 * notices is told.
 */
#ifndef _MAGNET_URGENT_H
#define _MAGNET_URGENT_H

#include <linux/types.h>

#include "ring/bell.h"

struct magnet_sub;

/* Rung when urgent events were logged. */
extern struct magnet_bell magnet_urgent_bell;

/**
 * struct magnet_urgent_listener - who sends notices of urgent events
 * @waited: does anybody wait for one? Any context but NMI
 * @ends: a subscription ends: the last moment to tell of it; magnet_mutex held
 */
struct magnet_urgent_listener {
	bool	(*waited)(void);
	void	(*ends)(struct magnet_sub *sub);
};

void magnet_urgent_listen(const struct magnet_urgent_listener *listener);
void magnet_urgent_ends(struct magnet_sub *sub);
u64 magnet_sub_urgents(const struct magnet_sub *sub);

#endif /* _MAGNET_URGENT_H */
