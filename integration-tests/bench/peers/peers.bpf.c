// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF programs to compare with: for each way to hook, one that does nothing,
 * one that writes a record to the ring buffer, and where it is of use one that
 * rejects the event because of its process.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "record.h"

#define RING_SIZE	(8 << 20)
#define WATERMARK	(256 << 10)

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_SIZE);
} ring SEC(".maps");

__u64 lost;

static __always_inline int write_record_and(__u64 first, __u64 second, bool watermark)
{
	struct record *record = bpf_ringbuf_reserve(&ring, sizeof(*record), 0);
	const __u64 process = bpf_get_current_pid_tgid();

	if (!record) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	record->size = sizeof(*record);
	record->cpu = bpf_get_smp_processor_id();
	record->event = 1;
	record->tgid = process >> 32;
	record->tid = process;
	record->time = bpf_ktime_get_ns();
	record->argument[0] = first;
	record->argument[1] = second;
	if (!watermark)
		bpf_ringbuf_submit(record, 0);
	else if (bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) < WATERMARK)
		bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	else
		bpf_ringbuf_submit(record, BPF_RB_FORCE_WAKEUP);
	return 0;
}

static __always_inline int write_record(__u64 first, __u64 second)
{
	return write_record_and(first, second, false);
}

static __always_inline int init_only(__u64 first, __u64 second)
{
	if (bpf_get_current_pid_tgid() >> 32 != 1)
		return 0;
	return write_record(first, second);
}

SEC("kprobe/inet_sendmsg")
int kprobe_empty(struct pt_regs *regs)
{
	return 0;
}

SEC("kprobe/inet_sendmsg")
int kprobe_record(struct pt_regs *regs)
{
	return write_record(PT_REGS_PARM1(regs), PT_REGS_PARM3(regs));
}

SEC("kprobe/inet_sendmsg")
int kprobe_rejected(struct pt_regs *regs)
{
	return init_only(PT_REGS_PARM1(regs), PT_REGS_PARM3(regs));
}

SEC("kretprobe/inet_sendmsg")
int kretprobe_record(struct pt_regs *regs)
{
	return write_record(PT_REGS_RC(regs), 0);
}

SEC("fentry/inet_sendmsg")
int fentry_empty(__u64 *arguments)
{
	return 0;
}

SEC("fentry/inet_sendmsg")
int fentry_record(__u64 *arguments)
{
	return write_record(arguments[0], arguments[2]);
}

/* As the one above, but the reader is woken when 256 KiB are there. */
SEC("fentry/inet_sendmsg")
int fentry_watermark(__u64 *arguments)
{
	return write_record_and(arguments[0], arguments[2], true);
}

SEC("fentry/inet_sendmsg")
int fentry_rejected(__u64 *arguments)
{
	return init_only(arguments[0], arguments[2]);
}

SEC("fexit/inet_sendmsg")
int fexit_record(__u64 *arguments)
{
	return write_record(arguments[3], 0);
}

SEC("raw_tracepoint/sched_switch")
int raw_tracepoint_empty(struct bpf_raw_tracepoint_args *context)
{
	return 0;
}

SEC("raw_tracepoint/sched_switch")
int raw_tracepoint_record(struct bpf_raw_tracepoint_args *context)
{
	return write_record(context->args[1], context->args[2]);
}

SEC("raw_tracepoint/sched_switch")
int raw_tracepoint_rejected(struct bpf_raw_tracepoint_args *context)
{
	return init_only(context->args[1], context->args[2]);
}

char _license[] SEC("license") = "GPL";
