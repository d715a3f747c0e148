// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a correlating filter is to look for:
 *
 *   pair POINT then POINT within TIME
 *   burst POINT more than N in TIME
 */
#include <linux/kernel.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "correlate.h"
#include "monisub/eventdb.h"
#include "window.h"
#include "written_time.h"

#define FORM	"a correlating filter is \"pair POINT then POINT within TIME\" or \"burst POINT more than N in TIME\""

#define WORDS_MAX	8

static unsigned int split(char *text, char **words)
{
	unsigned int n = 0;
	char *word;

	while ((word = strsep(&text, " \t\n"))) {
		if (!*word)
			continue;
		if (n == WORDS_MAX)
			return WORDS_MAX + 1;
		words[n++] = word;
	}
	return n;
}

static int find_point(struct magnet_correlation *c, unsigned int i, const char *name,
		      struct netlink_ext_ack *extack)
{
	c->point[i] = magnet_point_find(name);
	if (!c->point[i]) {
		NL_SET_ERR_MSG(extack, "there is no point of this name; control/events lists them");
		return -ENOENT;
	}
	if (!strcmp(c->point[i]->id_means, "none")) {
		NL_SET_ERR_MSG(extack, "the events of this point have no abstract id that could join them; choose a point whose id is not none (control/events)");
		return -EINVAL;
	}
	c->event[i] = c->point[i]->event;
	return 0;
}

static int read_time(struct magnet_correlation *c, const char *word,
		     struct netlink_ext_ack *extack)
{
	c->us = magnet_written_us(word);
	if (c->us)
		return 0;
	NL_SET_ERR_MSG(extack, "the time is at most an hour: 500us, 20ms, 1s, 5m; a number alone is seconds");
	return -ERANGE;
}

static int read_pair(struct magnet_correlation *c, char **words, struct netlink_ext_ack *extack)
{
	int err = find_point(c, 0, words[1], extack) ?: find_point(c, 1, words[3], extack);

	if (err)
		return err;
	if (c->point[0] == c->point[1]) {
		NL_SET_ERR_MSG(extack, "a pair is of two points; of one, \"burst POINT more than 1 in ...\" says how close");
		return -EINVAL;
	}
	return read_time(c, words[5], extack);
}

static int read_burst(struct magnet_correlation *c, char **words, struct netlink_ext_ack *extack)
{
	int err = find_point(c, 0, words[1], extack);

	if (err)
		return err;
	c->burst = true;
	if (kstrtou32(words[4], 10, &c->n) || !c->n || c->n >= MAGNET_WINDOW_EVENTS) {
		NL_SET_ERR_MSG(extack, "a burst is of more than 1 to 4095 events");
		return -ERANGE;
	}
	return read_time(c, words[6], extack);
}

static bool are(char **words, unsigned int n, const char *const *pattern)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (pattern[i] && strcmp(words[i], pattern[i]))
			return false;
	return true;
}

/**
 * magnet_correlation_parse() - understand a definition
 * @c: with its definition
 * @extack: what was wrong
 *
 * Context: may sleep; magnet_mutex held.
 * Return: 0, -EINVAL, -ENOENT, -ERANGE, -ENOMEM.
 */
int magnet_correlation_parse(struct magnet_correlation *c, struct netlink_ext_ack *extack)
{
	static const char *const pair[] = { "pair", NULL, "then", NULL, "within", NULL };
	static const char *const burst[] = { "burst", NULL, "more", "than", NULL, "in", NULL };
	char *text = kstrdup(c->definition, GFP_KERNEL);
	char *words[WORDS_MAX];
	unsigned int n;
	int err;

	if (!text)
		return -ENOMEM;
	n = split(text, words);
	if (n == ARRAY_SIZE(pair) && are(words, n, pair)) {
		err = read_pair(c, words, extack);
	} else if (n == ARRAY_SIZE(burst) && are(words, n, burst)) {
		err = read_burst(c, words, extack);
	} else {
		NL_SET_ERR_MSG(extack, FORM);
		err = -EINVAL;
	}
	kfree(text);
	return err;
}
