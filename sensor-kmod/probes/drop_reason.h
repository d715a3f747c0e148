/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why the running kernel throws packets away.
 */
#ifndef _MAGNET_PROBES_DROP_REASON_H
#define _MAGNET_PROBES_DROP_REASON_H

#include <linux/types.h>

/**
 * struct magnet_drop_reason - why the running kernel throws a packet away
 * @number: as in struct magnet_drop
 * @name: the kernel's, without SKB_DROP_REASON_
 */
struct magnet_drop_reason {
	u32		number;
	const char	*name;
};

const struct magnet_drop_reason *magnet_drop_reason_nth(unsigned int n);

#endif /* _MAGNET_PROBES_DROP_REASON_H */
