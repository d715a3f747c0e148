/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for the kernel's objects that say nothing of addresses.
 */
#ifndef _MAGNET_PROBES_IDENTITY_H
#define _MAGNET_PROBES_IDENTITY_H

#include <linux/compiler.h>
#include <linux/percpu.h>

#include "ring/rare.h"

/**
 * struct magnet_named - an object that was named lately on this CPU
 * @object: its address; NULL while the entry is written
 * @name: its name
 */
struct magnet_named {
	const void	*object;
	u64		name;
};

/*
 * A packet passes one layer after the other on a CPU, and the hash costs more
 * than all the rest of its event. Most objects are 256 bytes or more apart.
 */
#define MAGNET_NAMED		16
#define MAGNET_NAMED_SHIFT	8
DECLARE_PER_CPU_ALIGNED(struct magnet_named, magnet_named[MAGNET_NAMED]);

void magnet_identity_init(void);
u64 notrace __cold MAGNET_RARE magnet_identity_new(const void *object, unsigned long guard);

static __always_inline struct magnet_named *magnet_named_slot(const void *object)
{
	return raw_cpu_ptr(&magnet_named[((unsigned long)object >> MAGNET_NAMED_SHIFT) %
					 MAGNET_NAMED]);
}

/**
 * magnet_identity() - what joins the events of one object
 * @guard: from magnet_probe_enter()
 * @object: a packet, a request; not NULL
 *
 * Context: between magnet_probe_enter() and magnet_probe_leave(). Handlers that
 * interrupt another one read entries and never write any: so an entry does not
 * change under who reads it, and who interrupts a writer finds no object.
 * Return: a keyed hash of the address; of another object once that is reused.
 */
static __always_inline u64 magnet_identity(int guard, const void *object)
{
	const struct magnet_named *named = magnet_named_slot(object);

	if (likely(READ_ONCE(named->object) == object))
		return named->name;
	return magnet_rare_u64_of(magnet_identity_new, object, guard);
}

#endif /* _MAGNET_PROBES_IDENTITY_H */
