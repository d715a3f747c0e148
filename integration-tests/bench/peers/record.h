/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* What the BPF programs write for each event: 40 bytes, as much as magnet's record of a function entry. */
#ifndef RECORD_H
#define RECORD_H

#include <linux/types.h>

struct record {
	__u32	size;
	__u16	cpu;
	__u16	event;
	__u32	tgid;
	__u32	tid;
	__u64	time;
	__u64	argument[2];
};

#endif
