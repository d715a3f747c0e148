// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a kernel that is locked down for confidentiality keeps from everybody,
 * root included. security_locked_down() asks the kernel's own security modules
 * and is exported for this; the reasons are those that the kernel's own probes
 * and counters give.
 *
 * It is asked when something begins. The kernel can be locked down later, and
 * what has begun before goes on then, as the kernel's own kprobe events do.
 */
#include <linux/netlink.h>
#include <linux/security.h>

#include "lockdown.h"
#include "point.h"

/**
 * magnet_lockdown_point() - may a point's fields be fetched here?
 * @point: the point, before it is shown, subscribed or enabled
 * @extack: that it may not
 *
 * Registers are asked about like memory: at an instruction that loads what it
 * wants, one is as good as the other.
 *
 * Context: may sleep.
 * Return: 0 or -EPERM.
 */
int magnet_lockdown_point(const struct magnet_point *point, struct netlink_ext_ack *extack)
{
	if (point->reads == MAGNET_READS_NOTHING || !security_locked_down(LOCKDOWN_KPROBES))
		return 0;
	NL_SET_ERR_MSG(extack, "the kernel is locked down (confidentiality): no point may show its registers or memory; leave the fields out");
	return -EPERM;
}

/**
 * magnet_lockdown_counters() - may perf events be read here?
 * @extack: that they may not
 *
 * Context: may sleep.
 * Return: 0 or -EPERM.
 */
int magnet_lockdown_counters(struct netlink_ext_ack *extack)
{
	if (!security_locked_down(LOCKDOWN_PERF))
		return 0;
	NL_SET_ERR_MSG(extack, "the kernel is locked down (confidentiality): no counters; leave them out");
	return -EPERM;
}
