/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers and subscriptions as lines of text.
 */
#ifndef _MAGNET_SHOW_H
#define _MAGNET_SHOW_H

struct seq_file;

void magnet_buffers_show(struct seq_file *m);
void magnet_filters_show(struct seq_file *m);
void magnet_stats_show(struct seq_file *m);

#endif /* _MAGNET_SHOW_H */
