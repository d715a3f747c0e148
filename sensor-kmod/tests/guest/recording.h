/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that happens at some points between two moments, on all CPUs, in the
 * order of time.
 */
#ifndef MAGNET_GUEST_RECORDING_H
#define MAGNET_GUEST_RECORDING_H

#include "records.h"

#define RECORDING_POINTS_MAX	16

/*
 * Make the buffer; recording_start() does, unless it has been done. The module
 * is controlled from the first network namespace only.
 */
void recording_make(void);
/* A chain of rules for all points that are subscribed from here on. */
void recording_rules(const char *rules);
/* Subscribe the points, up to a NULL; what happens from here on is recorded. */
void recording_start(const char *const *points);
#define RECORD(...)	recording_start((const char *const []){ __VA_ARGS__, NULL })
/* End that. Fails the test when an event was lost, or counted wrongly. */
void recording_stop(void);

/* The @n-th record from @from on that matches, or NULL. */
typedef bool (*recording_match)(const struct record *rec, const void *arg);
const struct record *recording_find(const struct record *from, recording_match match,
				    const void *arg);
unsigned int recording_count(recording_match match, const void *arg);

/* Events of an id; and those of them in this process. */
unsigned int recording_events(unsigned int event);
unsigned int recording_own(unsigned int event);
/* The first event of an id after another record, or the first of all. */
const struct record *recording_after(const struct record *rec, unsigned int event);
/* The next event of this process. */
const struct record *recording_next_own(const struct record *rec, unsigned int event);

#endif
