// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import magnet.record.RecordFlyweight;

/**
 * The rules of one event: what the kernel does with those of a subscription, done with its records. The first rule that
 * matches decides, and what none matches passes. A rule that asks for the headers of a packet whose bytes are not in the
 * record does not match it. Allocates nothing per record. For one thread.
 */
public final class RuleChain {
    static final int RULES_MAX = 64;

    private static final Pattern SEPARATOR = Pattern.compile("[;\n]");
    private static final Rule[] NOTHING = {};

    private final int captureOffset;
    private final int dataOffset;
    private final PacketHeaders packet = new PacketHeaders();
    private Rule[] rules = NOTHING;
    private long untold;

    /** A chain without rules, which lets everything pass. */
    RuleChain(EventFormat event) {
        EventField captured = event.field(EventFormat.Tail.BYTES.countField());
        this.captureOffset = captured == null ? 0 : captured.offset();
        this.dataOffset = event.size();
    }

    /**
     * The rules of a text.
     *
     * @param ticksPerMilli ticks of the records' timers in a millisecond
     * @param texts separated by {@code ;} or new lines
     * @throws RuleException if one is not a rule, or not one for this event
     */
    public static RuleChain parse(EventFormat event, long ticksPerMilli, String texts) throws RuleException {
        RuleChain chain = new RuleChain(event);
        for (String text : split(texts)) {
            try {
                chain.add(RuleParser.parse(event, ticksPerMilli, text));
            } catch (RuleParser.NoFieldException e) {
                throw new RuleException(event.name() + " has no field '" + e.field() + "'; there are cpu, tgid, tid, id"
                        + fields(event));
            }
        }
        return chain;
    }

    private static String fields(EventFormat event) {
        String own = event.fields().stream()
                .filter(field -> !field.isText())
                .map(field -> ", " + field.name())
                .collect(Collectors.joining());
        return own + (event.tail() == EventFormat.Tail.BYTES ? ", protocol, saddr, daddr, sport, dport" : "");
    }

    /** The single rules of a text. */
    static List<String> split(String texts) throws RuleException {
        List<String> rules = SEPARATOR
                .splitAsStream(texts)
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .toList();
        if (rules.size() > RULES_MAX) {
            throw new RuleException("a chain has at most 64 rules");
        }
        return rules;
    }

    /** Puts a rule at the end. */
    void add(Rule rule) {
        List<Rule> longer = new ArrayList<>(List.of(rules));
        longer.add(rule);
        rules = longer.toArray(NOTHING);
    }

    /** Whether there is nothing in it. */
    public boolean isEmpty() {
        return rules.length == 0;
    }

    /** Whether a rule asks for headers of the packet, which are in a record only if the subscription wants packet bytes. */
    public boolean asksPacket() {
        for (Rule rule : rules) {
            if (rule.asksPacket()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a record of this event passes. */
    public boolean passes(RecordFlyweight record) {
        boolean packetRead = false;
        boolean packetThere = false;
        for (Rule rule : rules) {
            if (rule.asksPacket() && !packetRead) {
                packetRead = true;
                packetThere = readPacket(record);
                untold += packetThere ? 0 : 1;
            }
            if (rule.asksPacket() && !packetThere) {
                continue;
            }
            if (rule.matches(record, packet)) {
                return rule.logs(record);
            }
        }
        return true;
    }

    /** Events of which a rule asked for packet headers that are not in the record. */
    public long untold() {
        return untold;
    }

    private boolean readPacket(RecordFlyweight record) {
        int captured = record.payloadU16(captureOffset);
        int from = record.payloadOffset() + dataOffset;
        int end = Math.min(from + captured, record.offset() + record.size());
        return packet.read(record.buffer(), from, end);
    }
}
