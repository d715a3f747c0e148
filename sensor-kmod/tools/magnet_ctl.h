/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control protocol from C, without a library: one socket, one request at
 * a time. Buffers and subscriptions that it makes end with the socket.
 */
#ifndef MAGNET_CTL_H
#define MAGNET_CTL_H

#include <stddef.h>
#include <stdint.h>
#include <linux/netlink.h>

struct magnet_ctl {
	int		fd;
	uint16_t	family;
	uint32_t	mcgrp;		/* id of the group "events" */
	uint32_t	seq;
	char		error[256];	/* why the last call failed */
};

/* Counters of a subscription on one CPU, or summed over CPUs. */
struct magnet_ctl_counters {
	uint64_t hits, committed, filtered, sampled_out;
	uint64_t dropped_full, dropped_big, dropped_recursion, dropped_storm;
	uint64_t missed;	/* by the probe mechanism; not among the hits */
};

/* What a subscription wants beside every event as it is; 0 and NULL: nothing. */
struct magnet_ctl_wish {
	const char	*rules;
	uint32_t	sample_count, sample_interval_us, snap_len, counters;
};

/*
 * All return 0 or a negative errno, with ctl->error set; ctl_open() also when
 * the module is not loaded (-ENOENT).
 */
int ctl_open(struct magnet_ctl *ctl);
void ctl_close(struct magnet_ctl *ctl);
int ctl_buffer_new(struct magnet_ctl *ctl, const char *name, uint64_t size, uint32_t flags,
		   uint64_t *made);
/* @made: the size after rounding; may be NULL. */
int ctl_buffer_resize(struct magnet_ctl *ctl, const char *name, uint64_t size, uint64_t *made);
/* What the flight recorder @name has becomes a buffer of its own. */
int ctl_buffer_snapshot(struct magnet_ctl *ctl, const char *name, const char *snapshot,
			uint32_t flags);
int ctl_buffer_del(struct magnet_ctl *ctl, const char *name);
int ctl_sub_new(struct magnet_ctl *ctl, const char *point, const char *buffer, uint32_t flags,
		uint32_t *id);
int ctl_sub_new_wish(struct magnet_ctl *ctl, const char *point, const char *buffer, uint32_t flags,
		     const struct magnet_ctl_wish *wish, uint32_t *id);
/* @counters: final, summed over CPUs; may be NULL. */
int ctl_sub_del(struct magnet_ctl *ctl, uint32_t id, struct magnet_ctl_counters *counters);
/* @name: may be NULL; @made: the point's name, MAGNET_NAME_SIZE bytes; may be NULL. */
int ctl_point_insert(struct magnet_ctl *ctl, const char *name, const char *definition,
		     uint32_t flags, char *made);
int ctl_point_remove(struct magnet_ctl *ctl, const char *name);
int ctl_shutdown(struct magnet_ctl *ctl);

/* A request with attributes as they come, for tests of bad input. */
int ctl_raw(struct magnet_ctl *ctl, uint8_t cmd, uint16_t flags, const void *attrs, size_t len);

/* Open cpu's data file of a buffer: the node, or else debugfs. fd or -errno. */
int ctl_data_open(const char *buffer, unsigned int cpu, int flags);

#endif
