// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module with events of its own, to be copied.
 *
 * It registers two events, "sample_tick" of a fixed size and "sample_text" of
 * any, logs them on demand, filters one of them and reads a buffer. Below
 * /sys/kernel/debug/magnet_sample:
 *
 *   echo "tick process 100" >emit	100 events; also text; also softirq, hardirq
 *   echo sample_tick >filter		those of an odd number are dropped; an
 *					empty line ends it
 *   echo NAME >buffer			open the buffer NAME; an empty line closes it
 *   cat read				read it, and say what was there
 *
 * Build it with the Makefile beside it, and load magnet.ko first. Somebody has
 * to subscribe, or nothing is logged: magnet-read -p sample_tick
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <magnet.h>
#include <uapi/magnet.h>

/* ---- what the events are ---- */

enum context { PROCESS, SOFTIRQ, HARDIRQ };

static const char *const context_names[] = { "process", "softirq", "hardirq" };

struct sample_tick {
	u32	number;
	u16	context;
	u16	reserved;
	u64	square;
};

static const struct magnet_field tick_fields[] = {
	{ "number", "u32", offsetof(struct sample_tick, number) },
	{ "context", "u16", offsetof(struct sample_tick, context) },
	{ "square", "u64", offsetof(struct sample_tick, square) },
	{}
};

static const struct magnet_event_type tick_type = {
	.name = "sample_tick",
	.subsystem = "sample",
	.id_means = "number",
	.fields = tick_fields,
	.payload_size = sizeof(struct sample_tick),
};

#define TEXT_MAX	100

/* @len bytes of text follow. */
struct sample_text {
	u32	number;
	u32	len;
};

static const struct magnet_field text_fields[] = {
	{ "number", "u32", offsetof(struct sample_text, number) },
	{ "len", "u32", offsetof(struct sample_text, len) },
	{}
};

static const struct magnet_event_type text_type = {
	.name = "sample_text",
	.subsystem = "sample",
	.id_means = "number",
	.fields = text_fields,
	.payload_size = sizeof(struct sample_text),
	.payload_max = sizeof(struct sample_text) + TEXT_MAX,
};

static struct magnet_own_event *tick, *text;

/* ---- logging ---- */

/* The simple way: make the payload, and hand it over. */
static void log_tick(u32 number, enum context context)
{
	const struct sample_tick payload = {
		.number = number,
		.context = context,
		.square = (u64)number * number,
	};

	magnet_add(tick, number, &payload, sizeof(payload));
}

/* Without a copy: take the room, and write in place. */
static void log_text(u32 number, enum context context)
{
	const u32 len = number % (TEXT_MAX + 1);
	struct magnet_reservation r;
	struct sample_text *payload;

	payload = magnet_reserve(&r, text, number, sizeof(*payload) + len);
	if (!payload)
		return;
	payload->number = number;
	payload->len = len;
	memset(payload + 1, 'a' + number % 26, len);
	magnet_commit(&r);
}

/* ---- on demand, in each context ---- */

static void (*log_one)(u32 number, enum context context);
static u32 number, wanted;
static DECLARE_COMPLETION(all_done);
/* One order at a time. */
static DEFINE_MUTEX(orders);

static void on_tasklet(struct tasklet_struct *tasklet)
{
	log_one(++number, SOFTIRQ);
	if (number < wanted)
		tasklet_schedule(tasklet);
	else
		complete(&all_done);
}

static DECLARE_TASKLET(softirq, on_tasklet);

static void on_irq_work(struct irq_work *work)
{
	log_one(++number, HARDIRQ);
	if (number < wanted)
		irq_work_queue(work);
	else
		complete(&all_done);
}

static struct irq_work hardirq = IRQ_WORK_INIT_HARD(on_irq_work);

static void run(enum context context)
{
	if (context == PROCESS) {
		while (number < wanted)
			log_one(++number, PROCESS);
		return;
	}
	reinit_completion(&all_done);
	if (context == SOFTIRQ)
		tasklet_schedule(&softirq);
	else
		irq_work_queue(&hardirq);
	wait_for_completion(&all_done);
}

/* "tick hardirq 1000" */
static int obey(const char *order)
{
	char what[8], where[8];
	int context;
	u32 n;

	if (sscanf(order, "%7s %7s %u", what, where, &n) != 3 || !n)
		return -EINVAL;
	context = match_string(context_names, ARRAY_SIZE(context_names), where);
	if (context < 0 || (strcmp(what, "tick") && strcmp(what, "text")))
		return -EINVAL;
	mutex_lock(&orders);
	log_one = strcmp(what, "tick") ? log_text : log_tick;
	number = 0;
	wanted = n;
	run(context);
	mutex_unlock(&orders);
	return 0;
}

/* ---- a handler that filters ---- */

static struct magnet_custom *custom;

/* Both events begin with their number. */
static bool even_only(const struct magnet_event_view *view, void *arg)
{
	return *(const u32 *)view->payload % 2 == 0;
}

static int switch_filter(const char *point)
{
	struct magnet_custom *new;

	if (custom) {
		magnet_custom_unregister(custom);
		custom = NULL;
	}
	if (!*point)
		return 0;
	new = magnet_custom_register(point, even_only, NULL);
	if (IS_ERR(new))
		return PTR_ERR(new);
	custom = new;
	return 0;
}

/* ---- reading a buffer ---- */

#define BATCH	(64 * 1024)

static struct magnet_file *file;

static int open_buffer(const char *name)
{
	struct magnet_file *new = NULL;

	if (*name) {
		new = magnet_open(name, MAGNET_ALL_CPUS);
		if (IS_ERR(new))
			return PTR_ERR(new);
	}
	if (file)
		magnet_close(file);
	file = new;
	return 0;
}

struct seen {
	u64	ticks, texts, others;
	u64	sum;
};

static void look_at(const void *batch, size_t size, struct seen *seen)
{
	struct magnet_record rec;
	size_t at;

	for (at = 0; at < size; at += rec.size) {
		const void *payload = magnet_decode(batch + at, &rec);

		if (rec.event == tick->id) {
			seen->ticks++;
			seen->sum += ((const struct sample_tick *)payload)->number;
		} else if (rec.event == text->id) {
			seen->texts++;
		} else {
			seen->others++;
		}
	}
}

/* What was logged before is readable now; wait for none that comes later. */
static int read_buffer(struct seen *seen)
{
	void *batch = kvmalloc(BATCH, GFP_KERNEL);
	ssize_t got;

	if (!batch)
		return -ENOMEM;
	magnet_set(file, MAGNET_ATTR_FLUSH, 0);
	while ((got = magnet_read(file, batch, BATCH)) > 0)
		look_at(batch, got, seen);
	kvfree(batch);
	return got == -EAGAIN ? 0 : got;
}

static int read_show(struct seq_file *m, void *unused)
{
	struct seen seen = {};
	int err = -ENOTCONN;

	mutex_lock(&orders);
	if (file)
		err = read_buffer(&seen);
	mutex_unlock(&orders);
	if (!err)
		seq_printf(m, "ticks %llu sum %llu texts %llu others %llu\n", seen.ticks,
			   seen.sum, seen.texts, seen.others);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(read);

/* ---- files ---- */

static ssize_t take_order(const char __user *from, size_t count, int (*fn)(const char *order))
{
	char order[80];
	int err;

	if (count >= sizeof(order))
		return -EINVAL;
	if (copy_from_user(order, from, count))
		return -EFAULT;
	order[count] = '\0';
	err = fn(strim(order));
	return err ?: count;
}

static ssize_t emit_write(struct file *unused, const char __user *from, size_t count, loff_t *pos)
{
	return take_order(from, count, obey);
}

static ssize_t filter_write(struct file *unused, const char __user *from, size_t count,
			    loff_t *pos)
{
	ssize_t done;

	mutex_lock(&orders);
	done = take_order(from, count, switch_filter);
	mutex_unlock(&orders);
	return done;
}

static ssize_t buffer_write(struct file *unused, const char __user *from, size_t count,
			    loff_t *pos)
{
	ssize_t done;

	mutex_lock(&orders);
	done = take_order(from, count, open_buffer);
	mutex_unlock(&orders);
	return done;
}

static const struct file_operations emit_fops = {
	.owner = THIS_MODULE,
	.write = emit_write,
};

static const struct file_operations filter_fops = {
	.owner = THIS_MODULE,
	.write = filter_write,
};

static const struct file_operations buffer_fops = {
	.owner = THIS_MODULE,
	.write = buffer_write,
};

static struct dentry *dir;

static void make_files(void)
{
	dir = debugfs_create_dir("magnet_sample", NULL);
	debugfs_create_file("emit", 0200, dir, NULL, &emit_fops);
	debugfs_create_file("filter", 0200, dir, NULL, &filter_fops);
	debugfs_create_file("buffer", 0200, dir, NULL, &buffer_fops);
	debugfs_create_file("read", 0400, dir, NULL, &read_fops);
}

static int __init sample_init(void)
{
	tick = magnet_event_register(&tick_type);
	if (IS_ERR(tick))
		return PTR_ERR(tick);
	text = magnet_event_register(&text_type);
	if (IS_ERR(text)) {
		magnet_event_unregister(tick);
		return PTR_ERR(text);
	}
	make_files();
	return 0;
}

/*
 * First nobody gives orders, then nothing logs, then there are no events. An
 * open buffer keeps the module, so there is none here.
 */
static void __exit sample_exit(void)
{
	debugfs_remove(dir);
	tasklet_kill(&softirq);
	irq_work_sync(&hardirq);
	if (custom)
		magnet_custom_unregister(custom);
	magnet_event_unregister(text);
	magnet_event_unregister(tick);
}

module_init(sample_init);
module_exit(sample_exit);

MODULE_DESCRIPTION("Sample of a module with magnet events of its own");
MODULE_AUTHOR("The magnet developers");
MODULE_LICENSE("GPL");
