/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page faults: what each kind of processor's points have in common.
 */
#ifndef _MAGNET_PAGE_FAULT_H
#define _MAGNET_PAGE_FAULT_H

#include "probes/probe.h"

static __always_inline void
magnet_emit_page_fault(struct magnet_point *point, unsigned long address, unsigned long ip,
		       u32 error_code)
{
	struct magnet_page_fault payload = {};
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	payload.address = magnet_users_address(address);
	payload.ip = magnet_users_address(ip);
	payload.error_code = error_code;
	magnet_emit(point, guard, 0, &payload, sizeof(payload));
}

static const struct magnet_field magnet_page_fault_fields[] = {
	{ "address", "u64", offsetof(struct magnet_page_fault, address) },
	{ "ip", "u64", offsetof(struct magnet_page_fault, ip) },
	{ "error_code", "u32", offsetof(struct magnet_page_fault, error_code) },
	{}
};

#endif /* _MAGNET_PAGE_FAULT_H */
