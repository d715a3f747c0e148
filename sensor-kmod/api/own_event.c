// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of other modules: include/magnet.h.
 *
 * Such an event is a point of mechanism module, with an id given at run time.
 * Its module is held while the point has subscriptions.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <magnet.h>

#include "kernevesub/correlate.h"
#include "kernevesub/gate.h"
#include "monisub/eventdb.h"
#include "monisub/monisub.h"
#include "monisub/point.h"
#include "monisub/sub.h"
#include "own_event.h"
#include "probes/probe.h"
#include "probes/quick.h"
#include "ring/record.h"
#include "ring/ring.h"
#include "turn.h"

/*
 * Events under way at once on one CPU: thread, soft and hard interrupt, NMI.
 * Together they take no more than a per-CPU allocation may have.
 */
#define SCRATCH_SLOTS	4

/**
 * struct scratch - where events are put together that somebody looks at first
 * @used: slots in use; contexts nest, so the last one taken is given back first
 * @room: the slots
 */
struct scratch {
	unsigned int	used;
	u8		room[] __aligned(8);
};

/**
 * struct own_event - another module's event
 * @event: what that module has of it
 * @point: what the event database knows of it
 * @max: most bytes of a payload, a multiple of 8
 * @scratch: for magnet_reserve()
 */
struct own_event {
	struct magnet_own_event	event;
	struct magnet_point	point;
	u32			max;
	struct scratch __percpu	*scratch;
};

static struct own_event *own_event_of(struct magnet_own_event *event)
{
	return container_of(event, struct own_event, event);
}

/* ---- logging ---- */

/* What a payload takes in a record: all fields are there. */
static u32 room_of(const struct own_event *own, size_t size)
{
	return max_t(u32, own->point.payload_size, ALIGN(size, MAGNET_RECORD_ALIGN));
}

/* A record for one subscription, zero behind @size bytes of payload. */
static void *begin(const struct own_event *own, struct magnet_sub_cpu *sc, u64 id, size_t size)
{
	const u32 room = room_of(own, size);
	char *payload = magnet_emit_begin(sc, id, own->point.payload_size,
					  room - own->point.payload_size);

	if (payload)
		memset(payload + size, 0, room - size);
	return payload;
}

/* Log it to @sc and those behind it. */
static int emit(const struct own_event *own, struct magnet_sub_cpu *sc, u64 id,
		const void *payload, size_t size)
{
	int err = 0;

	for (; sc; sc = READ_ONCE(sc->next)) {
		void *to = begin(own, sc, id, size);

		if (!to) {
			err = -ENOSPC;
			continue;
		}
		memcpy(to, payload, size);
		magnet_emit_end(sc);
	}
	return err;
}

/* ---- where gates look at the whole event before it is logged ---- */

static size_t slot_size(const struct own_event *own)
{
	return sizeof(struct magnet_view) + own->max;
}

static struct magnet_view *take_slot(const struct own_event *own)
{
	struct scratch *scratch = this_cpu_ptr(own->scratch);
	const unsigned int used = READ_ONCE(scratch->used);

	if (used == SCRATCH_SLOTS) {
		magnet_event_dropped(&own->point, false);
		return NULL;
	}
	/* Who interrupts us restores what it found. */
	WRITE_ONCE(scratch->used, used + 1);
	barrier();
	return (struct magnet_view *)(scratch->room + used * slot_size(own));
}

static void give_slot_back(const struct own_event *own)
{
	struct scratch *scratch = this_cpu_ptr(own->scratch);

	barrier();
	WRITE_ONCE(scratch->used, READ_ONCE(scratch->used) - 1);
}

/* Rules about who, id and cpu need no slot. */
static bool rejected_early(unsigned long plan, u64 id)
{
	struct magnet_view view;

	view.id = id;
	return magnet_view_rejected(plan, &view, true);
}

static int emit_slot(const struct own_event *own, unsigned long plan,
		     struct magnet_view *view, u64 id, size_t size)
{
	const u32 room = room_of(own, size);
	int err = 0;

	view->id = id;
	memset((char *)view->payload + size, 0, room - size);
	if (!magnet_view_rejected(plan, view, false))
		err = magnet_ask_gates(plan, view, room, NULL);
	give_slot_back(own);
	return err;
}

static int emit_gated(const struct own_event *own, unsigned long plan, u64 id,
		      const void *payload, size_t size)
{
	struct magnet_view *view;

	if (rejected_early(plan, id))
		return 0;
	view = take_slot(own);
	if (!view)
		return -EBUSY;
	memcpy(view->payload, payload, size);
	return emit_slot(own, plan, view, id, size);
}

/**
 * magnet_add() - log an event
 * @event: the event
 * @id: abstract id
 * @payload: kernel memory
 * @size: bytes of it; the record has zeros where the fields go on, and up to
 *	the next multiple of 8
 *
 * Does nothing while nobody wants the event.
 *
 * Context: any, NMI included.
 * Return: 0; -EMSGSIZE when it is too big, -ENOSPC when a buffer has no room,
 * -EBUSY inside a handler of the sensor: then it is counted as lost.
 */
int magnet_add(struct magnet_own_event *event, u64 id, const void *payload, size_t size)
{
	struct own_event *own = own_event_of(event);
	unsigned long plan;
	int guard, err;

	if (!magnet_event_on(event))
		return 0;
	if (!magnet_probe_enter(&own->point, &guard))
		return -EBUSY;
	plan = READ_ONCE(own->point.plans.now);
	if (size > own->max) {
		magnet_event_dropped(&own->point, true);
		err = -EMSGSIZE;
	} else if (magnet_plan_is_plain(plan)) {
		err = emit(own, raw_cpu_ptr(magnet_plan_subs(plan)), id, payload, size);
	} else {
		err = emit_gated(own, plan, id, payload, size);
	}
	magnet_probe_leave(guard);
	return err;
}
EXPORT_SYMBOL_GPL(magnet_add);

/* The payload goes into the first ring that has room; to the others at the end. */
static void *reserve_ring(struct magnet_reservation *r, const struct own_event *own,
			  struct magnet_sub_cpu *sc)
{
	void *payload;

	for (; sc; sc = READ_ONCE(sc->next)) {
		payload = begin(own, sc, r->id, r->size);
		if (!payload)
			continue;
		r->sub = sc;
		return payload;
	}
	return NULL;
}

static void *reserve(struct magnet_reservation *r, const struct own_event *own)
{
	struct magnet_view *view;

	r->plan = READ_ONCE(own->point.plans.now);
	if (r->size > own->max) {
		magnet_event_dropped(&own->point, true);
		return NULL;
	}
	if (magnet_plan_is_plain(r->plan))
		return reserve_ring(r, own, raw_cpu_ptr(magnet_plan_subs(r->plan)));
	if (rejected_early(r->plan, r->id))
		return NULL;
	view = take_slot(own);
	return view ? view->payload : NULL;
}

/**
 * magnet_reserve() - take room for an event that is written in place
 * @r: for magnet_commit(); on the caller's stack
 * @event: the event
 * @id: abstract id
 * @size: bytes of payload, all of which the caller writes
 *
 * Preemption is off from here on until magnet_commit(), and other events of
 * this context are counted as recursion: be quick.
 *
 * Context: any, NMI included; magnet_commit() in the same.
 * Return: where the payload goes; NULL when nobody wants the event, a rule drops
 * it whatever its payload, or nobody has room; both are counted. Then
 * magnet_commit() has nothing to do and may be left out.
 */
void *magnet_reserve(struct magnet_reservation *r, struct magnet_own_event *event, u64 id,
		     size_t size)
{
	struct own_event *own = own_event_of(event);

	*r = (struct magnet_reservation){ .event = event, .id = id, .size = size };
	if (!magnet_event_on(event) || !magnet_probe_enter(&own->point, &r->guard))
		return NULL;
	r->payload = reserve(r, own);
	if (!r->payload)
		magnet_probe_leave(r->guard);
	return r->payload;
}
EXPORT_SYMBOL_GPL(magnet_reserve);

/**
 * magnet_commit() - the payload is whole
 * @r: from magnet_reserve()
 *
 * Context: as magnet_reserve().
 */
void magnet_commit(struct magnet_reservation *r)
{
	struct own_event *own = own_event_of(r->event);
	struct magnet_sub_cpu *sc = r->sub;

	if (!r->payload)
		return;
	if (sc) {
		/* Those in front of @sc had no room; once published, it may be read over. */
		emit(own, READ_ONCE(sc->next), r->id, r->payload, r->size);
		magnet_emit_end(sc);
	} else {
		emit_slot(own, r->plan,
			  container_of(r->payload, struct magnet_view, payload), r->id, r->size);
	}
	r->payload = NULL;
	magnet_probe_leave(r->guard);
}
EXPORT_SYMBOL_GPL(magnet_commit);

/* ---- subscriptions: point.c ---- */

/* Its module may be this one: a point that is there from the beginning. */
static void switch_event(struct magnet_point *point, bool on)
{
	WRITE_ONCE(point->hooked, on);
	if (point->owner)
		WRITE_ONCE(container_of(point, struct own_event, point)->event.on, on);
}

int magnet_own_event_attach(struct magnet_point *point)
{
	switch_event(point, true);
	return 0;
}

void magnet_own_event_detach(struct magnet_point *point)
{
	switch_event(point, false);
}

/* ---- life ---- */

static bool is_type(const char *type, unsigned int *size)
{
	static const char *const names[] = { "u8", "u16", "u32", "u64" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		*size = 1 << i;
		if (type && !strcmp(type, names[i]))
			return true;
	}
	return false;
}

static bool fields_are_good(const struct magnet_event_type *type)
{
	const struct magnet_field *field;
	unsigned int size;

	for (field = type->fields; field && field->name; field++)
		if (!magnet_is_name(field->name) || !is_type(field->type, &size) ||
		    field->offset % size || field->offset + size > type->payload_size)
			return false;
	return true;
}

static bool type_is_good(const struct magnet_event_type *type, struct module *owner)
{
	/* Four of them fit into one allocation for each CPU. */
	const u32 max = MAGNET_RECORD_SIZE_MAX - magnet_header_size() - sizeof(struct magnet_view);

	return owner && type->name && magnet_is_name(type->name) && type->subsystem &&
	       magnet_is_name(type->subsystem) && type->id_means &&
	       magnet_is_name(type->id_means) && strlen(type->name) < MAGNET_NAME_SIZE &&
	       (!type->payload_max || type->payload_max >= type->payload_size) &&
	       max(type->payload_size, type->payload_max) <= max && fields_are_good(type);
}

static void fill_in(struct own_event *own, const struct magnet_event_type *type,
		    struct module *owner)
{
	own->max = ALIGN(max(type->payload_size, type->payload_max), MAGNET_RECORD_ALIGN);
	own->point = (struct magnet_point){
		.name = type->name,
		.subsystem = type->subsystem,
		.id_means = type->id_means,
		.mechanism = MAGNET_MECHANISM_MODULE,
		.payload_size = ALIGN(type->payload_size, MAGNET_RECORD_ALIGN),
		.fields = type->fields,
		.owner = owner,
	};
}

static int add(struct own_event *own)
{
	int err;

	own->scratch = __alloc_percpu(sizeof(struct scratch) + SCRATCH_SLOTS * slot_size(own),
				      __alignof__(struct scratch));
	if (!own->scratch)
		return -ENOMEM;
	mutex_lock(&magnet_mutex);
	err = magnet_point_add(&own->point, NULL);
	own->event.id = own->point.event;
	if (!err)
		magnet_generation++;
	mutex_unlock(&magnet_mutex);
	if (err)
		free_percpu(own->scratch);
	return err;
}

/**
 * magnet_event_register_as() - see magnet_event_register()
 * @type: what the event is
 * @owner: whose it is
 */
struct magnet_own_event *magnet_event_register_as(const struct magnet_event_type *type,
						  struct module *owner)
{
	struct own_event *own;
	int err;

	if (!type_is_good(type, owner)) {
		pr_err("%s: the event's type is not as include/magnet.h wants it\n",
		       owner ? owner->name : "?");
		return ERR_PTR(-EINVAL);
	}
	own = kzalloc(sizeof(*own), GFP_KERNEL);
	if (!own)
		return ERR_PTR(-ENOMEM);
	fill_in(own, type, owner);
	err = add(own);
	if (!err)
		return &own->event;
	kfree(own);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(magnet_event_register_as);

/**
 * magnet_event_unregister() - the reverse
 * @event: nobody logs it any more
 *
 * A module is not unloaded while there are subscriptions; but one whose
 * start fails is. They end here.
 *
 * Context: may sleep.
 */
void magnet_event_unregister(struct magnet_own_event *event)
{
	struct own_event *own = own_event_of(event);

	mutex_lock(&magnet_mutex);
	magnet_correlations_lose_point(&own->point);
	magnet_end_subs(magnet_sub_of_point, &own->point);
	magnet_point_del(&own->point);
	magnet_generation++;
	mutex_unlock(&magnet_mutex);
	free_percpu(own->scratch);
	kfree(own);
}
EXPORT_SYMBOL_GPL(magnet_event_unregister);
