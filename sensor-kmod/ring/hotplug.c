// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUs that come: every buffer gets a ring for each. A ring stays when its CPU
 * goes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/poll.h>
#include <linux/printk.h>

#include "buffer.h"
#include "clock_record.h"
#include "epoch.h"
#include "hotplug.h"

static enum cpuhp_state state;

/* A CPU comes up: every buffer gets a ring for it before it can log. */
static int cpu_prepare(unsigned int cpu)
{
	struct magnet_buffer *buffer;
	struct magnet_writer *writer;
	int err = 0;

	mutex_lock(&magnet_buffers_lock);
	list_for_each_entry(buffer, &magnet_buffers, node) {
		if (magnet_buffer_dead(buffer))
			continue;
		if (buffer->cpu[cpu]) {
			/* After a suspend, say. It is not there yet, so we may. */
			if (!magnet_epoch_told(buffer->cpu[cpu]))
				magnet_log_clock(buffer->cpu[cpu]);
			continue;
		}
		if (magnet_buffer_add_ring(buffer, cpu))
			pr_warn("no memory for buffer %s on CPU %u: its events there are counted as dropped\n",
				buffer->name, cpu);
		/* Not even to count what is dropped. */
		if (!buffer->cpu[cpu]) {
			err = -ENOMEM;
			break;
		}
		list_for_each_entry(writer, &buffer->writers, node)
			writer->bind(writer, buffer->cpu[cpu]);
		magnet_buffer_show_ring(buffer->cpu[cpu]);
		/* Who reads all rings sets its wake point in this one, too. */
		wake_up_interruptible_poll(&buffer->wait, EPOLLIN | EPOLLRDNORM);
	}
	mutex_unlock(&magnet_buffers_lock);
	return err;
}

/**
 * magnet_hotplug_init() - from now on CPUs that come get rings
 *
 * Context: may sleep.
 * Return: 0 or an error.
 */
int magnet_hotplug_init(void)
{
	const int got = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "magnet:prepare",
						  cpu_prepare, NULL);

	if (got < 0)
		return got;
	state = got;
	return 0;
}

/* The reverse. */
void magnet_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(state);
}
