/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * magnet for other modules of the kernel: events of their own, handlers that
 * filter, and reading buffers. samples/magnet_sample uses all of it.
 *
 * A module that uses this keeps magnet.ko loaded. It can't be unloaded itself
 * while somebody subscribes to its event, while its handler filters a point
 * that somebody subscribes to, or while it has a buffer open.
 *
 * Every error, and what it means. Functions that are not named have none.
 *
 *   magnet_event_register()
 *	-EINVAL		the type is not as struct magnet_event_type says: a name
 *			with other characters or too long, a field of another
 *			type, not at a multiple of its size or behind the
 *			payload's end, a payload that no record has room for
 *	-EEXIST		a point has this name
 *	-ENOSPC		no event id is free
 *	-ENOMEM		no memory
 *   magnet_add()
 *	-EMSGSIZE	more bytes than the event may have; counted as dropped_big
 *	-ENOSPC		a buffer that wants it has no room; counted as dropped_full
 *	-EBUSY		inside a handler of the sensor in the same context; counted
 *			as dropped_recursion
 *   magnet_reserve()
 *	NULL		the same three, counted the same; or a rule drops it whatever
 *			its payload, counted as filtered; or nobody wants the event
 *   magnet_custom_register()
 *	-ENOENT		there is no such point
 *	-EBUSY		the point has a handler
 *	-ENODEV		the point is in use, and the handler's module is just
 *			being unloaded
 *	-ENOMEM		no memory
 *   magnet_open()
 *	-ENOENT		there is no buffer of this name, or it has no ring of this
 *			CPU, which was never online
 *	-EBUSY		the ring has a reader; or all CPUs are asked for and one of
 *			them has a reader, or the reverse
 *	-EOPNOTSUPP	it is a flight recorder: its snapshots are read
 *	-ENODEV		the module that opens it is just being unloaded
 *	-ENOMEM		no memory
 *   magnet_read()
 *	-EAGAIN		nothing is readable yet, or another thread is reading
 *	-EMSGSIZE	the next record does not fit; nothing is consumed
 *	-ERESTARTSYS	the buffer was removed, and a signal came while another
 *			thread was reading the rest
 *   magnet_wait()
 *	-ETIME		nothing became readable in the time
 *	-EAGAIN		MAX_READ_TIMEOUT passed, and there is nothing
 *	-ERESTARTSYS	a signal came
 *	-EINTR		it is a kernel thread, and is to stop
 *   magnet_set()
 *	-EINVAL		no attribute of this file, or a value beyond its limits
 */
#ifndef _MAGNET_H
#define _MAGNET_H

#include <linux/compiler.h>
#include <linux/types.h>

struct magnet_custom;
struct magnet_file;
struct magnet_record;
struct module;

/* ---- events ---- */

/**
 * struct magnet_field - a field of an event's payload
 * @name: what control/format calls it
 * @type: u8, u16, u32, u64
 * @offset: bytes from the start of the payload
 */
struct magnet_field {
	const char	*name;
	const char	*type;
	u16		offset;
};

/**
 * struct magnet_event_type - what a module says about its event
 * @name: unique; letters, digits and '_', no digit first, as all names here
 * @subsystem: what it belongs to
 * @id_means: what its abstract id is
 * @fields: of the payload, ended by one without name
 * @payload_size: bytes that the fields take
 * @payload_max: most bytes that a payload may have; 0: as many as the fields
 *	take. What is behind the fields readers find by the record's size
 *
 * It and what it points to have to stay until the event is unregistered.
 */
struct magnet_event_type {
	const char			*name;
	const char			*subsystem;
	const char			*id_means;
	const struct magnet_field	*fields;
	u16				payload_size;
	u16				payload_max;
};

/**
 * struct magnet_own_event - an event that is registered
 * @on: somebody wants it: magnet_event_on()
 * @id: in the records, given at run time
 */
struct magnet_own_event {
	bool	on;
	u16	id;
};

struct magnet_own_event *magnet_event_register_as(const struct magnet_event_type *type,
						  struct module *owner);
void magnet_event_unregister(struct magnet_own_event *event);

/**
 * magnet_event_register() - make an event known to the sensor
 * @type: what it is
 *
 * From now on it is a point like any other: it has a line in control/events
 * and control/format and can be subscribed.
 *
 * Context: may sleep.
 * Return: the event, or an ERR_PTR: -EINVAL when the type is not as it has to
 * be, -EEXIST when a point has this name, -ENOSPC without a free id, -ENOMEM.
 */
#define magnet_event_register(type)	magnet_event_register_as(type, THIS_MODULE)

/**
 * magnet_event_on() - does anybody want the event?
 * @event: the event
 *
 * For who would have to collect what goes into it.
 *
 * Context: any.
 */
static __always_inline bool magnet_event_on(const struct magnet_own_event *event)
{
	return unlikely(READ_ONCE(event->on));
}

int magnet_add(struct magnet_own_event *event, u64 id, const void *payload, size_t size);

/**
 * struct magnet_reservation - between magnet_reserve() and magnet_commit()
 * @payload: where it goes; NULL when nothing is to be written
 * @event: private, as is all below
 * @id: abstract id
 * @size: bytes
 * @guard: of the recursion guard
 * @plan: of the event's point, as @sub and @payload follow from it
 * @sub: whose ring @payload is in; NULL: it is still to be looked at
 */
struct magnet_reservation {
	void			*payload;
	struct magnet_own_event	*event;
	u64			id;
	size_t			size;
	int			guard;
	unsigned long		plan;
	void			*sub;
};

void *magnet_reserve(struct magnet_reservation *r, struct magnet_own_event *event, u64 id,
		     size_t size);
void magnet_commit(struct magnet_reservation *r);

/* ---- handlers that filter ---- */

/**
 * struct magnet_event_view - an event that is about to be logged
 * @event: its id
 * @cpu: where it happens
 * @tgid: process that is running
 * @tid: thread that is running
 * @id: abstract id
 * @payload: its payload
 * @size: bytes of it
 */
struct magnet_event_view {
	u16		event;
	u16		cpu;
	u32		tgid;
	u32		tid;
	u64		id;
	const void	*payload;
	u32		size;
};

/**
 * typedef magnet_custom_fn - a handler that is asked for each event of a point
 * @view: the event
 * @arg: as given at registration
 *
 * Context: that of the event, up to an NMI, with preemption off and RCU watching:
 * no sleep, no lock, no user memory. Events that it makes itself are counted as recursion.
 * Return: true to log it, false to drop it, which is counted as filtered.
 */
typedef bool magnet_custom_fn(const struct magnet_event_view *view, void *arg);

struct magnet_custom *magnet_custom_register_as(const char *point, magnet_custom_fn *fn,
						void *arg, struct module *owner);
void magnet_custom_unregister(struct magnet_custom *custom);

/**
 * magnet_custom_register() - let a handler filter a point
 * @point: name of the point
 * @fn: the handler
 * @arg: handed to it
 *
 * Context: may sleep.
 * Return: for magnet_custom_unregister(), or an ERR_PTR: -ENOENT without such
 * a point, -EBUSY when it has a handler, -ENODEV while the module is being
 * unloaded, -ENOMEM.
 */
#define magnet_custom_register(point, fn, arg)	\
	magnet_custom_register_as(point, fn, arg, THIS_MODULE)

/* ---- reading ---- */

/* In magnet_open(): all CPUs, merged in the order of time. */
#define MAGNET_ALL_CPUS	(-1)

struct magnet_file *magnet_open_as(const char *buffer, int cpu, struct module *owner);
ssize_t magnet_read(struct magnet_file *file, void *to, size_t size);
int magnet_wait(struct magnet_file *file, u64 timeout_us);
long long magnet_set(struct magnet_file *file, unsigned int option, u64 value);
void magnet_close(struct magnet_file *file);
const void *magnet_decode(const void *record, struct magnet_record *header);

/**
 * magnet_open() - become the reader of a buffer
 * @buffer: its name
 * @cpu: CPU, or MAGNET_ALL_CPUS
 *
 * Context: may sleep.
 * Return: the file, or an ERR_PTR: -ENOENT without such a buffer or ring,
 * -EBUSY when it has a reader, -EOPNOTSUPP when it is a flight recorder, -ENODEV
 * while the module is being unloaded, -ENOMEM.
 */
#define magnet_open(buffer, cpu)	magnet_open_as(buffer, cpu, THIS_MODULE)

#endif /* _MAGNET_H */
