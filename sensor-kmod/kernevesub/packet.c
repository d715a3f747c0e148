// SPDX-License-Identifier: GPL-2.0-only
/*
 * The packet of an event: its headers as rules see them, and a copy of its
 * first bytes. It begins with the network header, if it has one.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "monisub/point.h"
#include "packet.h"

/*
 * Where the packet begins, from skb->data; false where it has no network header
 * although the point's packets do. A header that nobody has set is at the
 * buffer's very start, where no packet has one.
 */
static bool begins_at(const struct magnet_point *point, const struct sk_buff *skb, int *start)
{
	if (point->packet == MAGNET_PACKET_AT_DATA || point->packet == MAGNET_PACKET_BARE) {
		*start = 0;
		return skb->len;
	}
	*start = skb_network_offset(skb);
	return point->packet && skb->network_header && *start < (int)skb->len;
}

static u64 ports_of(const struct sk_buff *skb, int transport, u8 protocol)
{
	__be16 ports[2];
	u64 word = protocol;

	switch (protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_UDPLITE:
	case IPPROTO_SCTP:
	case IPPROTO_DCCP:
		if (!skb_copy_bits(skb, transport, ports, sizeof(ports)))
			word |= (u64)ntohs(ports[0]) << 16 | (u64)ntohs(ports[1]) << 32;
	}
	return word;
}

/* IPv4 addresses are those mapped into IPv6's. */
static void set_ipv4(u64 *words, __be32 address)
{
	words[0] = 0;
	words[1] = 0xffffULL << 32 | ntohl(address);
}

static void set_ipv6(u64 *words, const struct in6_addr *address)
{
	const __be64 *halves = (const __be64 *)address;

	words[0] = be64_to_cpu(halves[0]);
	words[1] = be64_to_cpu(halves[1]);
}

static bool ipv4_headers(const struct sk_buff *skb, int start, u64 *words)
{
	struct iphdr ip;

	if (skb_copy_bits(skb, start, &ip, sizeof(ip)))
		return false;
	set_ipv4(&words[MAGNET_PACKET_SADDR], ip.saddr);
	set_ipv4(&words[MAGNET_PACKET_DADDR], ip.daddr);
	/* Only the first fragment has ports. */
	words[MAGNET_PACKET_PORTS] = ip.frag_off & htons(IP_OFFSET) ? ip.protocol :
				     ports_of(skb, start + ip.ihl * 4, ip.protocol);
	return true;
}

static bool ipv6_headers(const struct sk_buff *skb, int start, u64 *words)
{
	struct ipv6hdr ip;
	__be16 fragment;
	int transport;

	if (skb_copy_bits(skb, start, &ip, sizeof(ip)))
		return false;
	set_ipv6(&words[MAGNET_PACKET_SADDR], &ip.saddr);
	set_ipv6(&words[MAGNET_PACKET_DADDR], &ip.daddr);
	transport = ipv6_skip_exthdr(skb, start + sizeof(ip), &ip.nexthdr, &fragment);
	/* Other offsets below 0 are good: at the socket the data begins behind the header. */
	words[MAGNET_PACKET_PORTS] = transport == -1 || fragment & htons(~0x7) ? ip.nexthdr :
				     ports_of(skb, transport, ip.nexthdr);
	return true;
}

/**
 * magnet_packet_headers() - what rules can ask of a packet
 * @point: where it is
 * @skb: the packet, or NULL
 * @words: filled; zero where it is neither IPv4 nor IPv6
 *
 * Context: any, in a handler.
 * Return: true when it is one of them.
 */
bool magnet_packet_headers(const struct magnet_point *point, const struct sk_buff *skb,
			   u64 words[MAGNET_PACKET_WORDS])
{
	int start;
	u8 first;

	memset(words, 0, MAGNET_PACKET_WORDS * sizeof(*words));
	if (!skb || !begins_at(point, skb, &start) || skb_copy_bits(skb, start, &first, 1))
		return false;
	if (first >> 4 == 4)
		return ipv4_headers(skb, start, words);
	return first >> 4 == 6 && ipv6_headers(skb, start, words);
}

/**
 * magnet_packet_captured() - how much of a packet a record will carry
 * @point: where it is
 * @skb: the packet
 * @most: bytes
 * @start: where it begins, for magnet_packet_capture()
 *
 * Context: any, in a handler.
 * Return: bytes; 0 when it has none, or no network header where there should be
 * one.
 */
u32 magnet_packet_captured(const struct magnet_point *point, const struct sk_buff *skb,
			   u32 most, int *start)
{
	return begins_at(point, skb, start) ? min_t(u32, most, skb->len - *start) : 0;
}

/**
 * magnet_packet_capture() - copy it
 * @skb: the packet
 * @start: where it begins
 * @captured: bytes
 * @payload: the record's, a struct magnet_packet or one that begins like it
 * @to: what follows the payload; filled up with zeros to a multiple of 8
 *
 * Context: any, in a handler.
 */
void magnet_packet_capture(const struct sk_buff *skb, int start, u32 captured, void *payload,
			   void *to)
{
	struct magnet_packet *packet = payload;

	BUILD_BUG_ON(offsetof(struct magnet_packet, captured) !=
		     offsetof(struct magnet_drop, captured));
	BUILD_BUG_ON(offsetof(struct magnet_packet, network_len) !=
		     offsetof(struct magnet_drop, network_len));
	BUILD_BUG_ON(offsetof(struct magnet_packet, captured) !=
		     offsetof(struct magnet_retransmit, captured));
	BUILD_BUG_ON(offsetof(struct magnet_packet, network_len) !=
		     offsetof(struct magnet_retransmit, network_len));
	memset(to + ALIGN_DOWN(captured, MAGNET_RECORD_ALIGN), 0,
	       captured % MAGNET_RECORD_ALIGN ? MAGNET_RECORD_ALIGN : 0);
	packet->network_len = skb->len - start;
	/* Not in the kernel's memory: the space is taken already, so it stays empty. */
	if (skb_copy_bits(skb, start, to, captured)) {
		memset(to, 0, captured);
		packet->network_len = 0;
	}
	packet->captured = captured;
}
