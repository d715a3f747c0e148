/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Points that are inserted and removed at run time.
 */
#ifndef _MAGNET_DYNAMIC_H
#define _MAGNET_DYNAMIC_H

#include <linux/container_of.h>
#include <linux/module.h>

#include "monisub/point.h"
#include "fetch.h"
#include "kprobe.h"
#include "symbol.h"

/**
 * struct magnet_dynamic - a dynamic point
 * @point: what the event database knows of it
 * @name: @point.name
 * @definition: as it was given
 * @shown: the same without an address, where it has one
 * @target: the place, or the tracepoint; what was given as an address is symbol and offset
 * @module: whose tracepoint it is
 * @place: the place
 * @fetch: its fields
 * @fn: mechanism ftrace
 * @tp: mechanism tracepoint
 * @probe: mechanism kprobe and kretprobe
 */
struct magnet_dynamic {
	struct magnet_point	point;
	char			name[MAGNET_NAME_SIZE];
	char			definition[MAGNET_DEFINITION_SIZE];
	char			shown[MAGNET_DEFINITION_SIZE];
	char			target[MAGNET_DEFINITION_SIZE];
	char			module[MODULE_NAME_LEN];
	struct magnet_place	place;
	struct magnet_fetch	fetch;
	struct magnet_fn	fn;
	struct magnet_tp	tp;
	struct magnet_kprobe	probe;
};

static inline struct magnet_dynamic *magnet_dynamic_of(const struct magnet_point *point)
{
	return container_of(point, struct magnet_dynamic, point);
}

struct magnet_point *magnet_dynamic_new(const char *name, const char *definition,
					struct netlink_ext_ack *extack);
void magnet_dynamic_free(struct magnet_point *point);
bool magnet_dynamic_disabled(void);
void notrace magnet_dynamic_hit(struct magnet_dynamic *dyn, const unsigned long *words);

#endif /* _MAGNET_DYNAMIC_H */
