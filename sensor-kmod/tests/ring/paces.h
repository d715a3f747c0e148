/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MAGNET_RING_PACES_H
#define MAGNET_RING_PACES_H

void one_in_a_time_comes(void);
void bucket_lets_through(void);
void bucket_keeps_its_rate(void);
void bucket_begins_anew(void);

#endif
