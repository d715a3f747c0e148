// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings look as if a handler were stuck in the middle of a record, while a
 * request gives a buffer's memory to others; afterwards they are as they were.
 * Which rings, and from when on, is said in sysfs.
 */
#define pr_fmt(fmt) "magnet_stuck: " fmt

#include <linux/bitops.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "../../ring/buffer.h"

static ulong rings;
module_param(rings, ulong, 0644);
MODULE_PARM_DESC(rings, "the CPUs whose rings get stuck, a bit each");

static bool late;
module_param(late, bool, 0644);
MODULE_PARM_DESC(late, "when the first ring's memory has been exchanged, instead of at once");

/* One request at a time: magnet_mutex. */
static struct magnet_buffer *buffer;
static bool stuck;

/* The end publishes what came in between, such as CLOCK records, as a handler's does. */
static void hold_rings(bool begin)
{
	unsigned long head;
	unsigned int cpu;

	for_each_set_bit(cpu, &rings, min_t(unsigned int, nr_cpu_ids, BITS_PER_LONG)) {
		if (!buffer->cpu[cpu])
			continue;
		if (begin)
			local_inc(&buffer->cpu[cpu]->ring.nest);
		else
			magnet_ring_publish(&buffer->cpu[cpu]->ring, &head);
	}
}

static void get_stuck(void)
{
	if (!buffer || stuck)
		return;
	stuck = true;
	hold_rings(true);
}

/* The first argument of magnet_buffer_snapshot() and magnet_buffer_resize(). */
static int on_request(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	buffer = (struct magnet_buffer *)regs_get_kernel_argument(regs, 0);
	if (!late)
		get_stuck();
	return 0;
}

static int on_answer(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (stuck)
		hold_rings(false);
	stuck = false;
	buffer = NULL;
	return 0;
}

static int on_exchanged(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (late && !(int)regs_return_value(regs))
		get_stuck();
	return 0;
}

static struct kretprobe snapshot = {
	.kp.symbol_name = "magnet:magnet_buffer_snapshot",
	.entry_handler = on_request,
	.handler = on_answer,
};

static struct kretprobe resize = {
	.kp.symbol_name = "magnet:magnet_buffer_resize",
	.entry_handler = on_request,
	.handler = on_answer,
};

static struct kretprobe handed_over = {
	.kp.symbol_name = "magnet:magnet_ring_hand_over",
	.handler = on_exchanged,
};

static struct kretprobe exchanged = {
	.kp.symbol_name = "magnet:magnet_ring_exchange",
	.handler = on_exchanged,
};

static struct kretprobe *probes[] = { &snapshot, &resize, &handed_over, &exchanged };

static int __init stuck_init(void)
{
	return register_kretprobes(probes, ARRAY_SIZE(probes));
}

static void __exit stuck_exit(void)
{
	unregister_kretprobes(probes, ARRAY_SIZE(probes));
}

module_init(stuck_init);
module_exit(stuck_exit);

MODULE_DESCRIPTION("Rings with handlers that get stuck, to test magnet");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");
