// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/** Attributes of all commands: {@code enum magnet_a}. */
final class AttributeId {
    static final int PAD = 1;

    static final int ABI_VERSION = 2;
    static final int MODULE_VERSION = 3;
    static final int LAYOUT = 4;
    static final int CLOCK = 5;
    static final int CLOCK_KHZ = 6;
    static final int CLOCK_TIMER = 7;
    static final int CLOCK_REALTIME_NS = 8;
    static final int CLOCK_MONOTONIC_NS = 9;

    static final int POINT = 10;
    static final int EVENT = 11;
    static final int SUBSYSTEM = 12;
    static final int MECHANISM = 13;
    static final int FN = 14;
    static final int FN_FAMILY = 15;
    static final int FN_NAME = 16;
    static final int FN_STATE = 17;
    static final int FN_TRIED = 18;
    static final int SUB_COUNT = 19;

    static final int BUFFER = 20;
    static final int BUFFER_SIZE = 21;
    static final int FLAGS = 22;
    static final int OWNER = 23;
    static final int SUB_ID = 24;
    static final int CPU_STATS = 25;

    static final int CPU = 26;
    static final int HITS = 27;
    static final int COMMITTED = 28;
    static final int FILTERED = 29;
    static final int SAMPLED_OUT = 30;
    static final int DROPPED_FULL = 31;
    static final int DROPPED_BIG = 32;
    static final int DROPPED_RECURSION = 33;
    static final int MISSED = 34;
    static final int RECORDS_WRITTEN = 35;
    static final int RECORDS_READ = 36;
    static final int BYTES_WRITTEN = 37;
    static final int BYTES_READ = 38;
    static final int LOST = 39;
    static final int LOST_REPORTED = 40;

    static final int DEFINITION = 41;
    static final int HOOK = 42;

    static final int ENABLED = 43;
    static final int STORM_RATE = 44;
    static final int STORM_BURST = 45;

    static final int SAMPLE_COUNT = 46;
    static final int SAMPLE_INTERVAL_US = 47;
    static final int SNAP_LEN = 48;
    static final int COUNTERS = 49;
    static final int RULES = 50;
    static final int RULE = 51;
    static final int RULE_ID = 52;
    static final int RULE_BEFORE = 53;
    static final int RULE_TEXT = 54;
    static final int MATCHED = 55;
    static final int DROPPED_STORM = 56;

    static final int SNAPSHOT = 57;
    static final int OVERWRITTEN = 58;
    static final int MERGED_LATE = 59;

    static final int CORRELATION_ID = 60;
    static final int LOST_BEFORE = 61;
    static final int FORGOTTEN = 62;

    static final int URGENT = 63;

    static final int DROPPED = 64;

    static final int DROP_REASON = 65;
    static final int DROP_REASON_NAME = 66;

    static final int CLOCK_EPOCH = 67;
    static final int CLOCK_FLAGS = 68;
    static final int FTRACE_DISABLED = 69;
    static final int DYNAMIC_DISABLED = 70;
    static final int KPROBES_DISABLED = 71;

    private AttributeId() {}
}
