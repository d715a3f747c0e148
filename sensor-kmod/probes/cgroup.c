// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroups of the watched hierarchy come and go. Their ids are in other records;
 * here are the paths, also of those that are gone when somebody asks.
 */
#include <linux/cgroup.h>
#include <linux/rcupdate.h>
#include <linux/stringify.h>
#include <linux/string.h>
#include <trace/events/cgroup.h>

#include "compat.h"
#include "kernevesub/cgroup.h"
#include "monisub/eventdb.h"
#include "monisub/present.h"
#include "probes/probe.h"

static const struct magnet_field cgroup_fields[] = {
	{ "parent", "u64", offsetof(struct magnet_cgroup, parent) },
	{ "level", "u32", offsetof(struct magnet_cgroup, level) },
	{ "path_len", "u32", offsetof(struct magnet_cgroup, path_len) },
	{ "path", "char[" __stringify(MAGNET_CGROUP_PATH_SIZE) "]",
	  offsetof(struct magnet_cgroup, path) },
	{}
};

/* Too large for the room that handlers have for what rules look at. */
union cgroup_view {
	struct magnet_view	view;
	u8			room[sizeof(struct magnet_view) + sizeof(struct magnet_cgroup)];
};

static void fill(union cgroup_view *u, struct cgroup *cgroup, const char *path)
{
	struct magnet_cgroup *payload = (struct magnet_cgroup *)u->view.payload;
	const struct cgroup *parent = cgroup_parent(cgroup);
	const size_t len = strlen(path);

	memset(payload, 0, sizeof(*payload));
	u->view.id = cgroup->kn->id;
	payload->parent = parent ? parent->kn->id : 0;
	payload->level = cgroup->level;
	payload->path_len = len;
	memcpy(payload->path, path, min(len, sizeof(payload->path) - 1));
}

static void on_cgroup(void *data, struct cgroup *cgroup, const char *path)
{
	struct magnet_point *point = data;
	union cgroup_view u;
	int guard;

	if (!magnet_cgroup_is_watched(cgroup) || !magnet_probe_enter(point, &guard))
		return;
	fill(&u, cgroup, path);
	magnet_emit_view(READ_ONCE(point->plans.now), guard, &u.view, sizeof(struct magnet_cgroup));
}

/* ---- what is there already ---- */

struct present_cgroup {
	union cgroup_view	u;
	char			path[PATH_MAX];
};

static void tell_present(struct magnet_present *p, struct present_cgroup *room,
			 struct cgroup *cgroup)
{
	if (cgroup_path(cgroup, room->path, sizeof(room->path)) < 0)
		return;
	fill(&room->u, cgroup, room->path);
	magnet_present_tell(p, &room->u.view, sizeof(struct magnet_cgroup));
}

/* @css keeps its place in the tree meanwhile. */
static void pause_at(struct magnet_present *p, struct cgroup_subsys_state *css)
{
	if (!css_tryget(css))
		return;
	magnet_present_pause(p);
	css_put(css);
}

static void tell_all(struct magnet_present *p, struct present_cgroup *room)
{
	struct cgroup_subsys_state *css;

	rcu_read_lock();
	css_for_each_descendant_pre(css, magnet_cgroup_root()) {
		struct cgroup *cgroup;

		if (!magnet_present_has_room(p))
			pause_at(p, css);
		cgroup = magnet_cgroup_at(css);
		if (cgroup)
			tell_present(p, room, cgroup);
	}
	rcu_read_unlock();
}

/* magnet_mutex is held, so one room will do. */
static void cgroup_mkdir_present(struct magnet_sub *sub)
{
	static struct present_cgroup room;
	struct magnet_present p;

	magnet_present_begin(&p, sub);
	tell_all(&p, &room);
}

#define MAGNET_CGROUP_POINT(name, event, ...)						\
	MAGNET_TRACEPOINT_POINT("sched", name, event, "cgroup",				\
				sizeof(struct magnet_cgroup), cgroup_fields, on_cgroup,	\
				__VA_ARGS__)

MAGNET_CGROUP_POINT(cgroup_mkdir, MAGNET_EVENT_CGROUP_MKDIR, .present = cgroup_mkdir_present);
MAGNET_CGROUP_POINT(cgroup_rmdir, MAGNET_EVENT_CGROUP_RMDIR);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_types(void)
{
	check_trace_callback_type_cgroup_mkdir(on_cgroup);
	check_trace_callback_type_cgroup_rmdir(on_cgroup);
}
