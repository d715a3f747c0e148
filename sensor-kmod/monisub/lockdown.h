/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel that is locked down for confidentiality keeps from everybody.
 */
#ifndef _MAGNET_LOCKDOWN_H
#define _MAGNET_LOCKDOWN_H

struct magnet_point;
struct netlink_ext_ack;

int magnet_lockdown_point(const struct magnet_point *point, struct netlink_ext_ack *extack);
int magnet_lockdown_counters(struct netlink_ext_ack *extack);

#endif /* _MAGNET_LOCKDOWN_H */
