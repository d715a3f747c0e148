// SPDX-License-Identifier: GPL-2.0-only
/*
 * Correlating filters: the third of the MAGNET paper's three ways to filter.
 *
 * A filter subscribes its points to a buffer of its own, where nothing but
 * the ring's path is added to a handler, and a thread reads that in the order
 * of time, remembers what may matter, and logs a CORRELATED record to another
 * buffer when it has found what it looks for. Each has a thread, so that none
 * holds up another, nor magnetk.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/netlink.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "correlate.h"
#include "magnetfs/reader.h"
#include "monisub/monisub.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "owner.h"
#include "ring/buffer.h"
#include "ring/clock.h"
#include "ring/record.h"
#include "ring/ring.h"
#include "rule.h"
#include "turn.h"
#include "window.h"

/* At least the largest record. */
#define BATCH_SIZE	(64 * 1024)
/* Other CPUs' handlers may be this late. */
#define HOLD_BACK_US	10000

/* All filters; magnet_mutex. */
static LIST_HEAD(correlations);
static u32 last_id;

/* ---- what it found ---- */

/* On this CPU's ring, with preemption off. */
static bool write_record(struct magnet_ring *r, const struct magnet_correlated *found,
			 const struct magnet_record *last)
{
	const u32 size = magnet_header_size() + sizeof(*found);
	const u64 word = magnet_header_word(r->cpu, MAGNET_EVENT_CORRELATED, size);
	u64 timer;
	void *rec;

	rec = magnet_ring_reserve(r, size, &timer);
	if (!rec)
		return false;
	rec = magnet_header_write(rec, word, last->tgid | (u64)last->tid << 32,
				  last->abstract_id, timer);
	memcpy(rec, found, sizeof(*found));
	magnet_ring_commit(r);
	return true;
}

static void report(struct magnet_correlation *c, u32 count, u64 first,
		   const struct magnet_record *last)
{
	const struct magnet_correlated found = {
		.correlation = c->id,
		.count = count,
		.first_timer = first,
		.last_timer = last->timer,
	};
	struct magnet_cpu_buffer *cb;
	bool logged;

	preempt_disable();
	cb = READ_ONCE(c->target->cpu[smp_processor_id()]);
	logged = cb && write_record(&cb->ring, &found, last);
	preempt_enable();
	WRITE_ONCE(c->dropped, c->dropped + !logged);
	WRITE_ONCE(c->matched, c->matched + 1);
}

/* ---- what it looks for ---- */

static unsigned int remember(struct magnet_correlation *c, const struct magnet_record *e)
{
	bool forgot;
	unsigned int n = magnet_window_add(c->window, e->abstract_id, e->timer, &forgot);

	WRITE_ONCE(c->forgotten, c->forgotten + forgot);
	return n;
}

/*
 * The first event waits for one of the second point; if it comes again, that
 * is what is waited with. A match takes both.
 */
static void look_for_pair(struct magnet_correlation *c, const struct magnet_record *e)
{
	u64 first;

	if (e->event == c->event[0]) {
		magnet_window_clear(c->window, e->abstract_id);
		remember(c, e);
		return;
	}
	if (!magnet_window_first(c->window, e->abstract_id, &first) || first > e->timer)
		return;
	magnet_window_clear(c->window, e->abstract_id);
	report(c, 2, first, e);
}

/* A match takes all events that it consists of: the next begins anew. */
static void look_for_burst(struct magnet_correlation *c, const struct magnet_record *e)
{
	unsigned int n = remember(c, e);
	u64 first;

	if (n <= c->n)
		return;
	magnet_window_first(c->window, e->abstract_id, &first);
	magnet_window_clear(c->window, e->abstract_id);
	report(c, n, first, e);
}

/* How long an event of an older epoch was ago nobody knows. */
static void look_at_clock(struct magnet_correlation *c, const struct magnet_clock *clock)
{
	if (clock->epoch == c->epoch)
		return;
	c->epoch = clock->epoch;
	magnet_window_begin_anew(c->window);
}

static void look_at(struct magnet_correlation *c, const struct magnet_record *e,
		    const void *payload)
{
	if (e->event == MAGNET_EVENT_CLOCK) {
		look_at_clock(c, payload);
		return;
	}
	if (e->event == MAGNET_EVENT_LOST) {
		const struct magnet_lost *lost = payload;

		WRITE_ONCE(c->lost_before, c->lost_before + lost->count);
		return;
	}
	if (e->event == MAGNET_EVENT_STORM) {
		const struct magnet_storm *storm = payload;

		WRITE_ONCE(c->lost_before, c->lost_before + storm->refused);
		return;
	}
	if (e->event != c->event[0] && e->event != c->event[1])
		return;
	if (!magnet_window_expire(c->window, e->timer))
		WRITE_ONCE(c->lost_before, c->lost_before + 1);
	else if (c->burst)
		look_for_burst(c, e);
	else
		look_for_pair(c, e);
}

/* ---- the thread ---- */

static ssize_t read_batch(struct magnet_correlation *c)
{
	struct kvec vec = { .iov_base = c->batch, .iov_len = BATCH_SIZE };
	struct iov_iter iter;

	iov_iter_kvec(&iter, READ, &vec, 1, BATCH_SIZE);
	return magnet_reader_read(c->reader, &iter, true);
}

static void look_at_batch(struct magnet_correlation *c, size_t size)
{
	struct magnet_record rec;
	size_t at;

	for (at = 0; at < size; at += rec.size) {
		const void *payload = magnet_decode(c->batch + at, &rec);

		look_at(c, &rec, payload);
	}
}

static int correlate(void *arg)
{
	struct magnet_correlation *c = arg;
	ssize_t got;

	while (!kthread_should_stop()) {
		if (magnet_reader_wait(c->reader, KTIME_MAX))
			continue;
		got = read_batch(c);
		if (got > 0)
			look_at_batch(c, got);
		cond_resched();
	}
	return 0;
}

/* ---- life ---- */

static bool sub_of_buffer(const struct magnet_sub *sub, const void *buffer)
{
	return sub->buffer == buffer;
}

/* The staging buffer is persistent in so far as it ends with the filter. */
static int make_staging(struct magnet_correlation *c, struct netlink_ext_ack *extack)
{
	char name[MAGNET_NAME_SIZE];
	struct magnet_reader *reader;

	snprintf(name, sizeof(name), "correlation-%u", c->id);
	c->staging = magnet_buffer_create(name, MAGNET_BUFFER_SIZE_DEFAULT, MAGNET_F_PERSISTENT,
					  NULL, extack);
	if (IS_ERR(c->staging)) {
		const int err = PTR_ERR(c->staging);

		c->staging = NULL;
		return err;
	}
	reader = magnet_reader_open(&c->staging->merged);
	if (IS_ERR(reader)) {
		NL_SET_ERR_MSG(extack, "somebody else reads the buffer that was made for the filter; try again");
		return PTR_ERR(reader);
	}
	kref_get(&c->staging->ref);
	c->reader = reader;
	magnet_reader_set(reader, MAGNET_ATTR_HOLD_BACK, HOLD_BACK_US);
	return 0;
}

static int subscribe(struct magnet_correlation *c, struct netlink_ext_ack *extack)
{
	struct magnet_wish wish = { .rules = LIST_HEAD_INIT(wish.rules) };
	struct magnet_sub *sub;
	unsigned int i;

	for (i = 0; i < (c->burst ? 1 : 2); i++) {
		sub = magnet_subscribe(c->point[i], c->staging, MAGNET_F_PERSISTENT, &wish, NULL,
				       extack);
		if (IS_ERR(sub))
			return PTR_ERR(sub);
	}
	return 0;
}

static int make(struct magnet_correlation *c, struct netlink_ext_ack *extack)
{
	const u64 ticks = mul_u64_u32_div(c->us, magnet_clock_khz(), USEC_PER_MSEC);
	struct task_struct *thread;
	int err;

	c->batch = kvmalloc(BATCH_SIZE, GFP_KERNEL_ACCOUNT);
	c->window = magnet_window_new(ticks);
	if (!c->batch || !c->window)
		return -ENOMEM;
	err = make_staging(c, extack);
	if (err)
		return err;
	thread = kthread_run(correlate, c, "magnet-corr/%u", c->id);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	c->thread = thread;
	return subscribe(c, extack);
}

/* The reverse, also of a part. */
static void unmake(struct magnet_correlation *c)
{
	if (c->staging)
		magnet_end_subs(sub_of_buffer, c->staging);
	if (c->thread)
		kthread_stop(c->thread);
	if (c->reader) {
		magnet_reader_close(c->reader);
		magnet_buffer_put(c->staging);
	}
	if (c->staging)
		magnet_buffer_remove(c->staging);
	if (c->client)
		magnet_client_put(c->client);
	magnet_window_free(c->window);
	kvfree(c->batch);
	magnet_buffer_put(c->target);
	kfree(c);
}

static bool id_in_use(u32 id)
{
	const struct magnet_correlation *c;

	list_for_each_entry(c, &correlations, node)
		if (c->id == id)
			return true;
	return false;
}

/* Is the buffer what a filter reads? magnet_mutex held. */
bool magnet_correlation_reads(const struct magnet_buffer *buffer)
{
	const struct magnet_correlation *c;

	list_for_each_entry(c, &correlations, node)
		if (c->staging == buffer)
			return true;
	return false;
}

/**
 * magnet_correlation_new() - make a correlating filter
 * @definition: correlation_text.c
 * @target: where its records go; a reference is taken
 * @flags: MAGNET_F_PERSISTENT or none
 * @client: owner or NULL; a reference is taken
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: the filter, or an ERR_PTR.
 */
struct magnet_correlation *magnet_correlation_new(const char *definition,
						  struct magnet_buffer *target, u32 flags,
						  struct magnet_client *client,
						  struct netlink_ext_ack *extack)
{
	struct magnet_correlation *c;
	int err;

	if (magnet_correlation_nth(MAGNET_CORRELATIONS_MAX - 1)) {
		NL_SET_ERR_MSG(extack, "there are 64 correlating filters, each with a thread; end one first");
		return ERR_PTR(-ENOSPC);
	}
	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);
	strscpy(c->definition, definition, sizeof(c->definition));
	err = magnet_correlation_parse(c, extack);
	if (err) {
		kfree(c);
		return ERR_PTR(err);
	}
	do {
		c->id = ++last_id;
	} while (!c->id || id_in_use(c->id));
	c->flags = flags;
	c->target = target;
	kref_get(&target->ref);
	c->client = client;
	if (client)
		magnet_client_get(client);
	err = make(c, extack);
	if (err) {
		unmake(c);
		return ERR_PTR(err);
	}
	list_add_tail(&c->node, &correlations);
	return c;
}

/**
 * magnet_end_correlations() - end all filters that match
 * @match: asked for each; NULL: all
 * @arg: handed to @match
 *
 * Context: may sleep; magnet_mutex held.
 * Return: false when there was none.
 */
bool magnet_end_correlations(magnet_correlation_match *match, const void *arg)
{
	struct magnet_correlation *c, *next;
	bool any = false;

	list_for_each_entry_safe(c, next, &correlations, node) {
		if (match && !match(c, arg))
			continue;
		any = true;
		list_del(&c->node);
		unmake(c);
	}
	return any;
}

/* The n-th filter, for dumps; magnet_mutex held. */
struct magnet_correlation *magnet_correlation_nth(unsigned int n)
{
	struct magnet_correlation *c;

	list_for_each_entry(c, &correlations, node)
		if (!n--)
			return c;
	return NULL;
}

static bool uses_buffer(const struct magnet_correlation *c, const void *buffer)
{
	return c->target == buffer || c->staging == buffer;
}

/* A buffer is about to be removed. Return: true when it was a filter's own, and is gone. */
bool magnet_correlations_lose_buffer(const struct magnet_buffer *buffer)
{
	char name[MAGNET_NAME_SIZE];

	strscpy(name, buffer->name, sizeof(name));
	magnet_end_correlations(uses_buffer, buffer);
	return !magnet_buffer_find(name);
}

static bool uses_point(const struct magnet_correlation *c, const void *point)
{
	return c->point[0] == point || c->point[1] == point;
}

/* A point is about to be removed. */
void magnet_correlations_lose_point(const struct magnet_point *point)
{
	magnet_end_correlations(uses_point, point);
}

/* control/filters, after those of subscriptions. */
void magnet_correlations_show(struct seq_file *m)
{
	struct magnet_correlation *c;

	seq_puts(m, "# correlation buffer matched dropped lost_before forgotten definition\n");
	mutex_lock(&magnet_mutex);
	list_for_each_entry(c, &correlations, node)
		seq_printf(m, "correlation %u %s matched %llu dropped %llu lost_before %llu forgotten %llu %s\n",
			   c->id, c->target->name, READ_ONCE(c->matched), READ_ONCE(c->dropped),
			   READ_ONCE(c->lost_before), READ_ONCE(c->forgotten), c->definition);
	mutex_unlock(&magnet_mutex);
}
