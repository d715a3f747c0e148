// SPDX-License-Identifier: Apache-2.0
/*
 * udp_stream send HOST PORT BYTES PER_SECOND SECONDS
 *	sends datagrams at an even pace; prints how many
 * udp_stream receive PORT SECONDS
 *	receives for that time; prints how many
 * IPv4 and IPv6.
 */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/socket.h>
#include <netinet/in.h>

#define NS_PER_S	1000000000ULL

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec ts = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static int fail(const char *what)
{
	fprintf(stderr, "udp_stream: %s: %s\n", what, strerror(errno));
	return 1;
}

static int connect_to(const char *host, const char *port)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	struct addrinfo *to;
	int fd;

	if (getaddrinfo(host, port, &hints, &to)) {
		errno = EADDRNOTAVAIL;
		return -1;
	}
	fd = socket(to->ai_family, SOCK_DGRAM, 0);
	if (fd >= 0 && connect(fd, to->ai_addr, to->ai_addrlen)) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(to);
	return fd;
}

static int do_send(char **argv)
{
	const int fd = connect_to(argv[0], argv[1]);
	const size_t bytes = strtoul(argv[2], NULL, 10);
	const uint64_t gap = NS_PER_S / strtoull(argv[3], NULL, 10);
	uint64_t next = now_ns(), end = next + strtoull(argv[4], NULL, 10) * NS_PER_S;
	unsigned long sent = 0, refused = 0;
	char *data = calloc(1, bytes ? bytes : 1);

	if (fd < 0 || !data)
		return fail("connect");
	for (; next < end; next += gap) {
		if (send(fd, data, bytes, 0) == (ssize_t)bytes)
			sent++;
		else
			refused++;
		sleep_until(next + gap);
	}
	printf("pid %d sent %lu refused %lu\n", (int)getpid(), sent, refused);
	return 0;
}

static int do_receive(char **argv)
{
	const struct sockaddr_in6 any = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(strtoul(argv[0], NULL, 10)),
	};
	const uint64_t end = now_ns() + strtoull(argv[1], NULL, 10) * NS_PER_S;
	const int fd = socket(AF_INET6, SOCK_DGRAM, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	unsigned long got = 0;
	char data[65536];

	if (fd < 0 || bind(fd, (const struct sockaddr *)&any, sizeof(any)))
		return fail("bind");
	while (now_ns() < end) {
		if (poll(&p, 1, 100) > 0 && recv(fd, data, sizeof(data), 0) >= 0)
			got++;
	}
	printf("pid %d received %lu\n", (int)getpid(), got);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 7 && !strcmp(argv[1], "send") && atoi(argv[5]) > 0)
		return do_send(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "receive"))
		return do_receive(argv + 2);
	fprintf(stderr, "usage: udp_stream send HOST PORT BYTES PER_SECOND SECONDS\n"
			"       udp_stream receive PORT SECONDS\n");
	return 2;
}
