// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroups in rules: the one that a thread is in, and those that people name.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cgroup.h"

/**
 * magnet_cgroup_words() - which cgroups the running thread is in
 * @words: gets their ids, 0 where the thread's own does not lie so deep
 *
 * Context: in a handler, with preemption off. In an interrupt it is the thread
 * that was interrupted.
 */
void magnet_cgroup_words(u64 words[MAGNET_CGROUP_WORDS])
{
	struct cgroup *own = magnet_cgroup_of(current);
	int level;

	for (level = 0; level < MAGNET_CGROUP_LEVELS; level++) {
		const struct cgroup *ancestor = cgroup_ancestor(own, level);

		words[level] = ancestor ? ancestor->kn->id : 0;
	}
	words[MAGNET_CGROUP_OWN] = own->kn->id;
}

/* A cgroup that somebody names: by its path, or by its id. */
struct name {
	const char	*path;
	u64		id;
};

/* What a rule has to know about it. */
struct found {
	u64	id;
	int	level;
};

static bool find_unified(const struct name *name, struct found *found)
{
	struct cgroup *cgroup = name->path ? cgroup_get_from_path(name->path) :
					     cgroup_get_from_id(name->id);

	if (IS_ERR_OR_NULL(cgroup))
		return false;
	*found = (struct found){ .id = cgroup->kn->id, .level = cgroup->level };
	cgroup_put(cgroup);
	return true;
}

/* @room: for a path */
static bool is_named(struct cgroup *cgroup, const struct name *name, char *room)
{
	if (!name->path)
		return cgroup->kn->id == name->id;
	return cgroup_path(cgroup, room, PATH_MAX) >= 0 && !strcmp(room, name->path);
}

/* The kernel looks up cgroups of the unified hierarchy only. */
static bool find_by_walk(const struct name *name, struct found *found, char *room)
{
	struct cgroup_subsys_state *css;
	bool is_found = false;

	rcu_read_lock();
	css_for_each_descendant_pre(css, magnet_cgroup_root()) {
		struct cgroup *cgroup = magnet_cgroup_at(css);

		is_found = cgroup && is_named(cgroup, name, room);
		if (is_found) {
			*found = (struct found){ .id = cgroup->kn->id, .level = cgroup->level };
			break;
		}
	}
	rcu_read_unlock();
	return is_found;
}

static int find_version_1(const struct name *name, struct found *found,
			  struct netlink_ext_ack *extack)
{
	char *room = kmalloc(PATH_MAX, GFP_KERNEL);
	bool is_found;

	if (!room)
		return -ENOMEM;
	is_found = find_by_walk(name, found, room);
	kfree(room);
	if (is_found)
		return 0;
	NL_SET_ERR_MSG(extack, "there is no such cgroup in the hierarchy that the module's parameter job_hierarchy names; /proc/PID/cgroup shows the path of a process behind this controller");
	return -ENOENT;
}

static int find(const struct name *name, struct found *found, struct netlink_ext_ack *extack)
{
	if (magnet_job_controller >= 0)
		return find_version_1(name, found, extack);
	if (find_unified(name, found))
		return 0;
	NL_SET_ERR_MSG(extack, "there is no such cgroup in the unified hierarchy (cgroup v2); /proc/PID/cgroup shows the path of a process behind 0::");
	return -ENOENT;
}

/**
 * magnet_cgroup_find() - a cgroup that a rule names
 * @text: its path, or its id
 * @below: those in it are meant as well
 * @id: gets its id
 * @extack: what was wrong
 *
 * A rule goes on to mean this cgroup, and none when it has gone: not another one
 * that is made under the same path.
 *
 * Context: may sleep.
 * Return: index of the word in magnet_cgroup_words() that has @id in threads
 * that are meant; or an error.
 */
int magnet_cgroup_find(const char *text, bool below, u64 *id, struct netlink_ext_ack *extack)
{
	struct name name = { .path = text[0] == '/' ? text : NULL };
	struct found found;
	int err;

	if (!name.path && kstrtou64(text, 0, &name.id)) {
		NL_SET_ERR_MSG(extack, "a cgroup is a path as /proc/PID/cgroup shows it, or the inode number of its folder: cgroup in /system.slice");
		return -EINVAL;
	}
	err = find(&name, &found, extack);
	if (err)
		return err;
	*id = found.id;
	if (!below)
		return MAGNET_CGROUP_OWN;
	if (found.level < MAGNET_CGROUP_LEVELS)
		return found.level;
	NL_SET_ERR_MSG(extack, "a rule asks with in for cgroups down to level 9; name this one with ==, or one above it");
	return -EINVAL;
}
