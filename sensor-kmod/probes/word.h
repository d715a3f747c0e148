/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the running kernel calls numbers that records have and that each kernel
 * counts in its own way.
 */
#ifndef _MAGNET_PROBES_WORD_H
#define _MAGNET_PROBES_WORD_H

struct seq_file;

void magnet_words_show(struct seq_file *m);

#endif /* _MAGNET_PROBES_WORD_H */
