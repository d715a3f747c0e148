// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest.h"
#include "namespace.h"

void namespace_enter(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	const int fd = unshare(CLONE_NEWNET) ? -1 : socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	NEED(fd >= 0 && !ioctl(fd, SIOCSIFFLAGS, &request), "no network: %s", strerror(errno));
	close(fd);
}

/* The @n-th word of a line, or NULL; the line is cut there. */
static char *word(char *line, unsigned int n)
{
	char *at = line;

	while (at && n--) {
		at = strchr(at, ' ');
		at += !!at;
	}
	if (at)
		at[strcspn(at, "\n ")] = '\0';
	return at;
}

/* The value that stands below the name. */
static long long below(const char *names, char *values, const char *name)
{
	char line[4096], *at;
	unsigned int n;

	for (n = 0; snprintf(line, sizeof(line), "%s", names), (at = word(line, n)); n++)
		if (!strcmp(at, name))
			return atoll(word(values, n));
	return -1;
}

/* Two lines for each protocol: the names, then the values. */
long long namespace_counter(const char *protocol, const char *name)
{
	FILE *f = fopen("/proc/thread-self/net/snmp", "r");
	const size_t len = strlen(protocol);
	char names[4096], values[4096];
	long long value = -1;

	NEED(f, "/proc/net/snmp: %s", strerror(errno));
	while (value < 0 && fgets(names, sizeof(names), f) && fgets(values, sizeof(values), f))
		if (!strncmp(names, protocol, len) && names[len] == ':')
			value = below(names, values, name);
	fclose(f);
	NEED(value >= 0, "/proc/net/snmp has no %s %s", protocol, name);
	return value;
}

static socklen_t loopback(int family, struct sockaddr_storage *a)
{
	struct sockaddr_in6 *v6 = (void *)a;
	struct sockaddr_in *v4 = (void *)a;

	memset(a, 0, sizeof(*a));
	a->ss_family = family;
	if (family == AF_INET)
		v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		v6->sin6_addr = in6addr_loopback;
	return family == AF_INET ? sizeof(*v4) : sizeof(*v6);
}

void namespace_connect(int family, int fds[2])
{
	const int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage a;
	socklen_t len = loopback(family, &a);
	int on = 1;

	fds[0] = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	NEED(!bind(listener, (void *)&a, len) && !listen(listener, 1) &&
	     !getsockname(listener, (void *)&a, &len) &&
	     !connect(fds[0], (void *)&a, len), "connect: %s", strerror(errno));
	fds[1] = accept(listener, NULL, NULL);
	NEED(fds[1] >= 0, "accept: %s", strerror(errno));
	setsockopt(fds[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fds[1], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	close(listener);
}
