/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of other modules.
 */
#ifndef _MAGNET_OWN_EVENT_H
#define _MAGNET_OWN_EVENT_H

struct magnet_point;

int magnet_own_event_attach(struct magnet_point *point);
void magnet_own_event_detach(struct magnet_point *point);

#endif /* _MAGNET_OWN_EVENT_H */
