// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block I/O: a request goes to its device and comes back.
 */
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <trace/events/block.h>

#include "monisub/eventdb.h"
#include "probes/identity.h"
#include "probes/probe.h"

#define MAGNET_BLOCK_POINT(name, event, probe)					\
	MAGNET_TRACEPOINT_POINT("block", name, event, "request",		\
				sizeof(struct magnet_block), block_fields, probe)

static const struct magnet_field block_fields[] = {
	{ "sector", "u64", offsetof(struct magnet_block, sector) },
	{ "dev", "u32", offsetof(struct magnet_block, dev) },
	{ "bytes", "u32", offsetof(struct magnet_block, bytes) },
	{ "op", "u32", offsetof(struct magnet_block, op) },
	{ "error", "u32", offsetof(struct magnet_block, error) },
	{}
};

/* Commands that are passed through to the device have no sector. */
static __always_inline void
emit_request(struct magnet_point *point, struct request *rq, u32 bytes, int error)
{
	struct magnet_block payload;
	int guard;

	if (!magnet_probe_enter(point, &guard))
		return;
	payload.sector = blk_rq_is_passthrough(rq) ? 0 : blk_rq_pos(rq);
	payload.dev = rq->q->disk ? disk_devt(rq->q->disk) : 0;
	payload.bytes = bytes;
	payload.op = (__force u32)req_op(rq);
	payload.error = -error;
	magnet_emit(point, guard, magnet_identity(guard, rq), &payload, sizeof(payload));
}

static void on_block_rq_issue(void *data, struct request *rq)
{
	emit_request(data, rq, blk_rq_bytes(rq), 0);
}

MAGNET_BLOCK_POINT(block_rq_issue, MAGNET_EVENT_BLOCK_RQ_ISSUE, on_block_rq_issue);

/* A request may come back in parts. */
static void on_block_rq_complete(void *data, struct request *rq, blk_status_t error,
				 unsigned int nr_bytes)
{
	emit_request(data, rq, nr_bytes, error ? blk_status_to_errno(error) : 0);
}

MAGNET_BLOCK_POINT(block_rq_complete, MAGNET_EVENT_BLOCK_RQ_COMPLETE, on_block_rq_complete);

/* A handler that no longer fits its tracepoint must not compile. */
static void __maybe_unused check_block_types(void)
{
	check_trace_callback_type_block_rq_issue(on_block_rq_issue);
	check_trace_callback_type_block_rq_complete(on_block_rq_complete);
}
