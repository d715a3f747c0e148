// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can only be tested inside the kernel: parts of the module, compiled a
 * second time. Loading it runs the tests, which report in the kernel's log, and
 * fails if one of them did.
 */
#define pr_fmt(fmt) "magnet_test: " fmt

#include "../../kernevesub/counters.c"

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>

static unsigned int complaints;

#define EXPECT(cond, fmt, ...)						\
do {									\
	if (!(cond)) {							\
		pr_info("# line %d: " fmt "\n", __LINE__, ##__VA_ARGS__);	\
		complaints++;						\
	}								\
} while (0)

/* ---- on one CPU ---- */

struct reading {
	const struct magnet_counters_set	*set;
	u64					before;
	u64					values[MAGNET_COUNTERS_MAX];
	u64					after;
};

/* In an interrupt, or with preemption off. */
static void read_here(void *info)
{
	struct reading *r = info;

	r->before = local_clock();
	magnet_counters_read(r->set, r->values);
	r->after = local_clock();
}

static struct reading read_on(const struct magnet_counters_set *set, int cpu)
{
	struct reading r = { .set = set };

	smp_call_function_single(cpu, read_here, &r, 1);
	return r;
}

static struct magnet_counters_set *make(u32 which)
{
	struct netlink_ext_ack extack = {};
	struct magnet_counters_set *set = magnet_counters_new(which, &extack);

	if (!IS_ERR(set))
		return set;
	EXPECT(false, "%#x: %ld %s", which, PTR_ERR(set), extack._msg ?: "");
	return NULL;
}

/* The clock is local_clock(), so that it can't count more or less than that. */
static void check_clock(const struct magnet_counters_set *set, int cpu)
{
	const struct reading a = read_on(set, cpu);
	struct reading b;
	u64 counted;

	msleep(20);
	b = read_on(set, cpu);
	counted = b.values[0] - a.values[0];
	EXPECT(a.values[0] != U64_MAX && b.values[0] != U64_MAX, "CPU %d can't be read", cpu);
	EXPECT(counted >= b.before - a.after && counted <= b.after - a.before,
	       "CPU %d counted %llu ns of %llu to %llu", cpu, counted, b.before - a.after,
	       b.after - a.before);
}

static void the_clock_counts(void)
{
	struct magnet_counters_set *set = make(MAGNET_COUNTER_CPU_CLOCK);
	int cpu;

	if (!set)
		return;
	for_each_online_cpu(cpu)
		check_clock(set, cpu);
	magnet_counters_put(set);
}

/* Each sleep is one at least. */
static void context_switches_count(void)
{
	struct magnet_counters_set *set = make(MAGNET_COUNTER_CONTEXT_SWITCHES);
	struct reading a, b;
	unsigned int i;

	if (!set)
		return;
	set_cpus_allowed_ptr(current, cpumask_of(0));
	a = read_on(set, 0);
	for (i = 0; i < 10; i++)
		msleep(20);
	b = read_on(set, 0);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	EXPECT(b.values[0] != U64_MAX, "it can't be read");
	EXPECT(b.values[0] - a.values[0] >= 10, "%llu switches", b.values[0] - a.values[0]);
	magnet_counters_put(set);
}

static void a_record_says_which(void)
{
	struct magnet_counters_set *set = make(MAGNET_COUNTER_CPU_CLOCK |
					       MAGNET_COUNTER_CONTEXT_SWITCHES);
	struct {
		struct magnet_counters	head;
		u64			values[3];
	} payload = { .values = { 1, 1, 1 } };

	if (!set)
		return;
	EXPECT(magnet_counters_size(set) == 24, "%u bytes", magnet_counters_size(set));
	preempt_disable();
	magnet_counters_write(set, &payload);
	preempt_enable();
	EXPECT(payload.head.which == (MAGNET_COUNTER_CPU_CLOCK | MAGNET_COUNTER_CONTEXT_SWITCHES),
	       "which is %#x", payload.head.which);
	EXPECT(payload.head.n == 2, "n is %u", payload.head.n);
	EXPECT(payload.values[0] > 1 && payload.values[0] != U64_MAX, "no clock");
	EXPECT(payload.values[1] != U64_MAX, "no context switches");
	EXPECT(payload.values[2] == 1, "it wrote behind its end");
	magnet_counters_put(set);
}

static void bad_sets_are_refused(void)
{
	static const u32 bad[] = { 0, 0x100, 0x1f, 0xff };
	struct netlink_ext_ack extack;
	struct magnet_counters_set *set;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		extack = (struct netlink_ext_ack){};
		set = magnet_counters_new(bad[i], &extack);
		EXPECT(PTR_ERR(set) == -EINVAL && extack._msg, "%#x gives %ld", bad[i],
		       PTR_ERR(set));
	}
}

/* A machine without a PMU says so; with one, it counts. */
static void cycles_count_or_are_refused(void)
{
	struct netlink_ext_ack extack = {};
	struct magnet_counters_set *set = magnet_counters_new(MAGNET_COUNTER_CYCLES, &extack);
	struct reading a, b;

	if (IS_ERR(set)) {
		pr_info("# no hardware counters here: %ld %s\n", PTR_ERR(set), extack._msg ?: "");
		EXPECT(extack._msg, "it does not say why");
		return;
	}
	a = read_on(set, 0);
	b = read_on(set, 0);
	EXPECT(b.values[0] > a.values[0] && b.values[0] != U64_MAX, "%llu, then %llu",
	       a.values[0], b.values[0]);
	magnet_counters_put(set);
}

static void a_cpu_that_comes_back_counts(void)
{
	struct magnet_counters_set *set = make(MAGNET_COUNTER_CPU_CLOCK);

	if (!set)
		return;
	EXPECT(num_online_cpus() > 1, "there is one CPU only");
	EXPECT(!remove_cpu(1), "CPU 1 can't be taken down");
	EXPECT(!add_cpu(1), "CPU 1 does not come up");
	flush_work(&refill_work);
	check_clock(set, 1);
	check_clock(set, 0);
	magnet_counters_put(set);
}

static const struct {
	const char	*name;
	void		(*run)(void);
} tests[] = {
	{ "the_clock_counts", the_clock_counts },
	{ "context_switches_count", context_switches_count },
	{ "a_record_says_which", a_record_says_which },
	{ "bad_sets_are_refused", bad_sets_are_refused },
	{ "cycles_count_or_are_refused", cycles_count_or_are_refused },
	{ "a_cpu_that_comes_back_counts", a_cpu_that_comes_back_counts },
};

static int __init test_init(void)
{
	unsigned int i, failed = 0;
	int err = magnet_counters_init();

	if (err)
		return err;
	pr_info("1..%zu\n", ARRAY_SIZE(tests));
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		complaints = 0;
		tests[i].run();
		failed += !!complaints;
		pr_info("%s %u %s\n", complaints ? "not ok" : "ok", i + 1, tests[i].name);
	}
	pr_info("%zu passed, %u failed\n", ARRAY_SIZE(tests) - failed, failed);
	if (!failed)
		return 0;
	magnet_counters_exit();
	return -EIO;
}

static void __exit test_exit(void)
{
	magnet_counters_exit();
}

module_init(test_init);
module_exit(test_exit);

MODULE_DESCRIPTION("Tests of magnet that run in the kernel");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");
