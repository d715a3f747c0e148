/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef MAGNET_BENCH_H
#define MAGNET_BENCH_H

struct seq_file;

int reference_hook(const char *function, const char *tracepoint);
void reference_unhook(void);

int steps_show(struct seq_file *m, void *unused);

#endif
