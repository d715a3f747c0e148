// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cache.h>
#include <linux/random.h>

#include "magnet_internal.h"
#include "probes/identity.h"

/* Another one each time the module is loaded. */
siphash_key_t magnet_identity_key __read_mostly;

void magnet_identity_init(void)
{
	get_random_bytes(&magnet_identity_key, sizeof(magnet_identity_key));
}
