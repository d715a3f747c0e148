// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the kernel calls anybody at kprobes: kprobes/enabled in debugfs. The
 * variable is nobody's but the kernel's, no registration fails for it, and the
 * file is root's. So one more kprobe is set while points are kprobes, where
 * nobody comes by: its instruction is the original one when all are disarmed.
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>

#include "probes/kprobe_state.h"

static noinline notrace void nobody_comes_by(void)
{
	asm volatile("nop");
}

/* For what follows. Who asks takes it alone: magnet_mutex may be held long. */
static DEFINE_MUTEX(witness_lock);
static struct kprobe witness;
static unsigned int watched;
static bool armed;

static void set_witness(void)
{
	witness = (struct kprobe){ .addr = (kprobe_opcode_t *)nobody_comes_by };
	/* Without it nothing is said of them. */
	armed = !register_kprobe(&witness);
}

static void remove_witness(void)
{
	if (armed)
		unregister_kprobe(&witness);
	armed = false;
}

/**
 * magnet_kprobes_watch() - a point is hooked by a kprobe
 *
 * Context: may sleep.
 */
void magnet_kprobes_watch(void)
{
	mutex_lock(&witness_lock);
	if (!watched++)
		set_witness();
	mutex_unlock(&witness_lock);
}

/**
 * magnet_kprobes_unwatch() - the reverse
 *
 * Context: may sleep.
 */
void magnet_kprobes_unwatch(void)
{
	mutex_lock(&witness_lock);
	if (!--watched)
		remove_witness();
	mutex_unlock(&witness_lock);
}

/**
 * magnet_kprobes_disabled() - are kprobes of ours disarmed?
 *
 * Context: may sleep.
 * Return: false also when no point is a kprobe.
 */
bool magnet_kprobes_disabled(void)
{
	bool disabled;

	mutex_lock(&witness_lock);
	disabled = armed && READ_ONCE(*witness.addr) == witness.opcode;
	mutex_unlock(&witness_lock);
	return disabled;
}
