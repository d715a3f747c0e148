/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of test-shortage share: the machinery, and their tests.
 */
#ifndef MAGNET_GUEST_SHORTAGE_H
#define MAGNET_GUEST_SHORTAGE_H

#include <stdint.h>

#include "magnet_ctl.h"

#define BUFFER	"short"

extern struct magnet_ctl ctl;
extern uint32_t sub;

/* From here on allocations fail when they are told to. */
void begin(void);
void begin_with_buffer(void);
int new_buffer(void);
void nothing(void);

/*
 * @act, which returns a negative errno when it is refused, while each of its
 * allocations fails once: afterwards, when @undo was called, all is as before.
 * @check, which may be NULL, is called where @act was not refused.
 */
void each_allocation(int (*act)(void), void (*undo)(void), void (*check)(void));
/* The same for what removes what @make makes, under other ids each time. */
void each_allocation_of_removal(void (*make)(void), int (*act)(void));

/* shortage_requests.c: every command */
void buffer_new(void);
void buffer_del(void);
void buffer_resize(void);
void buffer_snapshot(void);
void buffer_get(void);
void sub_new_of_ftrace(void);
void sub_new_of_tracepoint(void);
void sub_new_of_marker(void);
void sub_new_with_wishes(void);
void sub_new_of_kprobe(void);
void sub_new_of_kretprobe(void);
void sub_set(void);
void sub_del(void);
void sub_get(void);
void rule_new(void);
void rule_del(void);
void rule_get(void);
void correlation_new_of_burst(void);
void correlation_new_of_pair(void);
void correlation_del(void);
void correlation_get(void);
void drop_reason_get(void);
void point_insert_kprobe(void);
void point_insert_kretprobe(void);
void point_insert_ftrace(void);
void point_insert_tracepoint(void);
void point_remove(void);
void point_set(void);
void point_set_of_a_guard(void);
void point_get(void);
void info_get(void);
void shutdown_of_all(void);

/* shortage_files.c */
void open_of_a_node(void);
void open_of_a_debugfs_file(void);
void open_of_merged_in_debugfs(void);
void marker(void);
void control_files(void);
void signals(void);
void aio_read(void);
void epoll(void);
void splice_to_a_pipe(void);

#endif
