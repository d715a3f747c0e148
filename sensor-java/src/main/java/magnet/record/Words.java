// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Words for the numbers that records have: {@code sleeping} for a task state of 1. A number for which there is no word stays a
 * number.
 *
 * <p>All kernels have the same task states, families, protocols, soft interrupts, returns of interrupt handlers, modes of
 * CPUs and ways into a cgroup. The rest ({@link WordKind#isOfKernel()}, and system calls) somebody has to tell: {@link #with}. Immutable.
 */
public final class Words {
    private static final String NO_FLAGS = "none";

    private static final Words NONE = new Words(new EnumMap<>(WordKind.class));
    private static final Words COMMON = NONE.with(WordKind.TASK_STATE, TaskState.words())
            .with(WordKind.FAMILY, table("2 inet, 10 inet6"))
            .with(
                    WordKind.PROTOCOL,
                    table("0 ip, 1 icmp, 2 igmp, 4 ipencap, 6 tcp, 17 udp, 33 dccp, 41 ipv6, 47 gre, 50 esp, 51 ah,"
                            + " 58 ipv6-icmp, 89 ospf, 103 pim, 112 vrrp, 115 l2tp, 132 sctp, 136 udplite, 255 raw,"
                            + " 262 mptcp"))
            .with(
                    WordKind.ETHERTYPE,
                    table("0 none, 0x0800 ipv4, 0x0806 arp, 0x8035 rarp, 0x8100 vlan, 0x86dd ipv6, 0x8847 mpls,"
                            + " 0x8863 pppoe-d, 0x8864 pppoe-s, 0x88a8 qinq, 0x88cc lldp"))
            .with(WordKind.IRQ_RETURN, table("0 none, 1 handled, 2 wake_thread"))
            .with(WordKind.CPU_MODE, table("0 user, 1 nice, 2 system, 3 idle"))
            .with(WordKind.ATTACH, table("0 present, 1 fork, 2 exec, 3 move"))
            .with(
                    WordKind.SOFTIRQ,
                    table("0 HI, 1 TIMER, 2 NET_TX, 3 NET_RX, 4 BLOCK, 5 IRQ_POLL, 6 TASKLET, 7 SCHED, 8 HRTIMER,"
                            + " 9 RCU"));

    private final Map<WordKind, Map<Long, String>> tables;

    private Words(Map<WordKind, Map<Long, String>> tables) {
        this.tables = tables;
    }

    /** No words at all: all numbers stay numbers. */
    public static Words none() {
        return NONE;
    }

    /** Those that are the same for all kernels. */
    public static Words common() {
        return COMMON;
    }

    /**
     * These and more.
     *
     * @param words by number; of flags those that have most bits first, as the kernel looks for them. They take the place of
     *     those of the same kind
     */
    public Words with(WordKind kind, Map<? extends Number, String> words) {
        Map<Long, String> table = new LinkedHashMap<>();
        words.forEach((number, word) -> table.putIfAbsent(number.longValue(), word));
        Map<WordKind, Map<Long, String>> all = new EnumMap<>(WordKind.class);
        all.putAll(tables);
        all.put(kind, Collections.unmodifiableMap(table));
        return new Words(all);
    }

    /** Words by number, in the order in which they were given; of states those that kernels give. */
    public Map<Long, String> of(WordKind kind) {
        return tables.getOrDefault(kind, Map.of());
    }

    /** The word for a number, or null. */
    public @Nullable String of(WordKind kind, long number) {
        Map<Long, String> words = of(kind);
        if (words.isEmpty()) {
            return null;
        }
        return switch (kind) {
            case TASK_STATE -> TaskState.word(number);
            case GFP_FLAGS -> flags(words, number);
            default -> words.get(number);
        };
    }

    /** Of the numbers that have one word, a single one, so that they can be counted together. Allocates nothing. */
    public static long representative(WordKind kind, long number) {
        return kind == WordKind.TASK_STATE ? TaskState.representative(number) : number;
    }

    /** The word for a field's value, or null. */
    public @Nullable String of(PayloadField field, long value) {
        return field.words() == WordKind.NUMBER ? null : of(field.words(), value);
    }

    /** The word for a record's abstract id, or null. */
    public @Nullable String ofAbstractId(EventType type, RecordFlyweight record) {
        WordKind kind = type.abstractIdWords(record);
        return kind == WordKind.NUMBER ? null : of(kind, record.abstractId());
    }

    /** As the kernel's own tracer tells flags: {@code GFP_KERNEL|__GFP_COMP}; bits without a name in hex behind them. */
    private static String flags(Map<Long, String> words, long number) {
        if (number == 0) {
            return NO_FLAGS;
        }
        StringBuilder text = new StringBuilder();
        long left = number;
        for (Map.Entry<Long, String> each : words.entrySet()) {
            long bits = each.getKey();
            if (bits != 0 && (left & bits) == bits) {
                text.append(text.isEmpty() ? "" : "|").append(each.getValue());
                left &= ~bits;
            }
        }
        if (left != 0) {
            text.append(text.isEmpty() ? "" : "|").append("0x").append(Long.toHexString(left));
        }
        return text.toString();
    }

    /** Of numbers, each with its word behind it. */
    private static Map<Long, String> table(String pairs) {
        Map<Long, String> table = new LinkedHashMap<>();
        for (String pair : pairs.split(", ", -1)) {
            int space = pair.indexOf(' ');
            table.put(Long.decode(pair.substring(0, space)), pair.substring(space + 1));
        }
        return table;
    }
}
