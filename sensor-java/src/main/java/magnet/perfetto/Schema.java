// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

/**
 * Numbers of the fields that are written, and of values that they take: MESSAGE_FIELD, as Perfetto's schema has them,
 * {@code protos/perfetto/trace/trace.proto} and what it imports, of version 56. A number never changes its meaning there.
 */
final class Schema {
    static final int TRACE_PACKET = 1;

    static final int PACKET_FTRACE_EVENTS = 1;
    static final int PACKET_PROCESS_TREE = 2;
    static final int PACKET_CLOCK_SNAPSHOT = 6;
    static final int PACKET_TIMESTAMP = 8;
    static final int PACKET_SEQUENCE_ID = 10;
    static final int PACKET_TRACK_EVENT = 11;
    static final int PACKET_INTERNED_DATA = 12;
    static final int PACKET_SEQUENCE_FLAGS = 13;
    static final int PACKET_SYSTEM_INFO = 45;
    static final int PACKET_TRACK_DESCRIPTOR = 60;
    static final int SEQUENCE_STATE_CLEARED = 1;
    static final int SEQUENCE_NEEDS_STATE = 2;

    static final int SNAPSHOT_CLOCKS = 1;
    static final int SNAPSHOT_PRIMARY_CLOCK = 2;
    static final int CLOCK_ID = 1;
    static final int CLOCK_TIMESTAMP = 2;
    static final int CLOCK_REALTIME = 1;
    static final int CLOCK_MONOTONIC = 3;
    static final int CLOCK_BOOTTIME = 6;

    static final int SYSTEM_UTSNAME = 1;
    static final int SYSTEM_MACHINE_NAME = 17;
    static final int UTSNAME_SYSNAME = 1;
    static final int UTSNAME_MACHINE = 4;

    static final int TREE_PROCESSES = 1;
    static final int TREE_THREADS = 2;
    static final int PROCESS_PID = 1;
    static final int PROCESS_CMDLINE = 3;
    static final int PROCESS_CMDLINE_IS_COMM = 9;
    static final int THREAD_TID = 1;
    static final int THREAD_NAME = 2;
    static final int THREAD_TGID = 3;

    static final int INTERNED_EVENT_NAMES = 2;
    static final int INTERNED_ANNOTATION_NAMES = 3;
    static final int NAME_IID = 1;
    static final int NAME_NAME = 2;

    static final int TRACK_UUID = 1;
    static final int TRACK_NAME = 2;
    static final int TRACK_PROCESS = 3;
    static final int TRACK_THREAD = 4;
    static final int TRACK_PARENT_UUID = 5;
    static final int TRACK_COUNTER = 8;
    static final int TRACK_CHILD_ORDERING = 11;
    static final int TRACK_ORDER_RANK = 12;
    static final int CHILD_ORDERING_EXPLICIT = 3;
    static final int TRACK_PROCESS_PID = 1;
    static final int TRACK_PROCESS_LABELS = 8;
    static final int TRACK_THREAD_PID = 1;
    static final int TRACK_THREAD_TID = 2;
    static final int COUNTER_UNIT = 3;
    static final int COUNTER_UNIT_NAME = 6;
    static final int UNIT_TIME_NS = 1;

    static final int EVENT_ANNOTATIONS = 4;
    static final int EVENT_TYPE = 9;
    static final int EVENT_NAME_IID = 10;
    static final int EVENT_TRACK_UUID = 11;
    static final int EVENT_NAME = 23;
    static final int EVENT_COUNTER_VALUE = 30;
    static final int EVENT_FLOW_IDS = 47;
    static final int EVENT_TERMINATING_FLOW_IDS = 48;
    static final int TYPE_SLICE_BEGIN = 1;
    static final int TYPE_SLICE_END = 2;
    static final int TYPE_INSTANT = 3;
    static final int TYPE_COUNTER = 4;
    static final int ANNOTATION_NAME_IID = 1;
    static final int ANNOTATION_INT = 4;
    static final int ANNOTATION_TEXT = 6;

    static final int BUNDLE_CPU = 1;
    static final int BUNDLE_EVENT = 2;
    static final int BUNDLE_LOST_EVENTS = 3;
    static final int FTRACE_TIMESTAMP = 1;
    static final int FTRACE_PID = 2;
    static final int FTRACE_SCHED_SWITCH = 4;
    static final int FTRACE_SCHED_WAKING = 20;
    static final int FTRACE_SOFTIRQ_ENTRY = 24;
    static final int FTRACE_SOFTIRQ_EXIT = 25;
    static final int FTRACE_IRQ_ENTRY = 36;
    static final int FTRACE_IRQ_EXIT = 37;
    static final int FTRACE_RECLAIM_BEGIN = 46;
    static final int FTRACE_RECLAIM_END = 47;
    static final int FTRACE_TASK_NEWTASK = 235;
    static final int FTRACE_SYS_ENTER = 329;
    static final int FTRACE_SYS_EXIT = 330;
    static final int SWITCH_PREV_COMM = 1;
    static final int SWITCH_PREV_PID = 2;
    static final int SWITCH_PREV_STATE = 4;
    static final int SWITCH_NEXT_COMM = 5;
    static final int SWITCH_NEXT_PID = 6;
    static final int WAKING_COMM = 1;
    static final int WAKING_PID = 2;
    static final int WAKING_TARGET_CPU = 5;
    static final int SOFTIRQ_VECTOR = 1;
    static final int IRQ_NUMBER = 1;
    static final int IRQ_NAME = 2;
    static final int IRQ_RET = 2;
    static final int RECLAIM_ORDER = 1;
    static final int RECLAIM_GFP_FLAGS = 3;
    static final int RECLAIM_PAGES = 1;
    static final int NEWTASK_PID = 1;
    static final int NEWTASK_COMM = 2;
    static final int NEWTASK_CLONE_FLAGS = 3;
    static final int SYSCALL_ID = 1;
    static final int SYSCALL_ARGS = 2;
    static final int SYSCALL_RET = 2;

    private Schema() {}
}
