/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a correlating filter remembers: when events of each abstract id
 * happened, as far back as its window reaches.
 */
#ifndef _MAGNET_WINDOW_H
#define _MAGNET_WINDOW_H

#include <linux/types.h>

/* Events that a filter remembers at once. */
#define MAGNET_WINDOW_EVENTS	4096

struct magnet_window;

struct magnet_window *magnet_window_new(u64 ticks);
void magnet_window_free(struct magnet_window *w);
bool magnet_window_expire(struct magnet_window *w, u64 now);
unsigned int magnet_window_add(struct magnet_window *w, u64 id, u64 timer, bool *forgot);
bool magnet_window_first(const struct magnet_window *w, u64 id, u64 *timer);
void magnet_window_clear(struct magnet_window *w, u64 id);
void magnet_window_begin_anew(struct magnet_window *w);

#endif /* _MAGNET_WINDOW_H */
