/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A network of the test's own, and what its kernel counts in it.
 */
#ifndef MAGNET_GUEST_NAMESPACE_H
#define MAGNET_GUEST_NAMESPACE_H

/* From here on this thread has a network namespace of its own, loopback up. */
void namespace_enter(void);

/* /proc/net/snmp of it: namespace_counter("Udp", "NoPorts"). */
long long namespace_counter(const char *protocol, const char *name);

/* A connection to itself over 127.0.0.1 or ::1: @fds[0] connected to @fds[1]. */
void namespace_connect(int family, int fds[2]);

#endif
