// SPDX-License-Identifier: Apache-2.0
/*
 * udp_mix COUNT PORT: sends COUNT datagrams to this host's own loopback, in
 * turn over IPv4, IPv6 and v4-mapped IPv6, each on a connected socket and on
 * one that is not. Prints its process id, how many of each kind it sent, and
 * the cookie of the connected IPv4 socket.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct kind {
	const char		*name;
	const char		*address;
	int			connected;
	struct sockaddr_storage	to;
	socklen_t		len;
	int			fd;
	unsigned long		sent;
};

static struct kind kinds[] = {
	{ .name = "ipv4", .address = "127.0.0.1" },
	{ .name = "ipv4-connected", .address = "127.0.0.1", .connected = 1 },
	{ .name = "ipv6", .address = "::1" },
	{ .name = "ipv6-connected", .address = "::1", .connected = 1 },
	{ .name = "mapped", .address = "::ffff:127.0.0.1" },
	{ .name = "mapped-connected", .address = "::ffff:127.0.0.1", .connected = 1 },
};

#define KINDS	(sizeof(kinds) / sizeof(*kinds))

static int fail(const char *what)
{
	fprintf(stderr, "udp_mix: %s: %s\n", what, strerror(errno));
	return 1;
}

static void address(struct kind *k, uint16_t port)
{
	struct sockaddr_in *v4 = (void *)&k->to;
	struct sockaddr_in6 *v6 = (void *)&k->to;

	if (inet_pton(AF_INET, k->address, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		k->len = sizeof(*v4);
		return;
	}
	inet_pton(AF_INET6, k->address, &v6->sin6_addr);
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	k->len = sizeof(*v6);
}

static int prepare(struct kind *k, uint16_t port)
{
	address(k, port);
	k->fd = socket(k->to.ss_family, SOCK_DGRAM, 0);
	if (k->fd < 0)
		return -1;
	return k->connected ? connect(k->fd, (void *)&k->to, k->len) : 0;
}

/* Somebody has to be there, or refusals come back; nobody has to read. */
static int listen_on(uint16_t port)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	const int fd = socket(AF_INET6, SOCK_DGRAM, 0);

	return fd < 0 ? -1 : bind(fd, (const void *)&any, sizeof(any));
}

static int send_one(struct kind *k)
{
	const struct sockaddr *to = k->connected ? NULL : (void *)&k->to;

	return sendto(k->fd, "magnet", 6, 0, to, to ? k->len : 0) == 6 ? 0 : -1;
}

int main(int argc, char **argv)
{
	unsigned long count, i;
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (argc != 3) {
		fprintf(stderr, "usage: udp_mix COUNT PORT\n");
		return 2;
	}
	count = strtoul(argv[1], NULL, 10);
	if (listen_on(strtoul(argv[2], NULL, 10)))
		return fail("bind");
	for (i = 0; i < KINDS; i++)
		if (prepare(&kinds[i], strtoul(argv[2], NULL, 10)))
			return fail(kinds[i].name);
	for (i = 0; i < count; i++) {
		struct kind *k = &kinds[i % KINDS];

		if (send_one(k))
			return fail(k->name);
		k->sent++;
	}
	getsockopt(kinds[1].fd, SOL_SOCKET, SO_COOKIE, &cookie, &len);
	printf("pid %d cookie %llu", (int)getpid(), (unsigned long long)cookie);
	for (i = 0; i < KINDS; i++)
		printf(" %s %lu", kinds[i].name, kinds[i].sent);
	printf("\n");
	return 0;
}
