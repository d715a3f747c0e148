/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waking who waits for records.
 */
#ifndef _MAGNET_WAKE_H
#define _MAGNET_WAKE_H

struct magnet_buffer;
struct magnet_cpu_buffer;

void magnet_wake_init(struct magnet_cpu_buffer *cb);
void magnet_wake_readers(struct magnet_buffer *buffer);

#endif /* _MAGNET_WAKE_H */
