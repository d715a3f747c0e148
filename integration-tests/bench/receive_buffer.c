// SPDX-License-Identifier: Apache-2.0
/*
 * Preloaded into gmond: a socket gets the receive buffer that it asks for, as it would if net.core.rmem_max, which is one
 * for the whole machine, were high enough. Needs CAP_NET_ADMIN.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>

int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
	int (*next)(int, int, int, const void *, socklen_t) = dlsym(RTLD_NEXT, "setsockopt");

	if (level == SOL_SOCKET && name == SO_RCVBUF)
		name = SO_RCVBUFFORCE;
	return next(fd, level, name, value, length);
}
