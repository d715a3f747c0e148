// SPDX-License-Identifier: Apache-2.0
/*
 * cable_witness PORT FILE
 *	runs on the machine that the guests run on: hears the frames on their cable (harness/boot --cable PORT:N) until it is
 *	ended, and writes of each: the time stamp counter, u64; how many bytes follow, u32; the frame, up to 100 bytes. Says
 *	"listening" when it does. The counter of a guest is that of this machine, and a constant more.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <x86intrin.h>

#define GROUP	"230.77.65.71"
#define SHORTEST	34
#define KEPT	100
#define QUEUE	(4 << 20)

static int fail(const char *what)
{
	fprintf(stderr, "cable_witness: %s: %s\n", what, strerror(errno));
	return 1;
}

static int join(int port)
{
	const int on = 1, queue = QUEUE, fd = socket(AF_INET, SOCK_DGRAM, 0);
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = inet_addr(GROUP),
	};
	const struct ip_mreq group = {
		.imr_multiaddr.s_addr = inet_addr(GROUP),
		.imr_interface.s_addr = inet_addr("127.0.0.1"),
	};

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &queue, sizeof(queue)) ||
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) ||
	    setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof(group)))
		return -1;
	return fd;
}

int main(int argc, char **argv)
{
	static unsigned char frame[65536];
	FILE *out;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "cable_witness PORT FILE\n");
		return 2;
	}
	fd = join(atoi(argv[1]));
	if (fd < 0)
		return fail("cannot hear the cable");
	out = fopen(argv[2], "wb");
	if (!out)
		return fail(argv[2]);
	printf("listening\n");
	fflush(stdout);
	for (;;) {
		const ssize_t got = recv(fd, frame, sizeof(frame), 0);
		const uint64_t ticks = __rdtsc();
		const uint32_t kept = got > KEPT ? KEPT : got;

		if (got < 0)
			return fail("recv");
		if (got < SHORTEST)
			continue;
		if (fwrite(&ticks, sizeof(ticks), 1, out) != 1 || fwrite(&kept, sizeof(kept), 1, out) != 1 ||
		    fwrite(frame, kept, 1, out) != 1 || fflush(out))
			return fail(argv[2]);
	}
}
