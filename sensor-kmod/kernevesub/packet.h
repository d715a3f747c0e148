/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packet of an event: its headers as rules see them, and its first bytes.
 */
#ifndef _MAGNET_PACKET_H
#define _MAGNET_PACKET_H

#include <linux/types.h>

struct magnet_point;
struct sk_buff;

/* Words of an address, and those of magnet_view.packet. */
enum {
	MAGNET_PACKET_PORTS,	/* protocol, source port << 16, destination port << 32 */
	MAGNET_PACKET_SADDR,	/* two words, the first has the upper bits */
	MAGNET_PACKET_DADDR = MAGNET_PACKET_SADDR + 2,
	MAGNET_PACKET_WORDS = MAGNET_PACKET_DADDR + 2,
};

bool magnet_packet_headers(const struct magnet_point *point, const struct sk_buff *skb,
			   u64 words[MAGNET_PACKET_WORDS]);
u32 magnet_packet_captured(const struct magnet_point *point, const struct sk_buff *skb,
			   u32 most, int *start);
void magnet_packet_capture(const struct sk_buff *skb, int start, u32 captured, void *payload,
			   void *to);

#endif /* _MAGNET_PACKET_H */
