/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink requests piece by piece, good and bad, and what comes back.
 */
#ifndef MAGNET_GUEST_REQUEST_H
#define MAGNET_GUEST_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "magnet_ctl.h"

struct request {
	struct nlmsghdr		nl;
	struct genlmsghdr	genl;
	char			attrs[8192];
};

/* Attributes of a message, or those inside a nest. */
struct attrs {
	const void	*at;
	size_t		len;
};

/* What a request led to. */
struct answer {
	int		error;		/* 0 or -errno */
	char		text[256];	/* the extended acknowledgment's, or "" */
	unsigned int	messages;	/* replies, without the acknowledgment */
	unsigned int	datagrams;	/* that they came in */
	bool		interrupted;	/* a dump was not of one moment */
};

typedef void (*answer_fn)(struct attrs attrs, void *arg);

void request_begin(struct request *r, const struct magnet_ctl *ctl, uint8_t cmd);
void request_put(struct request *r, uint16_t type, const void *data, size_t len);
void request_put_u32(struct request *r, uint16_t type, uint32_t value);
void request_put_u64(struct request *r, uint16_t type, uint64_t value);
void request_put_text(struct request *r, uint16_t type, const char *text);

/* Send it and wait for the end; @fn sees each reply and may be NULL. */
struct answer request_send(struct request *r, struct magnet_ctl *ctl, answer_fn fn, void *arg);
struct answer request_dump(struct magnet_ctl *ctl, uint8_t cmd, answer_fn fn, void *arg);
/* One attribute of what the module says of itself. */
uint32_t request_info_u32(struct magnet_ctl *ctl, uint16_t type);
/* The same in steps: some replies, and whether there are more. */
void request_post(struct request *r, struct magnet_ctl *ctl);
bool request_receive(struct magnet_ctl *ctl, answer_fn fn, void *arg, struct answer *answer);

/* The next attribute; false at the end. */
bool attrs_next(struct attrs *attrs, uint16_t *type, struct attrs *value);
bool attrs_find(struct attrs attrs, uint16_t type, struct attrs *value);
bool attrs_has(struct attrs attrs, uint16_t type);
/* Missing ones end the test. */
uint16_t attrs_u16(struct attrs attrs, uint16_t type);
uint32_t attrs_u32(struct attrs attrs, uint16_t type);
uint64_t attrs_u64(struct attrs attrs, uint16_t type);
const char *attrs_text(struct attrs attrs, uint16_t type);

#endif
