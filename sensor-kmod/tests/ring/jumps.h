/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MAGNET_RING_JUMPS_H
#define MAGNET_RING_JUMPS_H

void timer_is_explained(void);
void first_look_is_no_jump(void);
void jump_is_seen_once(void);
void older_look_says_nothing(void);

#endif
