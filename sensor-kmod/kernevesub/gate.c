// SPDX-License-Identifier: GPL-2.0-only
/*
 * KernEveSub in the logging path: sampling, rules, and records that carry a
 * part of the packet. Everything here runs inside handlers.
 */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "cgroup.h"
#include "counters.h"
#include "custom.h"
#include "gate.h"
#include "monisub/plan.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "pace.h"
#include "packet.h"
#include "probes/probe.h"
#include "probes/quick.h"
#include "ring/clock.h"
#include "ring/rare.h"
#include "ring/record.h"
#include "ring/ring.h"
#include "rule.h"
#include "storm.h"

/* What the gate says of an event. */
enum verdict { LOG, LOG_URGENT, FILTERED, SAMPLED_OUT };

/* ---- gates ---- */

/* One of @n events, on each CPU. Nested handlers only ever take from @left. */
static bool one_of(local_t *left, u32 n)
{
	if (local_sub_return(1, left) >= 0)
		return false;
	local_add(n, left);
	return true;
}

/* At most one event in @ticks, on all CPUs together. */
static bool time_has_passed(atomic64_t *passed, u64 ticks, u64 now)
{
	const u64 last = atomic64_read(passed);

	if (!magnet_pace_passed(last, now, ticks, magnet_clock_second))
		return false;
	return atomic64_cmpxchg(passed, last, now) == last;
}

static enum verdict act(struct magnet_rule *rule, struct magnet_sub_cpu *sc)
{
	struct magnet_rule_cpu *own = raw_cpu_ptr(rule->cpu);

	local_inc(&own->matched);
	switch (rule->action) {
	case MAGNET_ACTION_DROP:
		return FILTERED;
	case MAGNET_ACTION_SAMPLE:
		return one_of(&own->left, rule->argument) ? LOG : SAMPLED_OUT;
	case MAGNET_ACTION_EVERY:
		return time_has_passed(&rule->passed, rule->argument,
				       magnet_clock(&sc->ring->last_timer)) ? LOG : SAMPLED_OUT;
	case MAGNET_ACTION_URGENT:
		return LOG_URGENT;
	default:
		return LOG;
	}
}

/* The first rule that matches decides; without one the event is logged. */
static __always_inline enum verdict
ask_rules(const struct magnet_gate *gate, const struct magnet_view *view,
	  struct magnet_sub_cpu *sc)
{
	const struct magnet_step *step = gate->step;

	for (;;) {
		if (!magnet_step_fits(step, view))
			step = step->otherwise;
		else if (step->then)
			step = step->then;
		else
			break;
	}
	return step->rule == gate->nr_rules ? LOG : act(gate->rule[step->rule], sc);
}

static __always_inline bool samples_out(const struct magnet_gate *gate, struct magnet_sub_cpu *sc)
{
	if (gate->sample_count && !one_of(&sc->sample_left, gate->sample_count))
		return true;
	return gate->sample_ticks &&
	       !time_has_passed(gate->passed, gate->sample_ticks,
				magnet_clock(&sc->ring->last_timer));
}

/* ---- logging ---- */

/* The record behind that of the event, taken together with it. */
static void write_counters(struct magnet_ring *r, const struct magnet_counters_set *set,
			   void *rec, u32 size, u64 who, u64 timer)
{
	const u64 word = magnet_header_word(r->cpu, MAGNET_EVENT_COUNTERS, size);

	rec = magnet_header_write(rec, word, who, 0, timer);
	magnet_counters_write(set, rec);
	local_inc(&r->records);
}

/* As magnet_emit_one(), for a record of any size that may carry a part of the packet. */
static bool log_event(struct magnet_sub_cpu *sc, const struct magnet_point *point,
		      const struct magnet_gate *gate, const struct magnet_view *view, u32 size,
		      const struct sk_buff *skb)
{
	const u32 header = magnet_header_size();
	const u64 who = magnet_who_of(view->who);
	u32 captured = 0, longer, own, total;
	u64 timer;
	int start;
	void *rec, *payload;

	if (gate && gate->snap_len && skb)
		captured = magnet_packet_captured(point, skb, gate->snap_len, &start);
	longer = size + ALIGN(captured, MAGNET_RECORD_ALIGN) - point->payload_size;
	own = header + point->payload_size + longer;
	total = own;
	if (gate && gate->counters)
		total += header + magnet_counters_size(gate->counters);
	if (total > MAGNET_RECORD_SIZE_MAX) {
		local_inc(&sc->dropped_big);
		magnet_ring_drop_here(sc->ring);
		return false;
	}
	rec = magnet_ring_reserve(sc->ring, total, &timer);
	if (!rec) {
		local_inc(&sc->dropped_full);
		return false;
	}
	payload = magnet_header_write(rec, magnet_header_word_longer(sc->word, longer), who,
				      view->id, timer);
	memcpy(payload, view->payload, size);
	if (captured)
		magnet_packet_capture(skb, start, captured, payload, payload + size);
	if (total > own)
		write_counters(sc->ring, gate->counters, rec + own, total - own, who, timer);
	local_inc(&sc->committed);
	magnet_ring_commit(sc->ring);
	return true;
}

/*
 * A subscription's share of an event. Return: 0; -ENOSPC when it should have
 * been logged and could not.
 */
static __always_inline int
emit_one(struct magnet_sub_cpu *sc, struct magnet_point *point, struct magnet_view *view,
	 u32 size, const struct sk_buff *skb)
{
	const struct magnet_gate *gate = READ_ONCE(sc->gate);
	enum verdict verdict = LOG;

	local_inc(&sc->hits);
	if (gate) {
		if (samples_out(gate, sc)) {
			local_inc(&sc->sampled_out);
			return 0;
		}
		if (gate->rule) {
			if (gate->asks & MAGNET_ASKS_PACKET)
				magnet_packet_headers(point, skb, view->packet);
			if (gate->asks & MAGNET_ASKS_CGROUP)
				magnet_cgroup_words(view->cgroup);
			verdict = ask_rules(gate, view, sc);
		}
	}
	if (verdict == FILTERED) {
		local_inc(&sc->filtered);
		return 0;
	}
	if (verdict == SAMPLED_OUT) {
		local_inc(&sc->sampled_out);
		return 0;
	}
	if (unlikely(local_read(&sc->storm.refused)))
		magnet_storm_tell(sc, point);
	if (!log_event(sc, point, gate, view, size, skb))
		return -ENOSPC;
	if (sc->urgent || verdict == LOG_URGENT)
		magnet_rare_do(magnet_emit_urgent, sc);
	return 0;
}

DEFINE_PER_CPU_ALIGNED(struct magnet_scratch, magnet_scratch[MAGNET_SCRATCHES]);
/* Of these, how many are in use by handlers that interrupt another. */
static DEFINE_PER_CPU(int, nested);

/* What is the same in all events of a CPU. */
void magnet_gate_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(magnet_scratch, cpu)->view.cpu = cpu;
}

/* For magnet_scratch_take(): the guard admits two handlers of each context at most. */
struct magnet_view *magnet_scratch_nested(void *unused)
{
	const int i = __this_cpu_inc_return(nested);

	return &raw_cpu_ptr(magnet_scratch)[min(i, MAGNET_SCRATCHES - 1)].view;
}

/* The scratch that the event was in, and the handler. */
static __always_inline void leave(const struct magnet_view *view, int guard)
{
	const char *scratch = (const char *)raw_cpu_ptr(magnet_scratch);

	if (unlikely(guard != MAGNET_GUARD_IDLE) && (const char *)view >= scratch &&
	    (const char *)view < scratch + MAGNET_SCRATCHES * sizeof(struct magnet_scratch))
		__this_cpu_dec(nested);
	magnet_probe_leave(guard);
}

static void filter_out(struct magnet_sub_cpu *sc)
{
	for (; sc; sc = READ_ONCE(sc->next)) {
		local_inc(&sc->hits);
		local_inc(&sc->filtered);
	}
}

static __always_inline int ask_gates(unsigned long plan, struct magnet_view *view,
				     u32 size, const struct sk_buff *skb)
{
	struct magnet_sub_cpu __percpu *chain = magnet_plan_get(plan, chain);
	const struct magnet_storm_guard *storm = magnet_plan_get(plan, storm);
	const struct magnet_custom *custom = magnet_plan_get(plan, custom);
	struct magnet_point *point = magnet_plan_get(plan, point);
	struct magnet_sub_cpu *sc;
	int err = 0;

	if (unlikely(!chain))
		return 0;
	sc = raw_cpu_ptr(chain);
	if (unlikely(storm) && magnet_storm_refuses(storm, sc))
		return 0;
	view->who = magnet_current_ids();
	view->cpu = raw_smp_processor_id();
	if (unlikely(custom) &&
	    !magnet_custom_logs(custom, point->event, view->id, view->payload, size)) {
		filter_out(sc);
		return 0;
	}
	do {
		err |= emit_one(sc, point, view, size, skb);
		sc = READ_ONCE(sc->next);
	} while (sc);
	return err;
}

/**
 * magnet_ask_gate() - log an event to one subscription, if that lets it through
 * @sub: the subscription
 * @view: its abstract id and payload; the rest is filled in here
 * @size: bytes of the payload, a multiple of 8
 *
 * Context: as magnet_ask_gates().
 * Return: 0; -ENOSPC when the buffer had no room.
 */
int magnet_ask_gate(struct magnet_sub *sub, struct magnet_view *view, u32 size)
{
	view->who = magnet_current_ids();
	view->cpu = raw_smp_processor_id();
	return emit_one(raw_cpu_ptr(sub->cpu), sub->point, view, size, NULL);
}

/**
 * magnet_ask_gates() - log an event to those subscriptions that let it through
 * @plan: of the point, not plain
 * @view: its abstract id and payload; the rest is filled in here
 * @size: bytes of the payload, a multiple of 8
 * @skb: the packet that it is about, or NULL
 *
 * Context: between magnet_probe_enter() and magnet_probe_leave().
 * Return: 0; -ENOSPC when a buffer had no room.
 */
int magnet_ask_gates(unsigned long plan, struct magnet_view *view, u32 size,
		     const struct sk_buff *skb)
{
	return ask_gates(plan, view, size, skb);
}

/**
 * magnet_emit_gated() - the same, and leave the handler
 * @plan: of the point, not plain
 * @view: its abstract id and payload; the rest is filled in here
 * @size: bytes of the payload, a multiple of 8
 * @skb: the packet that it is about, or NULL
 * @guard: from magnet_probe_enter()
 *
 * Context: as magnet_emit().
 */
void magnet_emit_gated(unsigned long plan, struct magnet_view *view, u32 size,
		       const struct sk_buff *skb, int guard)
{
	ask_gates(plan, view, size, skb);
	leave(view, guard);
}
