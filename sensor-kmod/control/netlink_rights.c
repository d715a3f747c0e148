// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may ask for what. A right is wanted of whoever opened the socket and of
 * whoever uses it, in the first user namespace. CAP_PERFMON is enough for what
 * perf gives for it: events, their times, registers. Memory is what BPF reads
 * with CAP_BPF besides, packets what tcpdump takes with CAP_NET_RAW.
 * CAP_SYS_ADMIN has all of it, as there.
 */
#include <linux/capability.h>

#include "monisub/point.h"
#include "netlink.h"

/**
 * magnet_may_change() - may the sender of a request change things?
 * @request: the request
 *
 * Then he may see kernel addresses, too.
 *
 * Context: of whoever sends it, or receives what a dump goes on with.
 */
bool magnet_may_change(const struct sk_buff *request)
{
	return netlink_capable(request, CAP_PERFMON) || netlink_capable(request, CAP_SYS_ADMIN);
}

/**
 * magnet_refuse_change() - the same for a request that wants to
 * @request: the request
 * @extack: what is missing
 *
 * Context: of whoever sends it.
 * Return: 0 or -EPERM.
 */
int magnet_refuse_change(const struct sk_buff *request, struct netlink_ext_ack *extack)
{
	if (magnet_may_change(request))
		return 0;
	NL_SET_ERR_MSG(extack, "needs CAP_PERFMON or CAP_SYS_ADMIN");
	return -EPERM;
}

/**
 * magnet_refuse_fetch() - may the sender read what a point of his reads?
 * @info: the request; its sender may change things
 * @point: the point
 *
 * Context: of whoever sends it.
 * Return: 0, or -EPERM and the extack says what is missing.
 */
int magnet_refuse_fetch(const struct genl_info *info, const struct magnet_point *point)
{
	const struct sk_buff *request = magnet_request_of(info);

	if (point->reads != MAGNET_READS_MEMORY)
		return 0;
	if (netlink_capable(request, CAP_SYS_ADMIN) ||
	    (netlink_capable(request, CAP_PERFMON) && netlink_capable(request, CAP_BPF)))
		return 0;
	NL_SET_ERR_MSG(info->extack, "a field reads the kernel's memory: needs CAP_BPF with CAP_PERFMON, or CAP_SYS_ADMIN");
	return -EPERM;
}

/**
 * magnet_refuse_snap() - may the sender have bytes of packets logged?
 * @info: the request; its sender may change things
 * @bytes: how many of each
 *
 * Context: of whoever sends it.
 * Return: 0, or -EPERM and the extack says what is missing.
 */
int magnet_refuse_snap(const struct genl_info *info, u32 bytes)
{
	const struct sk_buff *request = magnet_request_of(info);

	if (!bytes || netlink_capable(request, CAP_NET_RAW) ||
	    netlink_capable(request, CAP_SYS_ADMIN))
		return 0;
	NL_SET_ERR_MSG(info->extack, "bytes of packets need CAP_NET_RAW too, or CAP_SYS_ADMIN");
	return -EPERM;
}
