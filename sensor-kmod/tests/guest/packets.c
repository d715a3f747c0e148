// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets: rules about their headers, and records that carry their bytes.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include "guest.h"
#include "namespace.h"
#include "request.h"
#include "sensor.h"

static struct sensor s;

/* The module is controlled from the first namespace: the buffer and its file come first. */
static void enter(uint64_t size)
{
	sensor_make(&s, size);
	guest_on_cpu(0);
	namespace_enter();
}

static void keep_id(struct attrs attrs, void *id)
{
	*(uint32_t *)id = attrs_u32(attrs, MAGNET_A_SUB_ID);
}

static uint32_t subscribe(const char *point, const char *rules, uint32_t snap_len)
{
	struct request r;
	struct answer a;
	uint32_t id = 0;

	request_begin(&r, &s.ctl, MAGNET_CMD_SUB_NEW);
	request_put_text(&r, MAGNET_A_POINT, point);
	request_put_text(&r, MAGNET_A_BUFFER, s.buffer);
	request_put_text(&r, MAGNET_A_RULES, rules);
	request_put_u32(&r, MAGNET_A_SNAP_LEN, snap_len);
	a = request_send(&r, &s.ctl, keep_id, &id);
	NEED(!a.error, "%s: %s: %s", point, rules, a.text);
	return id;
}

static struct magnet_ctl_counters unsubscribe(uint32_t id)
{
	struct magnet_ctl_counters c;

	NEED(!ctl_sub_del(&s.ctl, id, &c), "%s", s.ctl.error);
	EXPECT_EQ(c.hits, c.committed + c.filtered + c.sampled_out + c.dropped_full +
		  c.dropped_big);
	return c;
}

/* ---- traffic ---- */

/* Datagrams to a port of an address, from a port. */
struct flow {
	const char	*from, *to;
	uint16_t	sport, dport;
	unsigned int	n;
};

static socklen_t address(struct sockaddr_storage *a, const char *text, uint16_t port)
{
	struct sockaddr_in *v4 = (void *)a;
	struct sockaddr_in6 *v6 = (void *)a;

	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		return sizeof(*v4);
	}
	NEED(inet_pton(AF_INET6, text, &v6->sin6_addr) == 1, "%s", text);
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	return sizeof(*v6);
}

/* A socket with its own address, taken or not. */
static int udp_socket(const char *text, uint16_t port)
{
	struct sockaddr_storage a;
	const socklen_t len = address(&a, text, port);
	const int fd = socket(a.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	NEED(!bind(fd, (void *)&a, len), "bind %s: %s", text, strerror(errno));
	return fd;
}

/* Where each flow is received, so that it is known to have been. */
static int receivers[8];
static unsigned int nr_receivers;

static void listen_at(const char *text, uint16_t port)
{
	receivers[nr_receivers++] = udp_socket(text, port);
}

static void receive_flow(unsigned int receiver, unsigned int n)
{
	char data[16];

	while (n--)
		NEED(recv(receivers[receiver], data, sizeof(data), 0) > 0, "recv: %s",
		     strerror(errno));
}

static void send_flow(const struct flow *f, const void *data, size_t len)
{
	struct sockaddr_storage to;
	const socklen_t to_len = address(&to, f->to, f->dport);
	const int fd = udp_socket(f->from, f->sport);
	unsigned int i;

	for (i = 0; i < f->n; i++)
		NEED(sendto(fd, data, len, 0, (void *)&to, to_len) == (ssize_t)len, "send: %s",
		     strerror(errno));
	close(fd);
}

/* ---- rules about headers ---- */

static const struct flow flows[] = {
	{ "127.0.0.1", "127.0.0.2", 1001, 5301, 11 },
	{ "127.0.0.1", "127.1.0.2", 1002, 5302, 13 },
	{ "127.2.0.1", "127.0.0.2", 1003, 5303, 17 },
	{ "::1", "::1", 1004, 5304, 19 },
	{ "::1", "::1", 1005, 5301, 23 },
};

#define FLOW(i)	(1 << (i))
#define IPV4	(FLOW(0) | FLOW(1) | FLOW(2))
#define IPV6	(FLOW(3) | FLOW(4))

/* @flows: those that the rule matches. */
static const struct { const char *test; unsigned int flows; } cases[] = {
	{ "dport == 5301", FLOW(0) | FLOW(4) }, { "dport in 5302-5303,5305", FLOW(1) | FLOW(2) },
	{ "sport < 1003", FLOW(0) | FLOW(1) }, { "protocol == udp", IPV4 | IPV6 },
	{ "protocol == 17", IPV4 | IPV6 }, { "protocol == tcp", 0 }, { "protocol != udp", 0 },
	{ "saddr == 127.0.0.1", FLOW(0) | FLOW(1) }, { "saddr in 127.0.0.0/16", FLOW(0) | FLOW(1) },
	{ "saddr in 127.0.0.0/8", IPV4 }, { "saddr in 0.0.0.0/0", IPV4 },
	{ "saddr in ::/0", IPV4 | IPV6 }, { "daddr == ::1", IPV6 }, { "daddr != ::1", IPV4 },
	{ "daddr in ::1/128,127.1.0.0/16", IPV6 | FLOW(1) },
	{ "daddr != ::1,127.1.0.0/16", FLOW(0) | FLOW(2) },
	{ "saddr in 127.2.0.0/15 and dport == 5303", FLOW(2) },
	{ "saddr == ::ffff:127.2.0.1", FLOW(2) }, { "ethertype == 0x86dd", IPV6 },
};

static unsigned int packets_of(unsigned int which)
{
	unsigned int i, n = 0;

	for (i = 0; i < KTAP_SIZE(flows); i++)
		n += which & FLOW(i) ? flows[i].n : 0;
	return n;
}

static void headers_at(const char *point)
{
	unsigned int i, j;

	for (i = 0; i < KTAP_SIZE(cases); i++) {
		/* What comes before the first header decides without headers. */
		const bool before = i % 2;
		const unsigned int none = before ? IPV6 : 0, wanted = cases[i].flows & ~none;
		struct magnet_ctl_counters c;
		char rules[256];
		uint32_t sub;

		/* What else is about, such as ICMP's answers, is none of the flows. */
		snprintf(rules, sizeof(rules), "%sdrop if protocol != udp; log if %s; drop",
			 before ? "drop if ethertype == 0x86dd; " : "", cases[i].test);
		sub = subscribe(point, rules, 0);
		for (j = 0; j < KTAP_SIZE(flows); j++) {
			send_flow(&flows[j], "magnet", 6);
			receive_flow(j, flows[j].n);
		}
		c = unsubscribe(sub);
		EXPECT(c.committed == packets_of(wanted), "%s: %s: %llu, not %u", point, rules,
		       (unsigned long long)c.committed, packets_of(wanted));
	}
}

/* Somebody has to listen, or the receive hops after the port's look-up are not reached. */
static void listen_to_all(void)
{
	unsigned int i;

	for (i = 0; i < KTAP_SIZE(flows); i++)
		listen_at(flows[i].to, flows[i].dport);
}

static void rules_ask_headers_when_sending(void)
{
	enter(1 << 20);
	listen_to_all();
	headers_at("ip_send_skb");
	headers_at("dev_queue_xmit");
	headers_at("net_dev_start_xmit");
}

static void rules_ask_headers_when_receiving(void)
{
	enter(1 << 20);
	listen_to_all();
	headers_at("netif_receive_skb");
	headers_at("ip_local_deliver");
	headers_at("udp_rcv");
	headers_at("udp_enqueue");
}

/* ---- the packet's bytes ---- */

#define HEADERS_IPV4	28
#define HEADERS_IPV6	48

static void fill(uint8_t *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		data[i] = i * 7 + 3;
}

struct capture {
	uint32_t	snap_len;	/* asked for */
	uint32_t	network_len;	/* bytes that the packet has */
	uint32_t	headers;
	uint16_t	dport;
	const uint8_t	*data;
};

static void check_capture(const struct record *rec, const struct capture *c)
{
	const struct magnet_packet *packet = rec->payload;
	const uint8_t *bytes = (const uint8_t *)(packet + 1);
	const uint32_t wanted = c->snap_len < c->network_len ? c->snap_len : c->network_len;
	uint32_t i;

	REQUIRE_EQ(packet->network_len, c->network_len);
	REQUIRE_EQ(packet->captured, wanted);
	REQUIRE_EQ(rec->size, records_header_size() + sizeof(*packet) + (wanted + 7) / 8 * 8);
	EXPECT_EQ(bytes[0] >> 4, c->headers == HEADERS_IPV4 ? 4 : 6);
	if (wanted >= c->headers)
		EXPECT_EQ(bytes[c->headers - 6] << 8 | bytes[c->headers - 5], c->dport);
	for (i = c->headers; i < wanted; i++)
		if (bytes[i] != c->data[i - c->headers])
			break;
	EXPECT(wanted < c->headers || i == wanted, "byte %u is %#x", i, bytes[i]);
	/* What the record is filled up with. */
	for (i = wanted; i % 8; i++)
		EXPECT_EQ(bytes[i], 0);
}

/* Send one, and look at its record. */
static void capture_at(const char *point, const struct flow *flow, uint32_t snap_len, size_t len)
{
	static char data[DATA_ROOM] __attribute__((aligned(8)));
	static uint8_t sent[9000];
	const bool v4 = strchr(flow->to, '.');
	const uint32_t sub = subscribe(point, "drop if protocol != udp", snap_len);
	const struct capture want = {
		.snap_len = snap_len, .headers = v4 ? HEADERS_IPV4 : HEADERS_IPV6,
		.network_len = len + (v4 ? HEADERS_IPV4 : HEADERS_IPV6), .dport = flow->dport,
		.data = sent,
	};
	const void *at = data, *end;
	struct record rec;
	unsigned int seen = 0;
	ssize_t got;

	fill(sent, len);
	send_flow(flow, sent, len);
	receive_flow(!v4, 1);
	EXPECT_EQ(unsubscribe(sub).committed, 1);
	attr_need(s.fd, MAGNET_ATTR_FLUSH, 0);
	got = read(s.fd, data, sizeof(data));
	NEED(got > 0, "read: %s", strerror(errno));
	end = data + got;
	while (records_next(&at, end, &rec)) {
		if (rec.event == MAGNET_EVENT_CLOCK)
			continue;
		seen++;
		check_capture(&rec, &want);
	}
	EXPECT(seen == 1, "%s, %zu bytes, %u of them: %u records", point, len, snap_len, seen);
}

static const char *const points[] = {
	"ip_send_skb", "dev_queue_xmit", "net_dev_start_xmit", "netif_receive_skb",
	"ip_local_deliver", "udp_rcv", "udp_enqueue",
};

static void bytes_are_captured(uint32_t snap_len, size_t len)
{
	static const struct flow ipv4 = { "127.0.0.1", "127.0.0.1", 1001, 5301, 1 };
	static const struct flow ipv6 = { "::1", "::1", 1001, 5301, 1 };
	unsigned int i;

	sensor_make(&s, 1 << 20);
	sensor_open(&s, 0);
	data_drain(s.fd);
	guest_on_cpu(0);
	namespace_enter();
	listen_at("127.0.0.1", 5301);
	listen_at("::1", 5301);
	for (i = 0; i < KTAP_SIZE(points); i++) {
		capture_at(points[i], &ipv4, snap_len, len);
		capture_at(points[i], &ipv6, snap_len, len);
	}
}

static void headers_are_captured(void)
{
	bytes_are_captured(48, 1000);
}

static void short_packets_are_captured_whole(void)
{
	bytes_are_captured(1500, 13);
}

static void odd_lengths_are_captured(void)
{
	bytes_are_captured(77, 1000);
}

static void long_packets_are_captured_up_to_4000_bytes(void)
{
	bytes_are_captured(MAGNET_SNAP_LEN_MAX, 9000);
}

static void too_much_is_refused(void)
{
	struct request r;

	sensor_make(&s, 1 << 20);
	request_begin(&r, &s.ctl, MAGNET_CMD_SUB_NEW);
	request_put_text(&r, MAGNET_A_POINT, "udp_rcv");
	request_put_text(&r, MAGNET_A_BUFFER, s.buffer);
	request_put_u32(&r, MAGNET_A_SNAP_LEN, MAGNET_SNAP_LEN_MAX + 1);
	EXPECT_EQ(request_send(&r, &s.ctl, NULL, NULL).error, -ERANGE);
}

/* The counter rises shortly before the packet is thrown away. */
static void settle(void)
{
	int i;

	for (i = 0; i < 100; i++)
		guest_nap();
}

/* The bytes of a packet that is thrown away, with the reason. */
static void dropped_packets_are_captured(void)
{
	static const struct flow flow = { "127.0.0.1", "127.0.0.1", 1001, 9, 1 };
	static char data[DATA_ROOM] __attribute__((aligned(8)));
	const void *at = data, *end;
	unsigned int seen = 0;
	struct record rec;
	uint32_t sub;
	ssize_t got;

	enter(1 << 20);
	sub = subscribe("kfree_skb", "log if dport == 9; drop", 64);
	send_flow(&flow, "magnet!", 7);
	UNTIL(namespace_counter("Udp", "NoPorts") == 1);
	settle();
	EXPECT_EQ(unsubscribe(sub).committed, 1);
	sensor_open(&s, 0);
	got = read(s.fd, data, sizeof(data));
	end = data + (got < 0 ? 0 : got);
	while (records_next(&at, end, &rec)) {
		const struct magnet_drop *drop = rec.payload;

		if (rec.event != MAGNET_EVENT_KFREE_SKB)
			continue;
		seen++;
		REQUIRE_EQ(drop->captured, HEADERS_IPV4 + 7);
		EXPECT(!memcmp((const char *)(drop + 1) + HEADERS_IPV4, "magnet!", 7), "other bytes");
	}
	EXPECT_EQ(seen, 1);
}

/* ---- packets that have no network header yet ---- */

/* The records of a point, on whatever CPU they were logged. */
static unsigned int records_of(uint16_t event, struct record *records, unsigned int most)
{
	static char data[2][1 << 20] __attribute__((aligned(8)));
	unsigned int cpu, n = 0;

	for (cpu = 0; cpu < 2; cpu++) {
		const int fd = cpu ? ctl_data_open(s.buffer, cpu, O_NONBLOCK) : s.fd;
		const void *at = data[cpu], *end;
		struct record rec;
		ssize_t got;

		NEED(fd >= 0, "cpu%u: %s", cpu, strerror(-fd));
		attr_need(fd, MAGNET_ATTR_FLUSH, 0);
		got = read(fd, data[cpu], sizeof(data[cpu]));
		end = data[cpu] + (got < 0 ? 0 : got);
		while (n < most && records_next(&at, end, &rec))
			if (rec.event == event)
				records[n++] = rec;
	}
	return n;
}

/* A connection in a network of its own. */
static void connect_to_itself(int family, int fds[2])
{
	sensor_make(&s, 1 << 20);
	guest_on_cpu(0);
	s.fd = ctl_data_open(s.buffer, 0, O_NONBLOCK);
	NEED(s.fd >= 0, "cpu0: %s", strerror(-s.fd));
	namespace_enter();
	namespace_connect(family, fds);
}

#define TCP_DATA	3001

/* TCP's header, with the port it goes to, and what was sent. */
static void segments_are_captured_before_ip(int family)
{
	static uint8_t sent[TCP_DATA], got[TCP_DATA];
	struct sockaddr_in6 a;
	socklen_t len = sizeof(a);
	struct record records[16];
	unsigned int i, n, seen = 0;
	uint32_t sub;
	int fds[2];

	connect_to_itself(family, fds);
	/* sin_port and sin6_port are in the same place. */
	NEED(!getpeername(fds[0], (void *)&a, &len), "getpeername: %s", strerror(errno));
	fill(sent, sizeof(sent));
	sub = subscribe("ip_queue_xmit", "log", MAGNET_SNAP_LEN_MAX);
	NEED(send(fds[0], sent, sizeof(sent), 0) == sizeof(sent), "send: %s", strerror(errno));
	NEED(recv(fds[1], got, sizeof(got), MSG_WAITALL) == sizeof(got), "recv: %s",
	     strerror(errno));
	EXPECT_EQ(unsubscribe(sub).dropped_full, 0);
	n = records_of(MAGNET_EVENT_IP_QUEUE_XMIT, records, KTAP_SIZE(records));
	for (i = 0; i < n; i++) {
		const struct magnet_packet *packet = records[i].payload;
		const uint8_t *bytes = (const uint8_t *)(packet + 1);
		const unsigned int header = packet->captured > 12 ? bytes[12] >> 4 << 2 : 0;

		EXPECT_EQ(packet->captured, packet->network_len);
		if (packet->captured != header + TCP_DATA)
			continue;
		seen++;
		EXPECT(!memcmp(bytes + 2, &a.sin6_port, 2), "another port");
		EXPECT(!memcmp(bytes + header, sent, TCP_DATA), "other bytes");
	}
	EXPECT(seen == 1, "%u of %u records have it", seen, n);
}

static void ipv4_segments_are_captured_before_ip(void)
{
	segments_are_captured_before_ip(AF_INET);
}

static void ipv6_segments_are_captured_before_ip(void)
{
	segments_are_captured_before_ip(AF_INET6);
}

/* Nothing reaches the receiver, so the data is sent again. */
static void retransmitted_data_is_captured(void)
{
	static struct sock_filter nothing[] = { BPF_STMT(BPF_RET | BPF_K, 0) };
	const struct sock_fprog filter = { KTAP_SIZE(nothing), nothing };
	const struct magnet_retransmit *packet;
	static uint8_t sent[1001];
	struct record record;
	uint32_t sub;
	int fds[2];

	connect_to_itself(AF_INET, fds);
	NEED(!setsockopt(fds[1], SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)),
	     "filter: %s", strerror(errno));
	fill(sent, sizeof(sent));
	sub = subscribe("tcp_retransmit_skb", "log", 999);
	NEED(send(fds[0], sent, sizeof(sent), 0) == sizeof(sent), "send: %s", strerror(errno));
	UNTIL(namespace_counter("Tcp", "RetransSegs") >= 1);
	settle();
	EXPECT(unsubscribe(sub).committed >= 1, "no event");
	REQUIRE_EQ(records_of(MAGNET_EVENT_TCP_RETRANSMIT_SKB, &record, 1), 1);
	packet = record.payload;
	EXPECT_EQ(packet->network_len, sizeof(sent));
	EXPECT_EQ(packet->segments, 1);
	REQUIRE_EQ(packet->captured, 999);
	EXPECT(!memcmp(packet + 1, sent, 999), "other bytes");
}

static void expect_no_packet(const char *point, const char *rules, uint32_t snap_len,
			     const char *words)
{
	struct request r;
	struct answer a;

	request_begin(&r, &s.ctl, MAGNET_CMD_SUB_NEW);
	request_put_text(&r, MAGNET_A_POINT, point);
	request_put_text(&r, MAGNET_A_BUFFER, s.buffer);
	request_put_text(&r, MAGNET_A_RULES, rules);
	request_put_u32(&r, MAGNET_A_SNAP_LEN, snap_len);
	a = request_send(&r, &s.ctl, NULL, NULL);
	EXPECT(a.error == -EINVAL && strstr(a.text, words), "%s: %d, %s", point, a.error, a.text);
}

static void what_has_no_packet_says_so(void)
{
	sensor_make(&s, 1 << 20);
	expect_no_packet("net_dev_xmit", "log", 64, "take one of the points that");
	expect_no_packet("tcp_consume", "log", 64, "take one of the points that");
	expect_no_packet("ip_queue_xmit", "drop if dport == 5", 64, "no packet whose headers");
	expect_no_packet("tcp_retransmit_skb", "drop if dport == 5", 64, "no packet whose headers");
}

static const struct ktap_test tests[] = {
	KTAP_TEST(rules_ask_headers_when_sending),
	KTAP_TEST(rules_ask_headers_when_receiving),
	KTAP_TEST(headers_are_captured),
	KTAP_TEST(short_packets_are_captured_whole),
	KTAP_TEST(odd_lengths_are_captured),
	KTAP_TEST(long_packets_are_captured_up_to_4000_bytes),
	KTAP_TEST(too_much_is_refused),
	KTAP_TEST(dropped_packets_are_captured),
	KTAP_TEST(ipv4_segments_are_captured_before_ip),
	KTAP_TEST(ipv6_segments_are_captured_before_ip),
	KTAP_TEST(retransmitted_data_is_captured),
	KTAP_TEST(what_has_no_packet_says_so),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
