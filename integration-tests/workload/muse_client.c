// SPDX-License-Identifier: Apache-2.0
/*
 * muse_client PLACE MARKER: a client of MUSE as TAU is one, which asks magnetd
 * for events about itself. PLACE is the path of a socket, or a port of
 * 127.0.0.1; MARKER the file that markers are written to.
 * Creates, filters and starts a handler of each kind, sends and receives over
 * UDP and TCP, computes and sleeps, and prints what the handlers say and what
 * it and the kernel know of the same: a name and a number in each line.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define DATAGRAMS 1000
#define DATAGRAM_BYTES 1009
#define SEGMENTS 50
#define SEGMENT_BYTES 3001
#define SLEEPS 50
#define COMPUTE_NS 500000000LL
#define MARKERS 20
#define ALL_PROCESSES 0
#define MARKER 960

enum { CREATE = 1, QUERY = 3, DESTROY, START, STOP, ADD_FILTER = 8, QUIT = 10 };

static int server;
static unsigned char request[8192], reply[8192];
static size_t request_len;

static void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void take(void *into, size_t len)
{
	if (recv(server, into, len, MSG_WAITALL) != (ssize_t)len)
		fail("recv");
}

static void put(const void *bytes, size_t len)
{
	memcpy(request + request_len, bytes, len);
	request_len += len;
}

static void put_u8(uint8_t value)
{
	put(&value, 1);
}

static void put_u32(uint32_t value)
{
	value = htonl(value);
	put(&value, 4);
}

static void put_text(const char *text)
{
	put_u8(strlen(text));
	put(text, strlen(text) + 1);
}

/* Sends the request; returns the reply's data behind its error. */
static const unsigned char *ask(size_t expected)
{
	uint32_t len = htonl(request_len);

	if (send(server, &len, 4, 0) != 4 ||
	    send(server, request, request_len, 0) != (ssize_t)request_len)
		fail("send");
	request_len = 0;
	take(&len, 4);
	len = ntohl(len);
	if (len > sizeof(reply))
		fail("length of a reply");
	take(reply, len);
	if (reply[0] || len != 1 + expected) {
		fprintf(stderr, "muse_client: refused: %.*s\n", (int)len - 1,
			(char *)reply + 1);
		exit(EXIT_FAILURE);
	}
	return reply + 1;
}

static void ask_of(int opcode, int handler)
{
	put_u8(opcode);
	put_u8(handler);
	put_u32(0);
	ask(0);
}

static const unsigned char *query(int handler, size_t expected)
{
	put_u8(QUERY);
	put_u8(handler);
	put_u32(0);
	return ask(expected);
}

static int create(const char *name, const void *options, size_t len)
{
	put_u8(CREATE);
	put_text(name);
	put_u32(len);
	put(options, len);
	return ask(1)[0];
}

/* Lengths and flags are TAU's: three bytes of the flags are left over. */
static void add_filter(int handler, const char *name, int process, int event)
{
	put_u8(ADD_FILTER);
	put_u8(handler);
	put_text(name);
	put_u32(4 + (event ? 4 : 0) + (process ? 4 : 0));
	put_u8((event ? 0x80 : 0) | (process ? 0x20 : 0));
	put("\1\2\3", 3);
	if (event)
		put_u32(event);
	if (process)
		put_u32(process);
	ask(0);
}

static uint64_t u64(const unsigned char *at)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | at[i];
	return value;
}

static double real(const unsigned char *at)
{
	uint64_t bits = u64(at);
	double value;

	memcpy(&value, &bits, 8);
	return value;
}

static uint32_t u32(const unsigned char *at)
{
	return u64(at) >> 32;
}

static int connected(const char *place)
{
	struct sockaddr_un file = { .sun_family = AF_UNIX };
	struct sockaddr_in port = {
		.sin_family = AF_INET,
		.sin_port = htons(atoi(place)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int is_file = place[0] == '/';
	int fd = socket(is_file ? AF_UNIX : AF_INET, SOCK_STREAM, 0);

	strncpy(file.sun_path, place, sizeof(file.sun_path) - 1);
	if (connect(fd, is_file ? (void *)&file : (void *)&port,
		    is_file ? sizeof(file) : sizeof(port)))
		fail(place);
	return fd;
}

static long long nanos(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long switches(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_nvcsw + used.ru_nivcsw;
}

static struct sockaddr_in listening(int type, int *fd)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(at);

	*fd = socket(AF_INET, type, 0);
	if (bind(*fd, (void *)&at, len) ||
	    (type == SOCK_STREAM && listen(*fd, 1)) ||
	    getsockname(*fd, (void *)&at, &len))
		fail("listen");
	return at;
}

static void send_datagrams(void)
{
	char bytes[DATAGRAM_BYTES] = { 0 };
	int fd;
	struct sockaddr_in at = listening(SOCK_DGRAM, &fd);

	for (int i = 0; i < DATAGRAMS; i++)
		if (sendto(fd, bytes, sizeof(bytes), 0, (void *)&at,
			   sizeof(at)) != sizeof(bytes) ||
		    recv(fd, bytes, sizeof(bytes), 0) != sizeof(bytes))
			fail("datagram");
	close(fd);
}

static void send_segments(void)
{
	char bytes[SEGMENT_BYTES] = { 0 };
	int at, to = socket(AF_INET, SOCK_STREAM, 0), from;
	struct sockaddr_in address = listening(SOCK_STREAM, &at);

	if (connect(to, (void *)&address, sizeof(address)))
		fail("connect");
	from = accept(at, NULL, NULL);
	for (int i = 0; i < SEGMENTS; i++)
		if (send(to, bytes, sizeof(bytes), 0) != sizeof(bytes) ||
		    recv(from, bytes, sizeof(bytes), MSG_WAITALL) !=
			    sizeof(bytes))
			fail("segment");
	close(to);
	close(from);
	close(at);
}

static void write_markers(const char *path)
{
	for (int i = 0; i < MARKERS; i++) {
		FILE *file = fopen(path, "w");

		if (!file || fprintf(file, "%d muse\n", i) < 0 || fclose(file))
			fail(path);
	}
}

static void compute_and_sleep(void)
{
	long long until = nanos(CLOCK_PROCESS_CPUTIME_ID) + COMPUTE_NS;

	for (int i = 0; i < SLEEPS; i++)
		usleep(1000);
	/* That clock is a system call, which should not be all that it does. */
	while (nanos(CLOCK_PROCESS_CPUTIME_ID) < until)
		for (volatile int i = 0; i < 100000; i++)
			;
}

static void tell_scheduling(const char *when, int handler)
{
	const unsigned char *data = query(handler, 20 + 2 * 24);
	double speed = u64(data + 8) / 1e9;

	printf("%s_total_ns %.0f\n", when, u64(data) / speed);
	printf("%s_cpus %u\n", when, data[16] << 8 | data[17]);
	printf("%s_busy_ns %.0f\n", when,
	       (u64(data + 28) + u64(data + 52)) / speed);
	printf("%s_switches %.0f\n", when, real(data + 20) + real(data + 44));
}

static void tell_bandwidth(const char *name, int handler)
{
	const unsigned char *data = query(handler, 48);

	printf("%s_sent_per_s %f\n%s_received_per_s %f\n", name, real(data),
	       name, real(data + 8));
	printf("%s_block_start %f\n%s_block %u\n%s_lost %u\n", name,
	       real(data + 32), name, u32(data + 40), name, u32(data + 44));
}

int main(int argc, char **argv)
{
	static const unsigned char count_options[8];
	static const unsigned char second[16] = { 0x3f, 0xf0 };
	int me = getpid(), count, sent, received, all, tcp, scheduling, markers;
	long long handlers_began, began, began_after, cpu_began, cpu_began_after;
	long switches_began, switches_began_after;
	unsigned char greeting;

	if (argc != 3) {
		fprintf(stderr, "usage: muse_client PATH|PORT MARKER\n");
		return EXIT_FAILURE;
	}
	server = connected(argv[1]);
	take(&greeting, 1);
	if (greeting) {
		fprintf(stderr, "muse_client: refused\n");
		return EXIT_FAILURE;
	}
	count = create("TAU_count", count_options, 8);
	add_filter(count, "process_filter", me, 3);
	sent = create("accumulator", "", 1);
	add_filter(sent, "socket_filter", me, 3);
	received = create("accumulator", "", 1);
	add_filter(received, "socket_filter", me, 4);
	all = create("bandwidth", second, 16);
	add_filter(all, "socket_filter", me, 0);
	tcp = create("tcpbandwidth", second, 16);
	add_filter(tcp, "socket_filter", me, 0);
	markers = create("TAU_count", count_options, 8);
	/* Who comes by the network may not ask for these. */
	add_filter(markers, "process_filter", ALL_PROCESSES,
		   argv[1][0] == '/' ? MARKER : 3);
	scheduling = create("process_scheduling", "", 0);
	add_filter(scheduling, "process_filter", me, 258);
	add_filter(scheduling, "process_filter", me, 259);
	handlers_began = nanos(CLOCK_MONOTONIC);
	for (int handler = 1; handler < scheduling; handler++)
		ask_of(START, handler);

	began = nanos(CLOCK_MONOTONIC);
	cpu_began = nanos(CLOCK_PROCESS_CPUTIME_ID);
	switches_began = switches();
	ask_of(START, scheduling);
	switches_began_after = switches();
	cpu_began_after = nanos(CLOCK_PROCESS_CPUTIME_ID);
	began_after = nanos(CLOCK_MONOTONIC);

	send_datagrams();
	send_segments();
	write_markers(argv[2]);
	compute_and_sleep();

	printf("least_total_ns %lld\n", nanos(CLOCK_MONOTONIC) - began_after);
	printf("least_busy_ns %lld\n",
	       nanos(CLOCK_PROCESS_CPUTIME_ID) - cpu_began_after);
	printf("least_switches %ld\n", switches() - switches_began_after);
	fflush(stdout);
	tell_scheduling("told", scheduling);
	printf("most_switches %ld\n", switches() - switches_began);
	printf("most_busy_ns %lld\n",
	       nanos(CLOCK_PROCESS_CPUTIME_ID) - cpu_began);
	printf("most_total_ns %lld\n", nanos(CLOCK_MONOTONIC) - began);

	printf("sends %u\n", u32(query(count, 4)));
	printf("bytes_sent %ju\n", (uintmax_t)u64(query(sent, 8)));
	printf("bytes_received %ju\n", (uintmax_t)u64(query(received, 8)));
	printf("markers %u\n", u32(query(markers, 4)));
	tell_bandwidth("all", all);
	tell_bandwidth("tcp", tcp);
	printf("handlers_ns %lld\n", nanos(CLOCK_MONOTONIC) - handlers_began);

	ask_of(STOP, scheduling);
	tell_scheduling("stopped", scheduling);
	tell_scheduling("still", scheduling);
	ask_of(DESTROY, scheduling);
	put_u8(QUIT);
	put_u32(0);
	ask(0);
	if (recv(server, &greeting, 1, 0) != 0)
		fail("quit");
	return 0;
}
