/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for the kernel's objects that say nothing of addresses.
 */
#ifndef _MAGNET_PROBES_IDENTITY_H
#define _MAGNET_PROBES_IDENTITY_H

#include <linux/siphash.h>

extern siphash_key_t magnet_identity_key;

/**
 * magnet_identity() - what joins the events of one object
 * @object: a packet, a request
 *
 * Context: any.
 * Return: a keyed hash of the address; of another object once that is reused.
 */
static __always_inline u64 magnet_identity(const void *object)
{
	return siphash_1u64((unsigned long)object, &magnet_identity_key);
}

#endif /* _MAGNET_PROBES_IDENTITY_H */
