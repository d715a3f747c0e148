/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _GTRACE_EVENT_FIFO_H
#define _GTRACE_EVENT_FIFO_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/types.h>

#include <uapi/magnet_gtrace.h>

void gtrace_fifo_put(const struct gtrace_event *event);
bool gtrace_fifo_take(struct gtrace_event *event);
u64 gtrace_fifo_lost(void);
__poll_t gtrace_fifo_poll(struct file *file, poll_table *wait);
int gtrace_fifo_fasync(int fd, struct file *file, int on);
void gtrace_fifo_exit(void);

#endif /* _GTRACE_EVENT_FIFO_H */
