// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of a correlating filter, of a fixed size: when it is full the
 * oldest event is given up. Only the filter's own thread uses it.
 */
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "window.h"

#define HASH_BITS	10

/**
 * struct moment - an event that is remembered
 * @age: among all, the oldest first; or among the free ones
 * @same: among those of its id, the oldest first
 * @subject: its id
 * @timer: when it happened
 */
struct moment {
	struct list_head	age;
	struct list_head	same;
	struct subject		*subject;
	u64			timer;
};

/**
 * struct subject - an abstract id of which events are remembered
 * @hash: among those of the same hash; or among the free ones
 * @id: the id
 * @moments: its events
 * @n: how many
 */
struct subject {
	struct hlist_node	hash;
	u64			id;
	struct list_head	moments;
	unsigned int		n;
};

/**
 * struct magnet_window - what a filter remembers
 * @ticks: how far back, in ticks of the records' timer
 * @newest: timer of the newest event that was seen
 * @age: all moments, the oldest first
 * @free_moments: room
 * @free_subjects: as many as there are moments, so there is always one
 * @hash: subjects by id
 * @moment: memory
 * @subject: memory
 */
struct magnet_window {
	u64			ticks;
	u64			newest;
	struct list_head	age;
	struct list_head	free_moments;
	struct hlist_head	free_subjects;
	struct hlist_head	hash[1 << HASH_BITS];
	struct moment		moment[MAGNET_WINDOW_EVENTS];
	struct subject		subject[MAGNET_WINDOW_EVENTS];
};

/**
 * magnet_window_new() - an empty memory
 * @ticks: how long an event is remembered
 *
 * Context: may sleep.
 * Return: the memory, or NULL.
 */
struct magnet_window *magnet_window_new(u64 ticks)
{
	struct magnet_window *w = kvzalloc(sizeof(*w), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!w)
		return NULL;
	w->ticks = ticks;
	INIT_LIST_HEAD(&w->age);
	INIT_LIST_HEAD(&w->free_moments);
	for (i = 0; i < MAGNET_WINDOW_EVENTS; i++) {
		list_add(&w->moment[i].age, &w->free_moments);
		hlist_add_head(&w->subject[i].hash, &w->free_subjects);
	}
	return w;
}

void magnet_window_free(struct magnet_window *w)
{
	kvfree(w);
}

static struct subject *find(const struct magnet_window *w, u64 id)
{
	struct subject *s;

	hlist_for_each_entry(s, &w->hash[hash_64(id, HASH_BITS)], hash)
		if (s->id == id)
			return s;
	return NULL;
}

static struct subject *find_or_make(struct magnet_window *w, u64 id)
{
	struct subject *s = find(w, id);

	if (s)
		return s;
	s = hlist_entry(w->free_subjects.first, struct subject, hash);
	hlist_del(&s->hash);
	s->id = id;
	s->n = 0;
	INIT_LIST_HEAD(&s->moments);
	hlist_add_head(&s->hash, &w->hash[hash_64(id, HASH_BITS)]);
	return s;
}

static void give_up(struct magnet_window *w, struct moment *m)
{
	struct subject *s = m->subject;

	list_del(&m->same);
	list_move(&m->age, &w->free_moments);
	if (--s->n)
		return;
	hlist_del(&s->hash);
	hlist_add_head(&s->hash, &w->free_subjects);
}

/**
 * magnet_window_expire() - an event comes: give up what is too old to matter
 * @w: the memory
 * @now: its timer
 *
 * Return: false when it is itself too old: it was read much too late.
 */
bool magnet_window_expire(struct magnet_window *w, u64 now)
{
	struct moment *m, *next;

	w->newest = max(w->newest, now);
	list_for_each_entry_safe(m, next, &w->age, age) {
		if (w->newest - m->timer <= w->ticks)
			break;
		give_up(w, m);
	}
	return w->newest - now <= w->ticks;
}

/* In the order of time; an event that is read late goes before younger ones. */
static void put_in_order(struct magnet_window *w, struct moment *m)
{
	struct list_head *same = m->subject->moments.prev, *age = w->age.prev;

	while (same != &m->subject->moments &&
	       list_entry(same, struct moment, same)->timer > m->timer)
		same = same->prev;
	while (age != &w->age && list_entry(age, struct moment, age)->timer > m->timer)
		age = age->prev;
	list_add(&m->same, same);
	list_add(&m->age, age);
}

/**
 * magnet_window_add() - remember an event
 * @w: the memory
 * @id: its abstract id
 * @timer: when it happened
 * @forgot: set when the oldest event was given up for it
 *
 * Return: how many events of the id are remembered now.
 */
unsigned int magnet_window_add(struct magnet_window *w, u64 id, u64 timer, bool *forgot)
{
	struct moment *m;

	*forgot = list_empty(&w->free_moments);
	if (*forgot)
		give_up(w, list_first_entry(&w->age, struct moment, age));
	m = list_first_entry(&w->free_moments, struct moment, age);
	m->timer = timer;
	m->subject = find_or_make(w, id);
	list_del(&m->age);
	put_in_order(w, m);
	return ++m->subject->n;
}

/**
 * magnet_window_first() - the oldest event of an id
 * @w: the memory
 * @id: abstract id
 * @timer: when it happened
 *
 * Return: false when there is none.
 */
bool magnet_window_first(const struct magnet_window *w, u64 id, u64 *timer)
{
	const struct subject *s = find(w, id);

	if (s)
		*timer = list_first_entry(&s->moments, struct moment, same)->timer;
	return s;
}

/**
 * magnet_window_clear() - give up all events of an id
 * @w: the memory
 * @id: abstract id
 */
void magnet_window_clear(struct magnet_window *w, u64 id)
{
	struct subject *s = find(w, id);
	struct moment *m, *next;

	if (!s)
		return;
	list_for_each_entry_safe(m, next, &s->moments, same)
		give_up(w, m);
}

/**
 * magnet_window_begin_anew() - give up all events: their times mean nothing any more
 * @w: the memory
 */
void magnet_window_begin_anew(struct magnet_window *w)
{
	struct moment *m, *next;

	list_for_each_entry_safe(m, next, &w->age, age)
		give_up(w, m);
	w->newest = 0;
}
