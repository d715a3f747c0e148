// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;
import org.jspecify.annotations.Nullable;

/**
 * Hands on those records of a trace that a chain of rules lets through: offline what the kernel does with a
 * subscription's rules. Each event has a chain of its own, as each subscription has. A rule that asks for a field that an
 * event does not have, or for a value that its field cannot have, or for the headers of a packet whose bytes are not in the trace, does not match it. What the sensor
 * says of itself passes; counters of a record that does not pass, do not. Allocates nothing per record. For one thread.
 */
public final class RuleFilter implements RecordHandler {
    private static final Pattern SEPARATOR = Pattern.compile("[;\n]");
    private static final int RULES_MAX = 64;
    private static final Rule[] NOTHING = {};

    private final RecordHandler next;
    private final @Nullable Rule[][] chains = new Rule[RecordFormats.EVENT_IDS][];
    private final int[] captureOffsets = new int[RecordFormats.EVENT_IDS];
    private final int[] dataOffsets = new int[RecordFormats.EVENT_IDS];
    private final PacketHeaders packet = new PacketHeaders();
    private boolean lastPassed = true;
    private long dropped;
    private long untold;

    /**
     * A filter for a trace.
     *
     * @param rules separated by {@code ;} or new lines
     * @throws RuleException if one is not a rule, or not one for any event of the trace
     */
    public RuleFilter(TraceReader trace, String rules, RecordHandler next) throws RuleException {
        this(trace.events(), trace.clock().ticksPerMilli(), rules, next);
    }

    RuleFilter(Iterable<EventFormat> events, long ticksPerMilli, String rules, RecordHandler next)
            throws RuleException {
        this.next = next;
        List<String> texts = SEPARATOR
                .splitAsStream(rules)
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .toList();
        if (texts.size() > RULES_MAX) {
            throw new RuleException("a chain has at most 64 rules");
        }
        for (EventFormat event : events) {
            chains[event.id()] = NOTHING;
            EventField captured = event.field(EventFormat.Tail.BYTES.countField());
            captureOffsets[event.id()] = captured == null ? 0 : captured.offset();
            dataOffsets[event.id()] = event.size();
        }
        for (String text : texts) {
            add(events, ticksPerMilli, text);
        }
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int event = record.event();
        EventType type = EventType.ofId(event);
        if (type == EventType.COUNTERS) {
            if (lastPassed) {
                next.onRecord(record);
            }
            return;
        }
        if (type != null && type.subsystem() == Subsystem.SENSOR && type != EventType.CORRELATED) {
            next.onRecord(record);
            return;
        }
        lastPassed = passes(record, event);
        if (lastPassed) {
            next.onRecord(record);
        } else {
            dropped++;
        }
    }

    /** Events that did not pass. */
    public long dropped() {
        return dropped;
    }

    /** Events of which a rule asked for packet headers that are not in the trace. */
    public long untold() {
        return untold;
    }

    /** A field of one name is of another type in another event. So a rule is refused if it is one for no event. */
    private void add(Iterable<EventFormat> events, long ticksPerMilli, String text) throws RuleException {
        @Nullable RuleException refusal = null;
        boolean anywhere = false;
        for (EventFormat event : events) {
            try {
                append(event.id(), RuleParser.parse(event, ticksPerMilli, text));
                anywhere = true;
            } catch (RuleException e) {
                boolean saysMore =
                        refusal instanceof RuleParser.NoFieldException && !(e instanceof RuleParser.NoFieldException);
                refusal = refusal == null || saysMore ? e : refusal;
            }
        }
        if (!anywhere && refusal != null) {
            throw refusal;
        }
    }

    private void append(int event, Rule rule) {
        Rule[] chain = chains[event];
        List<Rule> longer = new ArrayList<>(chain == null ? List.of() : List.of(chain));
        longer.add(rule);
        chains[event] = longer.toArray(NOTHING);
    }

    private boolean passes(RecordFlyweight record, int event) {
        Rule[] chain = chains[event];
        if (chain == null) {
            return true;
        }
        boolean packetRead = false;
        boolean packetThere = false;
        for (Rule rule : chain) {
            if (rule.asksPacket() && !packetRead) {
                packetRead = true;
                packetThere = readPacket(record, event);
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

    private boolean readPacket(RecordFlyweight record, int event) {
        int payload = record.payloadOffset();
        int captured = record.payloadU16(captureOffsets[event]);
        int from = payload + dataOffsets[event];
        int end = Math.min(from + captured, record.offset() + record.size());
        return packet.read(record.buffer(), from, end);
    }
}
