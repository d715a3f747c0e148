// SPDX-License-Identifier: Apache-2.0
/*
 * witness_load COUNT: waits for a line of input, then does COUNT of each:
 * system calls, messages over a TCP connection to itself, datagrams to a port
 * where nobody is, pages touched, and a hundredth of that in children and in
 * bytes to a child that waits for them. Then it ends. What it does is a bit of all that can be counted from outside.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESSAGE	64

static int connection(int fds[2])
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int listener = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(a);

	fds[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&a, len) || listen(listener, 1) ||
	    getsockname(listener, (void *)&a, &len) || connect(fds[0], (void *)&a, len))
		return -1;
	fds[1] = accept(listener, NULL, NULL);
	close(listener);
	return fds[1];
}

static int messages(unsigned int n)
{
	char data[MESSAGE] = "magnet";
	int fds[2];

	if (connection(fds) < 0)
		return -1;
	while (n--)
		if (send(fds[0], data, MESSAGE, 0) != MESSAGE ||
		    recv(fds[1], data, MESSAGE, MSG_WAITALL) != MESSAGE)
			return -1;
	return 0;
}

/* Port 9 is free in a guest. */
static int datagrams(unsigned int n)
{
	const struct sockaddr_in nobody = { .sin_family = AF_INET, .sin_port = htons(9),
					    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);

	while (n--)
		if (sendto(fd, "magnet", 6, 0, (const void *)&nobody, sizeof(nobody)) != 6)
			return -1;
	return 0;
}

static int pages(unsigned int n)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, n * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	/* Each page is a fault of its own. */
	if (p == MAP_FAILED || madvise(p, n * size, MADV_NOHUGEPAGE))
		return -1;
	for (i = 0; i < n; i++)
		*(volatile char *)(p + i * size) = 1;
	return 0;
}

/* The child answers each byte, so that it sleeps when the next one comes. */
static int bytes(unsigned int n)
{
	int there[2], back[2];
	char byte = 0;

	if (pipe(there) || pipe(back))
		return -1;
	if (!fork()) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	while (n--)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return -1;
	close(there[1]);
	wait(NULL);
	return 0;
}

static void children(unsigned int n)
{
	while (n--) {
		if (!fork())
			_exit(0);
		wait(NULL);
	}
}

int main(int argc, char **argv)
{
	const unsigned int count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned int i;
	char line;

	if (!count) {
		fprintf(stderr, "usage: witness_load COUNT\n");
		return 2;
	}
	if (read(STDIN_FILENO, &line, 1) != 1)
		return 1;
	for (i = 0; i < count; i++)
		syscall(SYS_getppid);
	if (messages(count) || datagrams(count) || pages(count) || bytes(count / 100)) {
		perror("witness_load");
		return 1;
	}
	children(count / 100);
	return 0;
}
