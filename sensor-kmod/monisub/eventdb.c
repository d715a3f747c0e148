// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event database: which points there are, what their events carry, and
 * what this kernel has of them.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "eventdb.h"
#include "kernevesub/custom.h"
#include "kernevesub/storm.h"
#include "plan.h"
#include "point.h"
#include "probes/word.h"
#include "ring/record.h"
#include "turn.h"

#define MAGNET_POINT(name) (&magnet_point_##name)
struct magnet_point *const magnet_points[] = {
#include "points.h"
};

const unsigned int magnet_nr_points = ARRAY_SIZE(magnet_points);

/* Those made at run time, in the order of their making; magnet_mutex. */
static LIST_HEAD(dynamic_points);

static const struct magnet_field clock_fields[] = {
	{ "realtime_ns", "u64", offsetof(struct magnet_clock, realtime_ns) },
	{ "monotonic_ns", "u64", offsetof(struct magnet_clock, monotonic_ns) },
	{ "epoch", "u32", offsetof(struct magnet_clock, epoch) },
	{ "flags", "u32", offsetof(struct magnet_clock, flags) },
	{}
};

static const struct magnet_field correlated_fields[] = {
	{ "correlation", "u32", offsetof(struct magnet_correlated, correlation) },
	{ "count", "u32", offsetof(struct magnet_correlated, count) },
	{ "first_timer", "u64", offsetof(struct magnet_correlated, first_timer) },
	{ "last_timer", "u64", offsetof(struct magnet_correlated, last_timer) },
	{}
};

static const struct magnet_field lost_fields[] = {
	{ "count", "u64", offsetof(struct magnet_lost, count) },
	{ "first_timer", "u64", offsetof(struct magnet_lost, first_timer) },
	{ "last_timer", "u64", offsetof(struct magnet_lost, last_timer) },
	{}
};

static const struct magnet_field counters_fields[] = {
	{ "which", "u32", offsetof(struct magnet_counters, which) },
	{ "n", "u32", offsetof(struct magnet_counters, n) },
	{}
};

static const struct magnet_field storm_fields[] = {
	{ "refused", "u64", offsetof(struct magnet_storm, refused) },
	{ "first_timer", "u64", offsetof(struct magnet_storm, first_timer) },
	{ "last_timer", "u64", offsetof(struct magnet_storm, last_timer) },
	{}
};

/**
 * magnet_eventdb_init() - find out what this kernel has
 *
 * Context: may sleep.
 */
void magnet_eventdb_init(void)
{
	unsigned int i;

	for (i = 0; i < magnet_nr_points; i++) {
		magnet_plan_init(magnet_points[i]);
		magnet_point_resolve(magnet_points[i]);
	}
}

/**
 * magnet_point_find() - by name
 * @name: its name
 *
 * Return: the point or NULL.
 */
struct magnet_point *magnet_point_find(const char *name)
{
	struct magnet_point *point;
	unsigned int i;

	for (i = 0; (point = magnet_point_nth(i)); i++)
		if (!strcmp(point->name, name))
			return point;
	return NULL;
}

/* The n-th point, dynamic ones last; magnet_mutex held. */
struct magnet_point *magnet_point_nth(unsigned int n)
{
	struct magnet_point *point;

	if (n < magnet_nr_points)
		return magnet_points[n];
	n -= magnet_nr_points;
	list_for_each_entry(point, &dynamic_points, node)
		if (!n--)
			return point;
	return NULL;
}

static bool id_in_use(u16 id)
{
	const struct magnet_point *point;

	list_for_each_entry(point, &dynamic_points, node)
		if (point->event == id)
			return true;
	return false;
}

/* An id is given out again as late as can be: readers may know the old one. */
static u16 free_id(void)
{
	const unsigned int first = magnet_classic ? MAGNET_EVENT_DYNAMIC_CLASSIC :
						      MAGNET_EVENT_DYNAMIC_WIDE;
	const unsigned int end = magnet_classic ? MAGNET_EVENT_DYNAMIC_CLASSIC_END : U16_MAX + 1;
	static unsigned int given;
	unsigned int i;

	for (i = first; i < end; i++) {
		const u16 id = first + given++ % (end - first);

		if (!id_in_use(id))
			return id;
	}
	return 0;
}

/* Letters, digits and '_', no digit first. */
bool magnet_is_name(const char *name)
{
	if (isdigit(*name) || !*name)
		return false;
	for (; *name; name++)
		if (!isalnum(*name) && *name != '_')
			return false;
	return true;
}

/**
 * magnet_point_add() - make a dynamic point known, under an id of its own
 * @point: the point
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0, -EEXIST or -ENOSPC.
 */
int magnet_point_add(struct magnet_point *point, struct netlink_ext_ack *extack)
{
	if (magnet_point_find(point->name)) {
		NL_SET_ERR_MSG(extack, "a point of this name exists; choose another name, or remove that one first");
		return -EEXIST;
	}
	point->event = free_id();
	if (!point->event) {
		NL_SET_ERR_MSG(extack, "there is no event id left for a dynamic point; remove one that nobody needs");
		return -ENOSPC;
	}
	magnet_plan_init(point);
	/* From here on the point is told when its module goes. */
	if (point->mechanism == MAGNET_MECHANISM_TRACEPOINT)
		magnet_point_resolve(point);
	list_add_tail(&point->node, &dynamic_points);
	return 0;
}

/* Without one to make this can't fail. */
static void drop_guard(struct magnet_point *point)
{
	magnet_point_guard(point, 0, 1);
}

/* Nobody subscribes any more, nor ever will; magnet_mutex held. */
void magnet_eventdb_exit(void)
{
	unsigned int i;

	for (i = 0; i < magnet_nr_points; i++)
		drop_guard(magnet_points[i]);
}

/**
 * magnet_point_del() - the reverse
 * @point: a dynamic point without subscriptions
 *
 * Context: may sleep; magnet_mutex held.
 */
void magnet_point_del(struct magnet_point *point)
{
	drop_guard(point);
	magnet_custom_orphan(point);
	list_del(&point->node);
}

static const char *const state_names[] = {
	[MAGNET_FN_UNRESOLVED] = "unresolved",
	[MAGNET_FN_RESOLVED] = "off",
	[MAGNET_FN_ACTIVE] = "on",
	[MAGNET_FN_WAITING] = "waiting",
};

static void show_fn(struct seq_file *m, const struct magnet_fn *fn)
{
	unsigned int i;

	seq_printf(m, " %s%s", fn->family, *fn->family ? ":" : "");
	if (fn->taken >= 0 || fn->waits) {
		seq_puts(m, fn->alternatives[max(fn->taken, 0)].symbol);
		return;
	}
	seq_puts(m, "none-of");
	for (i = 0; i < MAGNET_ALTERNATIVES_MAX && fn->alternatives[i].symbol; i++)
		seq_printf(m, "%c%s", i ? '|' : '(', fn->alternatives[i].symbol);
	seq_putc(m, ')');
}

/* control/events */
void magnet_events_show(struct seq_file *m)
{
	const struct magnet_point *p;
	unsigned int i, j;

	seq_puts(m, "# id name subsystem mechanism subscriptions function(=state)...\n");
	mutex_lock(&magnet_mutex);
	for (i = 0; (p = magnet_point_nth(i)); i++) {
		seq_printf(m, "0x%03x %s %s ", p->event, p->name, p->subsystem);
		magnet_mechanism_show(m, p);
		seq_printf(m, " %u", p->nr_subs);
		for (j = 0; j < magnet_point_parts(p); j++) {
			if (p->mechanism == MAGNET_MECHANISM_FTRACE)
				show_fn(m, &p->fns[j]);
			else
				seq_printf(m, " %s", magnet_part_name(p, j));
			seq_printf(m, "=%s", state_names[magnet_fn_state(p, j)]);
		}
		seq_putc(m, '\n');
	}
	mutex_unlock(&magnet_mutex);
}

static void show_event(struct seq_file *m, u16 id, const char *name,
		       const char *subsystem, const char *id_means,
		       const struct magnet_field *field, unsigned int size)
{
	seq_printf(m, "event 0x%03x %s %s size %u abstract_id %s fields", id, name,
		   subsystem, magnet_read_header_size() + size, id_means);
	for (; field && field->name; field++)
		seq_printf(m, " %s:%s@%u", field->name, field->type,
			   magnet_read_header_size() + field->offset);
	seq_putc(m, '\n');
}

/* control/format: offsets are from the start of the record; words follow the events. */
void magnet_format_show(struct seq_file *m)
{
	const struct magnet_point *p;
	unsigned int i;

	seq_printf(m, "abi %u\nlayout %s\nbyte_order little\nalign %u\n",
		   MAGNET_ABI_VERSION, magnet_classic ? "classic" : "wide",
		   MAGNET_RECORD_ALIGN);
	if (magnet_classic)
		seq_puts(m, "header size 24 fields cpu:u32@0:0-5 event:u32@0:6-15 size:u32@0:16-31 pid:u32@4 abstract_id:u64@8 timer:u64@16\n");
	else
		seq_puts(m, "header size 32 fields size:u32@0 cpu:u16@4 event:u16@6 tgid:u32@8 tid:u32@12 abstract_id:u64@16 timer:u64@24\n");
	mutex_lock(&magnet_mutex);
	for (i = 0; (p = magnet_point_nth(i)); i++)
		show_event(m, p->event, p->name, p->subsystem, p->id_means,
			   p->fields, p->payload_size);
	mutex_unlock(&magnet_mutex);
	show_event(m, MAGNET_EVENT_CORRELATED, "correlated", "sensor", "joined", correlated_fields,
		   sizeof(struct magnet_correlated));
	show_event(m, MAGNET_EVENT_CLOCK, "clock", "sensor", "none", clock_fields,
		   sizeof(struct magnet_clock));
	show_event(m, MAGNET_EVENT_LOST, "lost", "sensor", "none", lost_fields,
		   sizeof(struct magnet_lost));
	show_event(m, MAGNET_EVENT_COUNTERS, "counters", "sensor", "none", counters_fields,
		   sizeof(struct magnet_counters));
	show_event(m, MAGNET_EVENT_STORM, "storm", "sensor", "event", storm_fields,
		   sizeof(struct magnet_storm));
	magnet_words_show(m);
}
