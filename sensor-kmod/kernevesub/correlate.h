/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Correlating filters.
 */
#ifndef _MAGNET_CORRELATE_H
#define _MAGNET_CORRELATE_H

#include <linux/list.h>
#include <linux/types.h>

#include <uapi/magnet.h>

struct magnet_buffer;
struct magnet_client;
struct magnet_point;
struct magnet_reader;
struct magnet_window;
struct netlink_ext_ack;
struct seq_file;
struct task_struct;

/**
 * struct magnet_correlation - a correlating filter
 * @id: given out at CORRELATION_NEW
 * @flags: MAGNET_F_PERSISTENT or none
 * @node: in the list of filters
 * @client: owner; NULL when persistent
 * @definition: as it was given
 * @burst: more than @n events of @point[0] within @us; or else one of
 *	@point[1] after one of @point[0] within @us
 * @point: the points
 * @event: their event ids
 * @n: of a burst
 * @us: microseconds
 * @target: where its records go; a reference
 * @staging: what it reads: a buffer of its own
 * @reader: of all rings of @staging; has a reference of its own
 * @window: what it remembers, of one epoch of the timer
 * @epoch: which
 * @thread: does it all
 * @batch: records that were read
 * @matched: how often it found what it looks for
 * @dropped: of these, those whose record found no place in @target
 * @lost_before: events that @staging lost, or that came out of it too late
 * @forgotten: events that @window gave up for want of room
 */
struct magnet_correlation {
	u32			id;
	u32			flags;
	struct list_head	node;
	struct magnet_client	*client;
	char			definition[MAGNET_DEFINITION_SIZE];
	bool			burst;
	struct magnet_point	*point[2];
	u16			event[2];
	u32			n;
	u32			us;
	struct magnet_buffer	*target;
	struct magnet_buffer	*staging;
	struct magnet_reader	*reader;
	struct magnet_window	*window;
	u32			epoch;
	struct task_struct	*thread;
	void			*batch;
	u64			matched;
	u64			dropped;
	u64			lost_before;
	u64			forgotten;
};

typedef bool magnet_correlation_match(const struct magnet_correlation *c, const void *arg);

int magnet_correlation_parse(struct magnet_correlation *c, struct netlink_ext_ack *extack);

struct magnet_correlation *magnet_correlation_new(const char *definition,
						  struct magnet_buffer *target, u32 flags,
						  struct magnet_client *client,
						  struct netlink_ext_ack *extack);
bool magnet_end_correlations(magnet_correlation_match *match, const void *arg);
struct magnet_correlation *magnet_correlation_nth(unsigned int n);
bool magnet_correlation_reads(const struct magnet_buffer *buffer);
bool magnet_correlations_lose_buffer(const struct magnet_buffer *buffer);
void magnet_correlations_lose_point(const struct magnet_point *point);
void magnet_correlations_show(struct seq_file *m);

#endif /* _MAGNET_CORRELATE_H */
