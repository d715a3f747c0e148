/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places in the kernel's code, by the name that a user gives them.
 */
#ifndef _MAGNET_SYMBOL_H
#define _MAGNET_SYMBOL_H

#include <linux/kallsyms.h>
#include <linux/netlink.h>
#include <linux/types.h>

/**
 * struct magnet_place - an instruction of the kernel
 * @symbol: function, or module:function; empty when only @address is given
 * @offset: from its start
 * @address: where a probe really goes, as of the last look
 * @entry: it is where a function starts
 * @ftrace: there is a location of ftrace
 */
struct magnet_place {
	char		symbol[KSYM_NAME_LEN];
	unsigned long	offset;
	unsigned long	address;
	bool		entry;
	bool		ftrace;
};

int magnet_place_parse(struct magnet_place *place, const char *text,
		       struct netlink_ext_ack *extack);
bool magnet_place_exists(struct magnet_place *place);
void magnet_place_describe(const struct magnet_place *place, char *text, size_t size);
int magnet_place_find(struct magnet_place *place, struct netlink_ext_ack *extack);

#endif /* _MAGNET_SYMBOL_H */
