// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notices: of buffers that lost events, and of subscriptions with urgent ones.
 * magnetk sends them now and then, and what it has not yet told when one of
 * these ends is told then.
 */
#include "monisub/monisub.h"
#include "monisub/sub.h"
#include "monisub/urgent.h"
#include "netlink.h"
#include "notice.h"
#include "ring/buffer.h"
#include "ring/loss.h"
#include "turn.h"

/* ---- losses ---- */

/* When events were lost since the last one; magnet_mutex held. */
static void tell_loss(struct magnet_buffer *buffer)
{
	const u64 lost = magnet_buffer_lost(buffer);

	/* For an instant, while a LOST record is written, it is less. */
	if (lost <= buffer->loss_told)
		return;
	buffer->loss_told = lost;
	magnet_netlink_loss(buffer->name, lost);
}

/* What a snapshot has lost is not news: it was told of the flight recorder. */
static void buffer_added(struct magnet_buffer *buffer)
{
	buffer->loss_told = magnet_buffer_lost(buffer);
}

static struct magnet_buffer_watcher buffers = {
	.added = buffer_added,
	.removed = tell_loss,
};

/**
 * magnet_notices_of_loss() - one for each buffer that lost events since the last
 *
 * Context: may sleep.
 */
void magnet_notices_of_loss(void)
{
	struct magnet_buffer *buffer;

	mutex_lock(&magnet_mutex);
	list_for_each_entry(buffer, &magnet_buffers, node)
		tell_loss(buffer);
	mutex_unlock(&magnet_mutex);
}

/* ---- urgent events ---- */

/* When there were some since the last one; magnet_mutex held. */
static void tell_urgent(struct magnet_sub *sub)
{
	const u64 urgents = magnet_sub_urgents(sub);

	if (urgents == sub->urgent_told)
		return;
	sub->urgent_told = urgents;
	magnet_netlink_urgent(sub, urgents);
}

static const struct magnet_urgent_listener urgent = {
	.waited = magnet_netlink_listened,
	.ends = tell_urgent,
};

/**
 * magnet_notices_of_urgent() - one for each subscription with urgent events since the last
 *
 * Context: may sleep.
 */
void magnet_notices_of_urgent(void)
{
	struct magnet_sub *sub;

	mutex_lock(&magnet_mutex);
	list_for_each_entry(sub, &magnet_subs, node)
		tell_urgent(sub);
	mutex_unlock(&magnet_mutex);
}

/* Before there are buffers and subscriptions. */
void magnet_notices_start(void)
{
	magnet_buffers_watch(&buffers);
	magnet_urgent_listen(&urgent);
}

/* When there are none any more. */
void magnet_notices_stop(void)
{
	magnet_urgent_listen(NULL);
	magnet_buffers_unwatch(&buffers);
}
