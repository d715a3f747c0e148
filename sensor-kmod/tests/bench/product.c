// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module's own handlers and ring, compiled a second time, so that steps.c
 * can call them; and in place of what else they need, just enough.
 */
#include "../../ring/ring.c"
#include "../../probes/identity.c"
#include "../../probes/net.c"
#include "../../probes/sched.c"
#include "../../kernevesub/gate.c"
#include "../../kernevesub/storm.c"
#include "../../kernevesub/packet.c"
#include "../../kernevesub/cgroup.c"

bool magnet_classic;
u64 magnet_clock_second = USEC_PER_SEC;
DEFINE_STATIC_KEY_FALSE(magnet_clock_is_mono);
DEFINE_PER_CPU(int, magnet_guard) = MAGNET_GUARD_IDLE;

u64 magnet_clock_mono(u64 *last)
{
	return 0;
}

void magnet_probe_refused(struct magnet_point *point)
{
	preempt_enable_notrace();
}

void magnet_emit_urgent(struct magnet_sub_cpu *sc)
{
}

int magnet_job_controller = -1;

struct cgroup_subsys_state *magnet_cgroup_root(void)
{
	return &cgrp_dfl_root.cgrp.self;
}

struct cgroup *magnet_cgroup_at(const struct cgroup_subsys_state *css)
{
	return css->cgroup;
}

u32 magnet_counters_size(const struct magnet_counters_set *set)
{
	return 0;
}

void magnet_counters_write(const struct magnet_counters_set *set, void *payload)
{
}

bool magnet_custom_logs(const struct magnet_custom *custom, u16 event, u64 id,
			const void *payload, u32 size)
{
	return true;
}

void magnet_plan_publish(struct magnet_point *point)
{
}

void magnet_sub_quiesce(void)
{
}

void magnet_writers_each(void (*fn)(struct magnet_writer *writer))
{
}

void magnet_ring_wake(struct magnet_ring *r)
{
}

void magnet_ring_wake_now(struct magnet_ring *r)
{
}

void magnet_ring_lost_event(struct magnet_ring *r)
{
}
