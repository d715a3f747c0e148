// SPDX-License-Identifier: GPL-2.0-only
/*
 * cgroups in rules: the one that a thread is in, and those that people name.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/netlink.h>

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

static struct cgroup *get_named(const char *text, struct netlink_ext_ack *extack)
{
	struct cgroup *cgroup;
	u64 id;

	if (text[0] != '/' && kstrtou64(text, 0, &id)) {
		NL_SET_ERR_MSG(extack, "a cgroup is a path as /proc/PID/cgroup shows it, or the inode number of its folder: cgroup in /system.slice");
		return ERR_PTR(-EINVAL);
	}
	cgroup = text[0] == '/' ? cgroup_get_from_path(text) : cgroup_get_from_id(id);
	if (IS_ERR_OR_NULL(cgroup)) {
		NL_SET_ERR_MSG(extack, "there is no such cgroup in the unified hierarchy (cgroup v2); /proc/PID/cgroup shows the path of a process behind 0::");
		return ERR_PTR(-ENOENT);
	}
	return cgroup;
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
	struct cgroup *cgroup = get_named(text, extack);
	int level;

	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	*id = cgroup->kn->id;
	level = cgroup->level;
	cgroup_put(cgroup);
	if (!below)
		return MAGNET_CGROUP_OWN;
	if (level < MAGNET_CGROUP_LEVELS)
		return level;
	NL_SET_ERR_MSG(extack, "a rule asks with in for cgroups down to level 9; name this one with ==, or one above it");
	return -EINVAL;
}
