// SPDX-License-Identifier: GPL-2.0-only
/*
 * CLOCK_MONOTONIC goes ahead of the timer, as to whoever asks for it as handlers
 * do: by how much is said in sysfs, in nanoseconds. To magnet the timer jumped.
 * Where the kernel can call a TSC unstable, sysfs says as well whether it has.
 */
#define pr_fmt(fmt) "magnet_jump: " fmt

#include <linux/kprobes.h>
#include <linux/module.h>

static ulong ahead;
module_param(ahead, ulong, 0644);
MODULE_PARM_DESC(ahead, "nanoseconds that are added to CLOCK_MONOTONIC");

static int on_answer(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	regs_set_return_value(regs, regs_return_value(regs) + READ_ONCE(ahead));
	return 0;
}

#ifdef CONFIG_X86_TSC
static bool unstable;
module_param(unstable, bool, 0644);
MODULE_PARM_DESC(unstable, "the kernel calls the TSC unstable");

static int on_stability(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	if (READ_ONCE(unstable))
		regs_set_return_value(regs, 1);
	return 0;
}

static struct kretprobe stability = {
	.kp.symbol_name = "check_tsc_unstable",
	.handler = on_stability,
	.maxactive = 256,
};

static int watch_stability(void)
{
	return register_kretprobe(&stability);
}

static void leave_stability(void)
{
	unregister_kretprobe(&stability);
}
#else
static int watch_stability(void)
{
	return 0;
}

static void leave_stability(void)
{
}
#endif

/* One that is missed would look like another jump. */
static struct kretprobe monotonic = {
	.kp.symbol_name = "ktime_get_mono_fast_ns",
	.handler = on_answer,
	.maxactive = 256,
};

static int __init jump_init(void)
{
	int err = register_kretprobe(&monotonic);

	if (err)
		return err;
	err = watch_stability();
	if (err)
		unregister_kretprobe(&monotonic);
	return err;
}

static void __exit jump_exit(void)
{
	leave_stability();
	unregister_kretprobe(&monotonic);
	if (monotonic.nmissed)
		pr_err("%d answers were not changed\n", monotonic.nmissed);
}

module_init(jump_init);
module_exit(jump_exit);

MODULE_DESCRIPTION("A clock that jumps, to test magnet");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");
