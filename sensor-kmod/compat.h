/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between kernels, and nothing else does. No version numbers:
 * stable updates change signatures too.
 */
#ifndef _MAGNET_COMPAT_H
#define _MAGNET_COMPAT_H

#include <linux/device.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>

#ifndef CONFIG_CGROUPS
#error "the kernel is built without cgroups, by which magnet says whose events are these"
#endif

/*
 * The n-th argument of the function whose entry was hooked. The registers of
 * the arguments are saved even without FTRACE_OPS_FL_SAVE_REGS.
 */
#ifdef ftrace_regs_get_argument
#define magnet_arg(fregs, n)	((void *)ftrace_regs_get_argument(fregs, n))
#elif defined(MAGNET_HAS_FTRACE_REGS_GET_ARGUMENT)
#define magnet_arg(fregs, n)	((void *)ftrace_regs_get_argument(fregs, n))
#else
#define magnet_arg(fregs, n)	((void *)regs_get_kernel_argument(&(fregs)->regs, n))
#endif

/* device_type.devnode: some kernels hand it a const device. */
#define magnet_devnode(plain, constant)						\
	__builtin_choose_expr(__same_type(((struct device_type *)NULL)->devnode,	\
					  (char *(*)(struct device *, umode_t *,	\
						     kuid_t *, kgid_t *))NULL),		\
			      plain, constant)

/*
 * Of two handlers the one that fits the tracepoint: @first when its arguments
 * are those given, else @second. <trace/events/...> must be included, and
 * check_trace_callback_type_...() refuses what fits neither way.
 */
#define magnet_pick_handler(tracepoint, first, second, ...)			\
	__builtin_choose_expr(__same_type(&check_trace_callback_type_##tracepoint,	\
					  (void (*)(void (*)(void *, __VA_ARGS__)))NULL),	\
			      first, second)

/* Some kernels have these of __def_gfpflag_names apart, in <trace/events/mmflags.h>. */
#ifdef MAGNET_HAS_GFP_NAMES_KASAN
#define MAGNET_GFP_NAMES_KASAN	__def_gfpflag_names_kasan
#else
#define MAGNET_GFP_NAMES_KASAN
#endif

/* MAGNET_COPY_SPLICE_READ: Kbuild tries it. */
#ifdef MAGNET_COPY_SPLICE_READ
#define magnet_splice_read	copy_splice_read
#else
#define magnet_splice_read	generic_file_splice_read
#endif

/* Is it a request of io_submit(2)? A kernel that does not tell lets it wait as read(2) does. */
#ifdef IOCB_AIO_RW
#define magnet_is_aio(iocb)	((iocb)->ki_flags & IOCB_AIO_RW)
#else
#define magnet_is_aio(iocb)	false
#endif

/*
 * The processor's counter: the TSC, and on arm64 the virtual one of the system
 * counter, CNTVCT_EL0, which all processors share. Some chips read it wrong now
 * and then, and the kernel has a way around: there, as on other processors,
 * time stamps are CLOCK_MONOTONIC.
 * The header that declares rdtsc_ordered() was once the other one.
 */
#ifdef CONFIG_X86
#include <asm/msr.h>
#include <asm/tsc.h>
#define magnet_tsc()		rdtsc_ordered()
#define magnet_tsc_khz()	tsc_khz
#define magnet_tsc_stable()	(tsc_khz && !check_tsc_unstable())
#elif defined(CONFIG_ARM64)
#include <asm/arch_timer.h>
#define magnet_tsc()		__arch_counter_get_cntvct()
#define magnet_tsc_khz()	(arch_timer_get_cntfrq() / 1000)
static inline bool magnet_tsc_stable(void)
{
	const struct arch_timer_erratum_workaround *around;
	int cpu;

	if (!magnet_tsc_khz())
		return false;
	if (!IS_ENABLED(CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND))
		return true;
	for_each_possible_cpu(cpu) {
		around = per_cpu(timer_unstable_counter_workaround, cpu);
		if (around && around->read_cntvct_el0)
			return false;
	}
	return true;
}
#else
#define magnet_tsc()		0
#define magnet_tsc_khz()	0
#define magnet_tsc_stable()	false
#endif

/* What runs with one CPU and interrupts off when the machine wakes up. */
#ifdef MAGNET_HAS_SYSCORE
#define MAGNET_SYSCORE_OPS(name, fn)						\
	static void name##_resume(void *unused) { fn(); }			\
	static const struct syscore_ops name##_ops = { .resume = name##_resume };	\
	static struct syscore name = { .ops = &name##_ops }
#define magnet_register_syscore(s)	register_syscore(s)
#define magnet_unregister_syscore(s)	unregister_syscore(s)
#else
#define MAGNET_SYSCORE_OPS(name, fn)	static struct syscore_ops name = { .resume = fn }
#define magnet_register_syscore(s)	register_syscore_ops(s)
#define magnet_unregister_syscore(s)	unregister_syscore_ops(s)
#endif

/* MAGNET_HAS_...: Kbuild has looked for it. */
#ifndef MAGNET_HAS_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Have kprobes put a jump in place of this one's breakpoint? Some kernels never do. */
#ifdef CONFIG_OPTPROBES
static inline bool magnet_kprobe_is_jump(const struct kprobe *kp)
{
	const struct optimized_kprobe *op = container_of(kp, struct optimized_kprobe, kp);

	/* While it is on a list the change is still to come, or half undone. */
	return kprobe_optimized((struct kprobe *)kp) && list_empty(&op->list);
}
#else
static inline bool magnet_kprobe_is_jump(const struct kprobe *kp)
{
	return false;
}
#endif

/* Where can an instruction begin? */
#ifdef CONFIG_ARM64
#define MAGNET_INSTRUCTION_ALIGN	AARCH64_INSN_SIZE
#else
#define MAGNET_INSTRUCTION_ALIGN	1
#endif

/* Does a thread never leave the kernel? Threads of vhost have a flag of their own in newer ones. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	0
#endif
static __always_inline bool magnet_is_kernels(const struct task_struct *task)
{
	return task->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER);
}

/*
 * Is a thread that does not run inside a system call? Where the processor's way
 * in says so: x86 writes -ENOSYS in place of the result until there is one, so
 * that a thread which was taken off the CPU after its call, on the way out, is
 * told from one inside.
 */
static __always_inline bool magnet_in_syscall(struct task_struct *task)
{
	struct pt_regs *regs = task_pt_regs(task);

	if (syscall_get_nr(task, regs) == -1)
		return false;
#ifdef CONFIG_X86
	return (long)regs->ax == -ENOSYS;
#else
	return true;
#endif
}

/*
 * What x86's local APIC brings, the timer that each CPU has and what CPUs ask of
 * each other, has tracepoints of its own. On arm64 these are interrupts like any
 * other.
 */
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/trace/irq_vectors.h>
#define MAGNET_HAS_IRQ_VECTORS
#define magnet_check_irq_vector(handler)					\
	check_trace_callback_type_local_timer_entry(handler)
#else
#define magnet_check_irq_vector(handler)	((void)(handler))
#endif

/* Page faults are x86's tracepoints. */
#ifdef CONFIG_X86
#ifdef MAGNET_HAS_TRACE_EVENTS_EXCEPTIONS
#include <trace/events/exceptions.h>
#else
#include <asm/trace/exceptions.h>
#endif
#endif

/* Without memory control groups their tracepoints are missing, and do not resolve. */
#ifdef CONFIG_MEMCG
#define magnet_check_memcg_reclaim(begin, end)					\
	do {									\
		check_trace_callback_type_mm_vmscan_memcg_reclaim_begin(begin);	\
		check_trace_callback_type_mm_vmscan_memcg_reclaim_end(end);	\
	} while (0)
#else
#define magnet_check_memcg_reclaim(begin, end)	((void)(begin), (void)(end))
#endif

#endif /* _MAGNET_COMPAT_H */
