// SPDX-License-Identifier: GPL-2.0-only
/*
 * User markers: a program writes a text to a file, and the text is an event
 * among the kernel's. /sys/kernel/debug/magnet/marker, /dev/magnet/marker.
 */
#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "monisub/eventdb.h"
#include "probes/marker.h"
#include "probes/probe.h"

/* The number that a text may begin with, followed by a space or nothing; else 0. */
static u64 number_of(const char *text)
{
	char digits[24];
	size_t len = 0;
	u64 number;

	while (len < sizeof(digits) - 1 && isdigit(text[len])) {
		digits[len] = text[len];
		len++;
	}
	digits[len] = '\0';
	if ((text[len] && !isspace(text[len])) || kstrtou64(digits, 10, &number))
		return 0;
	return number;
}

static void emit_text(struct magnet_sub_cpu *sc, const struct magnet_view *view, u32 size)
{
	void *payload = magnet_emit_begin(sc, view->id, sizeof(struct magnet_marker),
					  size - sizeof(struct magnet_marker));

	if (!payload)
		return;
	memcpy(payload, view->payload, size);
	magnet_emit_end(sc);
}

/* The text is in the kernel already: a handler must not touch user memory. */
static void emit_marker(struct magnet_view *view)
{
	const struct magnet_marker *marker = (const struct magnet_marker *)view->payload;
	const u32 size = sizeof(*marker) + ALIGN(marker->len, MAGNET_RECORD_ALIGN);
	struct magnet_sub_cpu *sc;
	unsigned long plan;
	int guard;

	/* Disabled: nobody unhooks a point that the module itself logs. */
	if (!READ_ONCE(magnet_point_marker.hooked) ||
	    !magnet_probe_enter(&magnet_point_marker, &guard))
		return;
	plan = READ_ONCE(magnet_point_marker.plans.now);
	if (!magnet_plan_is_plain(plan)) {
		magnet_emit_gated(plan, view, size, NULL, guard);
		return;
	}
	for (sc = raw_cpu_ptr(magnet_plan_subs(plan)); sc; sc = READ_ONCE(sc->next))
		emit_text(sc, view, size);
	magnet_probe_leave(guard);
}

static ssize_t marker_write(struct file *file, const char __user *from, size_t count,
			    loff_t *pos)
{
	struct magnet_marker *marker;
	struct magnet_view *view;
	size_t len = count;
	char *text;

	if (!count)
		return -EINVAL;
	/* One more for the newline that echo adds. */
	if (count > MAGNET_MARKER_MAX + 1)
		return -EMSGSIZE;
	/* What the record is filled up with is zero. */
	view = kzalloc(sizeof(*view) + sizeof(*marker) + ALIGN(count + 1, MAGNET_RECORD_ALIGN),
		       GFP_KERNEL_ACCOUNT);
	if (!view)
		return -ENOMEM;
	marker = (struct magnet_marker *)view->payload;
	text = (char *)(marker + 1);
	if (copy_from_user(text, from, count)) {
		kfree(view);
		return -EFAULT;
	}
	len -= text[len - 1] == '\n';
	text[len] = '\0';
	if (!len || len > MAGNET_MARKER_MAX) {
		kfree(view);
		return len ? -EMSGSIZE : -EINVAL;
	}
	marker->len = len;
	view->id = number_of(text);
	emit_marker(view);
	kfree(view);
	return count;
}

const struct file_operations magnet_marker_fops = {
	.owner = THIS_MODULE,
	.write = marker_write,
};

static const struct magnet_field marker_fields[] = {
	{ "len", "u32", offsetof(struct magnet_marker, len) },
	{}
};

struct magnet_point magnet_point_marker = {
	.name = "marker",
	.subsystem = "user",
	.id_means = "number",
	.event = MAGNET_EVENT_MARKER,
	.mechanism = MAGNET_MECHANISM_MODULE,
	.payload_size = sizeof(struct magnet_marker),
	.fields = marker_fields,
};
