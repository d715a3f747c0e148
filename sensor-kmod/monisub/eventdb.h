/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event database: which points there are.
 */
#ifndef _MAGNET_EVENTDB_H
#define _MAGNET_EVENTDB_H

#include <linux/types.h>

#include "point.h"

struct netlink_ext_ack;
struct seq_file;

extern struct magnet_point *const magnet_points[];
extern const unsigned int magnet_nr_points;

#define MAGNET_POINT(name) magnet_point_##name
extern struct magnet_point
#include "points.h"
;

#undef MAGNET_POINT

void magnet_eventdb_init(void);
void magnet_eventdb_exit(void);
struct magnet_point *magnet_point_find(const char *name);
struct magnet_point *magnet_point_nth(unsigned int n);
int magnet_point_add(struct magnet_point *point, struct netlink_ext_ack *extack);
void magnet_point_del(struct magnet_point *point);
bool magnet_is_name(const char *name);
void magnet_events_show(struct seq_file *m);
void magnet_format_show(struct seq_file *m);

#endif /* _MAGNET_EVENTDB_H */
