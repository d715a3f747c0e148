/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chains of rules, and the gates that handlers ask: how they are made.
 */
#ifndef _MAGNET_CHAIN_H
#define _MAGNET_CHAIN_H

struct magnet_gate;
struct magnet_sub;
struct magnet_wish;
struct netlink_ext_ack;

struct magnet_gate *magnet_gate_new(struct magnet_sub *sub, const struct magnet_wish *wish,
				    struct netlink_ext_ack *extack);
void magnet_gate_free(struct magnet_gate *gate);

#endif /* _MAGNET_CHAIN_H */
