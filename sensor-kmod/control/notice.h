/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notices: what is told to whoever listens, without having been asked.
 */
#ifndef _MAGNET_NOTICE_H
#define _MAGNET_NOTICE_H

void magnet_notices_start(void);
void magnet_notices_stop(void);
void magnet_notices_of_loss(void);
void magnet_notices_of_urgent(void);

#endif /* _MAGNET_NOTICE_H */
