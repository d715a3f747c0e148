// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of the CPU beside an event: the kernel's perf events, one for each
 * CPU and counter, pinned, and read in the handler.
 *
 * perf_event_read_local() is not exported to modules, and
 * perf_event_read_value() sleeps. So the handler does what the former does:
 * with interrupts off, an event whose oncpu is this CPU is active here and
 * stays so, because perf takes it off by an interrupt on this CPU; then
 * pmu->read() brings its count up to date. Our events are of a CPU, not of a
 * task, and not inherited, which is what the former checks besides. An NMI may
 * come in the middle of an update, and not every PMU's survives that: there
 * nothing is read.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "counters.h"

/* The kernel's event of each bit of enum magnet_counter. */
static const struct {
	u32	type;
	u64	config;
} kinds[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
};

/**
 * struct cpu_events - the counters of one CPU
 * @event: in the order of their bits; NULL where there is none at present
 */
struct cpu_events {
	struct perf_event	*event[MAGNET_COUNTERS_MAX];
};

/**
 * struct magnet_counters_set - the counters of a subscription
 * @node: in the list of sets
 * @users: gates that have it
 * @which: bits of enum magnet_counter
 * @n: how many
 * @cpu: the events
 */
struct magnet_counters_set {
	struct list_head		node;
	refcount_t			users;
	u32				which;
	unsigned int			n;
	struct cpu_events __percpu	*cpu;
};

/*
 * All sets. Making and releasing events takes cpus_read_lock below it, so
 * the hotplug callback does not take it: what came up is left to a work.
 */
static DEFINE_MUTEX(sets_lock);
static LIST_HEAD(sets);
static struct cpumask came_up;
static enum cpuhp_state hotplug_state;

/* ---- in the handler ---- */

static u64 notrace read_event(struct perf_event *event)
{
	if (!event || READ_ONCE(event->oncpu) != raw_smp_processor_id())
		return U64_MAX;
	event->pmu->read(event);
	return local64_read(&event->count);
}

/**
 * magnet_counters_read() - read a set's counters on this CPU
 * @set: the set
 * @values: a value for each, in the order of their bits; all ones where one
 *	could not be read
 *
 * Context: any, with preemption off. In an NMI no counter can be read; so looks
 * what comes from a kprobe's breakpoint.
 */
void notrace magnet_counters_read(const struct magnet_counters_set *set, u64 *values)
{
	const struct cpu_events *events = raw_cpu_ptr(set->cpu);
	const bool nmi = in_nmi();
	unsigned long flags;
	unsigned int i;

	raw_local_irq_save(flags);
	for (i = 0; i < set->n; i++)
		values[i] = nmi ? U64_MAX : read_event(READ_ONCE(events->event[i]));
	raw_local_irq_restore(flags);
}

/* Bytes of the payload of a COUNTERS record. */
u32 notrace magnet_counters_size(const struct magnet_counters_set *set)
{
	return sizeof(struct magnet_counters) + set->n * sizeof(u64);
}

/**
 * magnet_counters_write() - write the payload of a COUNTERS record
 * @set: whose counters
 * @payload: magnet_counters_size() bytes, at a multiple of 8
 *
 * Context: as magnet_counters_read().
 */
void notrace magnet_counters_write(const struct magnet_counters_set *set, void *payload)
{
	struct magnet_counters *counters = payload;

	counters->which = set->which;
	counters->n = set->n;
	magnet_counters_read(set, (u64 *)(counters + 1));
}

/* ---- the kernel's events ---- */

static struct perf_event *make_event(unsigned int bit, int cpu)
{
	struct perf_event_attr attr = {
		.type = kinds[bit].type,
		.config = kinds[bit].config,
		.size = sizeof(attr),
		.pinned = 1,
	};

	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event) || READ_ONCE(event->oncpu) == cpu)
		return event;
	/* Pinned means now or never: the counters are taken. */
	perf_event_release_kernel(event);
	return ERR_PTR(-EBUSY);
}

/* Take out what a CPU has, wait for its handlers, release it. */
static void release_cpu(struct magnet_counters_set *set, int cpu)
{
	struct cpu_events *events = per_cpu_ptr(set->cpu, cpu);
	struct cpu_events old = *events;
	unsigned int i;

	for (i = 0; i < set->n; i++)
		WRITE_ONCE(events->event[i], NULL);
	synchronize_rcu();
	for (i = 0; i < set->n; i++)
		if (old.event[i])
			perf_event_release_kernel(old.event[i]);
}

/* A CPU that is not there has none: -ENODEV, and the rest is left out. */
static int fill_cpu(struct magnet_counters_set *set, int cpu)
{
	struct cpu_events *events = per_cpu_ptr(set->cpu, cpu);
	unsigned long which = set->which;
	unsigned int bit, i = 0;

	for_each_set_bit(bit, &which, ARRAY_SIZE(kinds)) {
		struct perf_event *event = make_event(bit, cpu);

		if (IS_ERR(event))
			return PTR_ERR(event);
		/* Handlers see it whole. */
		smp_store_release(&events->event[i++], event);
	}
	return 0;
}

static void release(struct magnet_counters_set *set)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct cpu_events *events = per_cpu_ptr(set->cpu, cpu);
		unsigned int i;

		for (i = 0; i < set->n; i++)
			if (events->event[i])
				perf_event_release_kernel(events->event[i]);
	}
	free_percpu(set->cpu);
	kfree(set);
}

static int fill(struct magnet_counters_set *set)
{
	int cpu, err;

	for_each_online_cpu(cpu) {
		err = fill_cpu(set, cpu);
		/* It just went away. */
		if (err && err != -ENODEV)
			return err;
	}
	return 0;
}

static int refuse(int err, struct netlink_ext_ack *extack)
{
	if (err == -ENOMEM)
		return err;
	NL_SET_ERR_MSG(extack, "this machine has no such counter, or not as many at once; cpu-clock and context-switches are everywhere");
	return err == -ENOENT ? -EOPNOTSUPP : err;
}

/**
 * magnet_counters_new() - make counters on every CPU
 * @which: bits of enum magnet_counter, up to MAGNET_COUNTERS_MAX, not 0
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: the set, or an ERR_PTR.
 */
struct magnet_counters_set *magnet_counters_new(u32 which, struct netlink_ext_ack *extack)
{
	struct magnet_counters_set *set;
	int err;

	if (!which || which >> ARRAY_SIZE(kinds) || hweight32(which) > MAGNET_COUNTERS_MAX) {
		NL_SET_ERR_MSG(extack, "up to 4 of the counters of enum magnet_counter go with an event; leave the others out");
		return ERR_PTR(-EINVAL);
	}
	set = kzalloc(sizeof(*set), GFP_KERNEL_ACCOUNT);
	if (!set)
		return ERR_PTR(-ENOMEM);
	refcount_set(&set->users, 1);
	set->which = which;
	set->n = hweight32(which);
	set->cpu = alloc_percpu_gfp(struct cpu_events, GFP_KERNEL_ACCOUNT);
	if (!set->cpu) {
		kfree(set);
		return ERR_PTR(-ENOMEM);
	}
	/* A CPU that comes up meanwhile is looked after by the work. */
	mutex_lock(&sets_lock);
	err = fill(set);
	if (!err)
		list_add_tail(&set->node, &sets);
	mutex_unlock(&sets_lock);
	if (!err)
		return set;
	release(set);
	return ERR_PTR(refuse(err, extack));
}

/**
 * magnet_counters_put() - the reverse
 * @set: no handler can see it any more
 *
 * Context: may sleep.
 */
void magnet_counters_put(struct magnet_counters_set *set)
{
	if (!refcount_dec_and_test(&set->users))
		return;
	mutex_lock(&sets_lock);
	list_del(&set->node);
	mutex_unlock(&sets_lock);
	release(set);
}

/* One more gate has it. */
struct magnet_counters_set *magnet_counters_get(struct magnet_counters_set *set)
{
	refcount_inc(&set->users);
	return set;
}

/* ---- CPUs that come up ---- */

/* What perf had of a CPU ended when it went down: new events take its place. */
static void refill(struct work_struct *work)
{
	struct magnet_counters_set *set;
	int cpu;

	mutex_lock(&sets_lock);
	for_each_possible_cpu(cpu) {
		if (!cpumask_test_and_clear_cpu(cpu, &came_up))
			continue;
		list_for_each_entry(set, &sets, node) {
			release_cpu(set, cpu);
			/* Those that can't be made are all ones in the records. */
			fill_cpu(set, cpu);
		}
	}
	mutex_unlock(&sets_lock);
}

static DECLARE_WORK(refill_work, refill);

static int cpu_came_up(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &came_up);
	schedule_work(&refill_work);
	return 0;
}

int magnet_counters_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "magnet:counters",
					      cpu_came_up, NULL);

	if (state < 0)
		return state;
	hotplug_state = state;
	return 0;
}

/* There are no sets any more. */
void magnet_counters_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	cancel_work_sync(&refill_work);
}
