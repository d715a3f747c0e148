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

static void emit_text(struct magnet_sub_cpu *sc, u64 id, const char *text, u32 len)
{
	const u32 room = ALIGN(len, MAGNET_RECORD_ALIGN);
	struct magnet_marker *marker = magnet_emit_begin(sc, id, sizeof(*marker), room);

	if (!marker)
		return;
	marker->len = len;
	marker->reserved = 0;
	memcpy(marker + 1, text, len);
	memset((char *)(marker + 1) + len, 0, room - len);
	magnet_emit_end(sc);
}

/* The text is in the kernel already: a handler must not touch user memory. */
static void emit_marker(u64 id, const char *text, u32 len)
{
	struct magnet_sub_cpu __percpu *subs;
	struct magnet_sub_cpu *sc;
	int guard;

	if (!magnet_probe_enter(&magnet_point_marker, &guard))
		return;
	subs = READ_ONCE(magnet_point_marker.subs);
	for (sc = subs ? raw_cpu_ptr(subs) : NULL; sc; sc = READ_ONCE(sc->next))
		emit_text(sc, id, text, len);
	magnet_probe_leave(guard);
}

static ssize_t marker_write(struct file *file, const char __user *from, size_t count,
			    loff_t *pos)
{
	size_t len = count;
	char *text;

	if (!count)
		return -EINVAL;
	/* One more for the newline that echo adds. */
	if (count > MAGNET_MARKER_MAX + 1)
		return -EMSGSIZE;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	len -= text[len - 1] == '\n';
	text[len] = '\0';
	if (!len || len > MAGNET_MARKER_MAX) {
		kfree(text);
		return len ? -EMSGSIZE : -EINVAL;
	}
	emit_marker(number_of(text), text, len);
	kfree(text);
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
