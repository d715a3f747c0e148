// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/magnet/control: what the module is and does, to be read.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "control_files.h"
#include "kernevesub/correlate.h"
#include "monisub/eventdb.h"
#include "probes/drop_reason.h"
#include "ring/clock.h"
#include "ring/record.h"
#include "show.h"

static int events_show(struct seq_file *m, void *unused)
{
	magnet_events_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(events);

static int buffers_show(struct seq_file *m, void *unused)
{
	magnet_buffers_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(buffers);

static int filters_show(struct seq_file *m, void *unused)
{
	magnet_filters_show(m);
	magnet_correlations_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(filters);

static int format_show(struct seq_file *m, void *unused)
{
	magnet_format_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(format);

static int drop_reasons_show(struct seq_file *m, void *unused)
{
	const struct magnet_drop_reason *reason;
	unsigned int i;

	seq_puts(m, "# number name\n");
	for (i = 0; (reason = magnet_drop_reason_nth(i)); i++)
		seq_printf(m, "%u %s\n", reason->number, reason->name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(drop_reasons);

static int clock_show(struct seq_file *m, void *unused)
{
	struct magnet_clock_pair pair;

	magnet_clock_pair_now(&pair);
	seq_printf(m, "source %s\nkhz %u\ntimer %llu\nrealtime_ns %llu\nmonotonic_ns %llu\ntrusted %s\nepoch %u\n",
		   magnet_clock_source() == MAGNET_CLOCK_MONO ? "mono" : "tsc",
		   magnet_clock_khz(), pair.timer, pair.realtime_ns,
		   pair.monotonic_ns, magnet_clock_flags() & MAGNET_CLOCK_F_UNSTABLE ? "no" : "yes",
		   pair.epoch);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(clock);

static int stats_show(struct seq_file *m, void *unused)
{
	magnet_stats_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

static int version_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "module %s\nabi %u\nlayout %s\n", THIS_MODULE->version,
		   MAGNET_ABI_VERSION, magnet_classic ? "classic" : "wide");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(version);

/**
 * magnet_control_files_init() - make the files
 * @root: the magnet directory of debugfs; they go when it goes
 *
 * Context: may sleep.
 */
void magnet_control_files_init(struct dentry *root)
{
	struct dentry *dir = debugfs_create_dir("control", root);

	debugfs_create_file("events", 0444, dir, NULL, &events_fops);
	debugfs_create_file("buffers", 0444, dir, NULL, &buffers_fops);
	debugfs_create_file("filters", 0444, dir, NULL, &filters_fops);
	debugfs_create_file("format", 0444, dir, NULL, &format_fops);
	debugfs_create_file("drop_reasons", 0444, dir, NULL, &drop_reasons_fops);
	debugfs_create_file("clock", 0444, dir, NULL, &clock_fops);
	debugfs_create_file("stats", 0444, dir, NULL, &stats_fops);
	debugfs_create_file("version", 0444, dir, NULL, &version_fops);
}
