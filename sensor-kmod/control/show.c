// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers and subscriptions as lines of text: control/buffers, filters and
 * stats.
 */
#include <linux/seq_file.h>

#include "monisub/monisub.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "owner.h"
#include "ring/buffer.h"
#include "ring/counts.h"
#include "ring/loss.h"
#include "ring/ring.h"
#include "show.h"
#include "turn.h"

static const char *kind_of(const struct magnet_buffer *buffer)
{
	if (magnet_buffer_dead(buffer))
		return "snapshot";
	return buffer->flags & MAGNET_F_OVERWRITE ? "recorder" : "buffer";
}

/* control/buffers */
void magnet_buffers_show(struct seq_file *m)
{
	struct magnet_buffer *buffer;

	seq_puts(m, "# name bytes_per_cpu subscriptions owner lost kind overwritten\n");
	mutex_lock(&magnet_mutex);
	list_for_each_entry(buffer, &magnet_buffers, node) {
		seq_printf(m, "%s %lu %u ", buffer->name, buffer->size, buffer->nr_writers);
		if (buffer->client)
			seq_printf(m, "port:%u", buffer->client->portid);
		else
			seq_puts(m, "persistent");
		seq_printf(m, " %llu %s %llu\n", magnet_buffer_lost(buffer), kind_of(buffer),
			   magnet_buffer_overwritten(buffer));
	}
	mutex_unlock(&magnet_mutex);
}

/* control/filters: what stands between hit and commit, per subscription. */
void magnet_filters_show(struct seq_file *m)
{
	const struct magnet_rule *rule;
	struct magnet_sub *sub;

	seq_puts(m, "# subscription point buffer sample_count sample_us snap_len counters rules, then each rule: id matched text\n");
	mutex_lock(&magnet_mutex);
	list_for_each_entry(sub, &magnet_subs, node) {
		seq_printf(m, "%u %s %s %u %u %u %#x %u\n", sub->id, sub->point->name,
			   sub->buffer->name, sub->wish.sample_count, sub->wish.sample_us,
			   sub->wish.snap_len, sub->wish.counters, sub->wish.nr_rules);
		list_for_each_entry(rule, &sub->wish.rules, node)
			seq_printf(m, "\t%u %llu %s\n", rule->id, magnet_rule_matched(rule),
				   rule->text);
	}
	mutex_unlock(&magnet_mutex);
}

static void show_ring(struct seq_file *m, struct magnet_cpu_buffer *cb)
{
	struct magnet_ring *r = &cb->ring;
	const unsigned long commit = magnet_ring_published(r);
	const struct magnet_ring_counts c = magnet_ring_counts(cb);

	seq_printf(m, "ring %s cpu%u size %lu unread %lu reserved %ld nest %ld records %llu read %llu lost %llu lost_told %lu overwritten %lu reader %lu\n",
		   cb->buffer->name, r->cpu, READ_ONCE(r->size), commit - READ_ONCE(r->tail),
		   local_read(&r->head) - commit, local_read(&r->nest),
		   c.records_written, c.records_read, magnet_ring_lost(r),
		   atomic_long_read(&r->lost_reported), local_read(&r->overwritten),
		   READ_ONCE(cb->reader) & 1);
}

static void show_sub_cpu(struct seq_file *m, const struct magnet_sub *sub, int cpu)
{
	const struct magnet_sub_cpu *sc = per_cpu_ptr(sub->cpu, cpu);

	seq_printf(m, "subscription %u %s %s cpu%d hits %lu committed %lu filtered %lu sampled_out %lu dropped_full %lu dropped_big %lu dropped_recursion %lu dropped_storm %lu\n",
		   sub->id, sub->point->name, sub->buffer->name, cpu,
		   magnet_sub_cpu_hits(sc), local_read(&sc->committed),
		   magnet_sub_cpu_filtered(sc), local_read(&sc->sampled_out),
		   local_read(&sc->dropped_full), local_read(&sc->dropped_big),
		   local_read(&sc->dropped_recursion), local_read(&sc->dropped_storm));
}

static void show_subs(struct seq_file *m)
{
	struct magnet_sub *sub;
	int cpu;

	list_for_each_entry(sub, &magnet_subs, node) {
		for_each_possible_cpu(cpu)
			if (READ_ONCE(per_cpu_ptr(sub->cpu, cpu)->ring))
				show_sub_cpu(m, sub, cpu);
		seq_printf(m, "subscription %u %s %s missed %llu\n", sub->id, sub->point->name,
			   sub->buffer->name, magnet_sub_missed(sub));
	}
}

/* control/stats */
void magnet_stats_show(struct seq_file *m)
{
	struct magnet_cpu_buffer *cb;
	struct magnet_buffer *buffer;
	unsigned int i;

	mutex_lock(&magnet_mutex);
	list_for_each_entry(buffer, &magnet_buffers, node) {
		i = 0;
		while ((cb = magnet_buffer_next(buffer, &i)))
			show_ring(m, cb);
		seq_printf(m, "merged %s late %llu reader %d\n", buffer->name,
			   READ_ONCE(buffer->merged_late), atomic_read(&buffer->readers) < 0);
	}
	show_subs(m);
	mutex_unlock(&magnet_mutex);
}
