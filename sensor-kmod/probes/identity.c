// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cache.h>
#include <linux/random.h>
#include <linux/siphash.h>

#include "probes/identity.h"
#include "probes/probe.h"

DEFINE_PER_CPU_ALIGNED(struct magnet_named, magnet_named[MAGNET_NAMED]);

/* Another one each time the module is loaded. */
static siphash_key_t key __read_mostly;

/* The rest of magnet_identity(). */
u64 magnet_identity_new(const void *object, unsigned long guard)
{
	const u64 name = siphash_1u64((unsigned long)object, &key);
	struct magnet_named *named = magnet_named_slot(object);

	if ((int)guard != MAGNET_GUARD_IDLE)
		return name;
	WRITE_ONCE(named->object, NULL);
	barrier();
	named->name = name;
	barrier();
	WRITE_ONCE(named->object, object);
	return name;
}

void magnet_identity_init(void)
{
	get_random_bytes(&key, sizeof(key));
}
