/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clients: the netlink sockets that own things, and their end.
 */
#ifndef _MAGNET_CLIENT_H
#define _MAGNET_CLIENT_H

#include <linux/types.h>

struct magnet_client;

int magnet_clients_init(void);
void magnet_clients_exit(void);
struct magnet_client *magnet_client_of(u32 portid);
void magnet_reap_clients(void);
void magnet_end_all(void);

#endif /* _MAGNET_CLIENT_H */
