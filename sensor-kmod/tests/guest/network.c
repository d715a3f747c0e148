// SPDX-License-Identifier: GPL-2.0-only
/*
 * Points of the network: known traffic over a loopback of its own, and what
 * /proc/net/snmp counts of it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "guest.h"
#include "namespace.h"
#include "recording.h"

#define MESSAGES	1009
#define MESSAGE_SIZE	64

static void enter(void)
{
	recording_make();
	namespace_enter();
	guest_on_cpu(0);
}

static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	NEED(!getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len), "SO_COOKIE: %s",
	     strerror(errno));
	return cookie;
}

struct of_socket {
	unsigned int	event;
	uint64_t	cookie;
};

static bool is_of_socket(const struct record *rec, const void *arg)
{
	const struct of_socket *want = arg;

	return rec->event == want->event && rec->id == want->cookie;
}

static unsigned int count_of(unsigned int event, int fd)
{
	const struct of_socket want = { event, cookie_of(fd) };

	return recording_count(is_of_socket, &want);
}

/* Send a message and receive it, @n times; each is one segment. */
static void exchange(const int fds[2], unsigned int n)
{
	char data[MESSAGE_SIZE] = "magnet";

	while (n--) {
		NEED(send(fds[0], data, sizeof(data), 0) == sizeof(data), "send: %s",
		     strerror(errno));
		NEED(recv(fds[1], data, sizeof(data), MSG_WAITALL) == sizeof(data), "recv: %s",
		     strerror(errno));
	}
}

/* ---- TCP ---- */

static void each_message_is_counted_once(int family)
{
	long long out, in;
	int fds[2];

	enter();
	namespace_connect(family, fds);
	RECORD("tcp_sendmsg", "ip_queue_xmit", "tcp_rcv", "tcp_rcv_established", "tcp_consume",
	       "kfree_skb");
	out = namespace_counter("Tcp", "OutSegs");
	in = namespace_counter("Tcp", "InSegs");
	exchange(fds, MESSAGES);
	out = namespace_counter("Tcp", "OutSegs") - out;
	in = namespace_counter("Tcp", "InSegs") - in;
	recording_stop();
	EXPECT_EQ(recording_own(MAGNET_EVENT_TCP_SENDMSG), MESSAGES);
	EXPECT_EQ(count_of(MAGNET_EVENT_TCP_SENDMSG, fds[0]), MESSAGES);
	EXPECT_EQ(count_of(MAGNET_EVENT_TCP_CONSUME, fds[1]), MESSAGES);
	EXPECT_EQ(count_of(MAGNET_EVENT_TCP_CONSUME, fds[0]), 0);
	/* The kernel's own count; the acknowledgments are in both. */
	EXPECT_EQ(recording_events(MAGNET_EVENT_IP_QUEUE_XMIT), out);
	EXPECT_EQ(recording_events(MAGNET_EVENT_TCP_RCV), in);
	EXPECT_EQ(recording_events(MAGNET_EVENT_TCP_RCV_ESTABLISHED), in);
	/* All data goes one way. */
	EXPECT_EQ(count_of(MAGNET_EVENT_IP_QUEUE_XMIT, fds[0]), MESSAGES);
	EXPECT_EQ(count_of(MAGNET_EVENT_TCP_RCV_ESTABLISHED, fds[1]), MESSAGES);
	EXPECT_EQ(recording_own(MAGNET_EVENT_KFREE_SKB), 0);
}

static void tcp_over_ipv4_is_exact(void)
{
	each_message_is_counted_once(AF_INET);
}

static void tcp_over_ipv6_is_exact(void)
{
	each_message_is_counted_once(AF_INET6);
}

static const struct record *packet_after(const struct record *rec, unsigned int event,
					 uint64_t packet_id)
{
	do {
		rec = recording_after(rec, event);
	} while (rec && *(const uint64_t *)rec->payload != packet_id);
	return rec;
}

/* One segment is seen at each hop, in this order, under one id. */
static void segment_is_followed(int family)
{
	static const unsigned int hops[] = {
		MAGNET_EVENT_DEV_QUEUE_XMIT, MAGNET_EVENT_NET_DEV_START_XMIT,
		MAGNET_EVENT_NET_DEV_XMIT, MAGNET_EVENT_NETIF_RECEIVE_SKB,
		MAGNET_EVENT_IP_LOCAL_DELIVER, MAGNET_EVENT_TCP_RCV,
		MAGNET_EVENT_TCP_RCV_ESTABLISHED,
	};
	const struct record *sent, *rec, *out, *got;
	const struct magnet_packet *packet;
	const struct magnet_sock *sock;
	unsigned int i;
	int fds[2];

	enter();
	namespace_connect(family, fds);
	RECORD("tcp_sendmsg", "ip_queue_xmit", "dev_queue_xmit", "net_dev_start_xmit",
	       "net_dev_xmit", "netif_receive_skb", "ip_local_deliver", "tcp_rcv",
	       "tcp_rcv_established", "tcp_consume");
	exchange(fds, 1);
	recording_stop();
	sent = recording_after(NULL, MAGNET_EVENT_TCP_SENDMSG);
	out = recording_after(sent, MAGNET_EVENT_IP_QUEUE_XMIT);
	REQUIRE(sent && out, "nothing was sent");
	sock = sent->payload;
	EXPECT(sock->len == MESSAGE_SIZE && sock->family == family &&
	       sock->protocol == IPPROTO_TCP, "tcp_sendmsg: %u bytes, family %u, protocol %u",
	       sock->len, sock->family, sock->protocol);
	packet = out->payload;
	/* TCP's header with its time stamps, and the data. */
	EXPECT_EQ(packet->len, MESSAGE_SIZE + 32);
	EXPECT_EQ(packet->ethertype, family == AF_INET ? 0x0800 : 0x86dd);
	EXPECT_EQ(out->id, cookie_of(fds[0]));
	rec = out;
	for (i = 0; i < KTAP_SIZE(hops); i++) {
		rec = packet_after(rec, hops[i], packet->packet_id);
		REQUIRE(rec, "the segment was not seen at event %#x, or too early", hops[i]);
	}
	EXPECT_EQ(rec->id, cookie_of(fds[1]));
	got = recording_after(rec, MAGNET_EVENT_TCP_CONSUME);
	REQUIRE(got, "the program did not get it");
	sock = got->payload;
	EXPECT_EQ(sock->len, MESSAGE_SIZE);
	EXPECT_EQ(got->id, cookie_of(fds[1]));
}

static void segment_over_ipv4_is_followed(void)
{
	segment_is_followed(AF_INET);
}

static void segment_over_ipv6_is_followed(void)
{
	segment_is_followed(AF_INET6);
}

/* A listener whose queue is full leaves further SYNs unanswered. */
static int full_listener(struct sockaddr_in *a)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*a);
	int first;

	*a = (struct sockaddr_in){ .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	NEED(!bind(fd, (void *)a, len) && !listen(fd, 0) && !getsockname(fd, (void *)a, &len),
	     "listen: %s", strerror(errno));
	first = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	NEED(!connect(first, (void *)a, len), "connect: %s", strerror(errno));
	return fd;
}

static void retransmissions_are_exact(void)
{
	const long long wanted = 2;
	struct sockaddr_in a;
	int fd;

	enter();
	full_listener(&a);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	RECORD("tcp_retransmit_skb");
	EXPECT(connect(fd, (void *)&a, sizeof(a)) && errno == EINPROGRESS, "connect: %s",
	       strerror(errno));
	UNTIL(namespace_counter("Tcp", "RetransSegs") >= wanted);
	recording_stop();
	EXPECT_EQ(recording_events(MAGNET_EVENT_TCP_RETRANSMIT_SKB),
		  namespace_counter("Tcp", "RetransSegs"));
	EXPECT_EQ(count_of(MAGNET_EVENT_TCP_RETRANSMIT_SKB, fd), wanted);
}

/* ---- drops ---- */

/* The number of a reason in the running kernel. */
static unsigned int reason(const char *name)
{
	char line[128], found[64];
	FILE *f = fopen(MAGNET_CONTROL "/drop_reasons", "r");
	unsigned int number;

	NEED(f, "drop_reasons: %s", strerror(errno));
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %63s", &number, found) == 2 && !strcmp(found, name)) {
			fclose(f);
			return number;
		}
	ABORT("this kernel has no reason %s", name);
}

static bool is_drop_for(const struct record *rec, const void *arg)
{
	const struct magnet_drop *drop = rec->payload;

	return rec->event == MAGNET_EVENT_KFREE_SKB && drop->reason == *(const unsigned int *)arg;
}

static int udp_receiver(struct sockaddr_in *a, int room)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(*a);

	*a = (struct sockaddr_in){ .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	NEED(!bind(fd, (void *)a, len) && !getsockname(fd, (void *)a, &len), "bind: %s",
	     strerror(errno));
	return fd;
}

static void flood(const struct sockaddr_in *a)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	unsigned int i;

	for (i = 0; i < MESSAGES; i++)
		NEED(sendto(fd, "magnet", 6, 0, (const void *)a, sizeof(*a)) == 6, "send: %s",
		     strerror(errno));
	close(fd);
}

/* On a slow machine the datagrams wait for ksoftirqd. The counters rise shortly before the drop. */
static void settle(bool closed)
{
	int i;

	if (closed)
		UNTIL(namespace_counter("Udp", "NoPorts") >= MESSAGES);
	else
		UNTIL(namespace_counter("Ip", "InDelivers") >= MESSAGES);
	for (i = 0; i < 100; i++)
		guest_nap();
}

static void drops_for(const char *name, const char *counter, bool closed)
{
	const unsigned int number = reason(name);
	struct sockaddr_in a;
	long long dropped;
	int fd;

	enter();
	fd = udp_receiver(&a, 4096);
	if (closed)
		close(fd);
	RECORD("kfree_skb");
	flood(&a);
	settle(closed);
	recording_stop();
	dropped = namespace_counter("Udp", counter);
	EXPECT(dropped > 0 && dropped <= MESSAGES, "%lld %s", dropped, counter);
	if (closed)
		EXPECT_EQ(dropped, MESSAGES);
	EXPECT_EQ(recording_count(is_drop_for, &number), dropped);
}

static void drops_at_a_closed_port_are_exact(void)
{
	drops_for("NO_SOCKET", "NoPorts", true);
}

static void drops_at_a_full_socket_are_exact(void)
{
	drops_for("SOCKET_RCVBUFF", "RcvbufErrors", false);
}

/* ---- what programs receive ---- */

static bool is_consumed(const struct record *rec, const void *arg)
{
	(void)arg;
	return rec->event == MAGNET_EVENT_SKB_CONSUME_UDP;
}

/* A datagram that is looked at three times is received once, as the kernel counts, too. */
static void peeked_datagrams_are_received_once(void)
{
	char data[MESSAGE_SIZE] = "magnet";
	struct sockaddr_in a;
	int from, to, i, looks;

	enter();
	to = udp_receiver(&a, 1 << 20);
	from = socket(AF_INET, SOCK_DGRAM, 0);
	NEED(from >= 0, "socket: %s", strerror(errno));
	RECORD("skb_consume_udp");
	for (i = 0; i < MESSAGES; i++) {
		NEED(sendto(from, data, sizeof(data), 0, (void *)&a, sizeof(a)) == sizeof(data),
		     "send: %s", strerror(errno));
		for (looks = 3; looks >= 0; looks--)
			NEED(recv(to, data, sizeof(data), looks ? MSG_PEEK : 0) == sizeof(data),
			     "recv: %s", strerror(errno));
	}
	recording_stop();
	EXPECT_EQ(namespace_counter("Udp", "InDatagrams"), MESSAGES);
	EXPECT_EQ(recording_count(is_consumed, NULL), MESSAGES);
}

/* ---- devices ---- */

/* What /proc/net/dev counts of a device: packets, and bytes. */
struct traffic {
	long long	packets;
	long long	bytes;
};

static void loopback_traffic(struct traffic *in, struct traffic *out)
{
	FILE *f = fopen("/proc/thread-self/net/dev", "r");
	char line[512], *at = NULL;

	NEED(f, "/proc/net/dev: %s", strerror(errno));
	while (!at && fgets(line, sizeof(line), f))
		at = strstr(line, "lo:");
	fclose(f);
	NEED(at && sscanf(at, "lo: %lld %lld %*d %*d %*d %*d %*d %*d %lld %lld", &in->bytes,
			  &in->packets, &out->bytes, &out->packets) == 4, "/proc/net/dev: no lo");
}

struct of_device {
	unsigned int	event;
	uint32_t	netns;
};

static bool is_of_device(const struct record *rec, const void *arg)
{
	const struct of_device *want = arg;

	if (rec->event != want->event)
		return false;
	if (rec->event == MAGNET_EVENT_NET_DEV_XMIT) {
		const struct magnet_xmit *xmit = rec->payload;

		return xmit->netns == want->netns && xmit->ifindex == 1 && !xmit->ret;
	}
	return ((const struct magnet_dev_receive *)rec->payload)->netns == want->netns &&
	       ((const struct magnet_dev_receive *)rec->payload)->ifindex == 1;
}

static struct traffic traffic_of(unsigned int event, uint32_t netns)
{
	const struct of_device want = { event, netns };
	const struct record *rec = recording_find(NULL, is_of_device, &want);
	struct traffic sum = {};

	for (; rec; rec = recording_find(rec + 1, is_of_device, &want)) {
		/* In both payloads it has the same place. */
		sum.bytes += ((const struct magnet_xmit *)rec->payload)->len;
		sum.packets++;
	}
	return sum;
}

#define LINK_HEADER	14

static void devices_carry_what_the_kernel_counts(void)
{
	struct traffic in[2], out[2], seen;
	struct stat netns;
	struct sockaddr_in a;

	enter();
	NEED(!stat("/proc/thread-self/ns/net", &netns), "ns/net: %s", strerror(errno));
	close(udp_receiver(&a, 4096));
	RECORD("net_dev_xmit", "net_dev_receive");
	loopback_traffic(&in[0], &out[0]);
	flood(&a);
	settle(true);
	loopback_traffic(&in[1], &out[1]);
	recording_stop();
	EXPECT(out[1].packets - out[0].packets >= MESSAGES, "%lld packets went out",
	       out[1].packets - out[0].packets);
	seen = traffic_of(MAGNET_EVENT_NET_DEV_XMIT, netns.st_ino);
	EXPECT_EQ(seen.packets, out[1].packets - out[0].packets);
	/* Of the loopback alone the kernel counts bytes without the link header. */
	EXPECT_EQ(seen.bytes - LINK_HEADER * seen.packets, out[1].bytes - out[0].bytes);
	seen = traffic_of(MAGNET_EVENT_NET_DEV_RECEIVE, netns.st_ino);
	EXPECT_EQ(seen.packets, in[1].packets - in[0].packets);
	EXPECT_EQ(seen.bytes - LINK_HEADER * seen.packets, in[1].bytes - in[0].bytes);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(tcp_over_ipv4_is_exact),
	KTAP_TEST(tcp_over_ipv6_is_exact),
	KTAP_TEST(segment_over_ipv4_is_followed),
	KTAP_TEST(segment_over_ipv6_is_followed),
	KTAP_TEST(retransmissions_are_exact),
	KTAP_TEST(drops_at_a_closed_port_are_exact),
	KTAP_TEST(drops_at_a_full_socket_are_exact),
	KTAP_TEST(peeked_datagrams_are_received_once),
	KTAP_TEST(devices_carry_what_the_kernel_counts),
};

int main(int argc, char **argv)
{
	return guest_main(tests, KTAP_SIZE(tests), argc, argv);
}
