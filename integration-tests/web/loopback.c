// SPDX-License-Identifier: Apache-2.0
/*
 * Preloaded into gmetad, which listens on every address and has no option for it: what it binds to every address is
 * bound to the loopback address.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
	struct sockaddr_in loopback;

	if (address->sa_family != AF_INET || length < sizeof(loopback))
		return next(fd, address, length);
	loopback = *(const struct sockaddr_in *)address;
	if (loopback.sin_addr.s_addr == htonl(INADDR_ANY))
		loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return next(fd, (struct sockaddr *)&loopback, length);
}
