/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _MAGNET_WRITTEN_TIME_H
#define _MAGNET_WRITTEN_TIME_H

#include <linux/types.h>

u64 magnet_written_us(const char *text);

#endif /* _MAGNET_WRITTEN_TIME_H */
