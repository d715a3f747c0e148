// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntPredicate;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;
import magnet.record.Words;
import org.jspecify.annotations.Nullable;

/**
 * Hands on those records of a trace that a chain of rules lets through: offline what the kernel does with a
 * subscription's rules. Each event has a chain of its own, as each subscription has. A rule that asks for a field that an
 * event does not have, or for a value that its field cannot have, or for the headers of a packet whose bytes are not in the trace, does not match it. What the sensor
 * says of itself passes; counters of a record that does not pass, do not. Allocates nothing per record. For one thread.
 */
public final class RuleFilter implements RecordHandler {
    private final RecordHandler next;
    private final @Nullable RuleChain[] chains = new RuleChain[RecordFormats.EVENT_IDS];
    private final IntPredicate exempt;
    private boolean lastPassed = true;
    private long passed;
    private long dropped;
    private long exempted;

    /**
     * A filter for a trace.
     *
     * @param rules separated by {@code ;} or new lines
     * @throws RuleException if one is not a rule, or not one for any event of the trace
     */
    public RuleFilter(TraceReader trace, String rules, RecordHandler next) throws RuleException {
        this(trace, trace.words(), rules, next);
    }

    /**
     * A filter for a trace.
     *
     * @param words what rules may say for numbers
     * @param rules separated by {@code ;} or new lines
     * @throws RuleException if one is not a rule, or not one for any event of the trace
     */
    public RuleFilter(TraceReader trace, Words words, String rules, RecordHandler next) throws RuleException {
        this(trace, words, rules, event -> false, next);
    }

    /**
     * A filter for a trace that hands some events on, whatever the rules say.
     *
     * @param words what rules may say for numbers
     * @param rules separated by {@code ;} or new lines
     * @param exempt whether the events of an id pass also where a rule drops them
     * @throws RuleException if one is not a rule, or not one for any event of the trace
     */
    public RuleFilter(TraceReader trace, Words words, String rules, IntPredicate exempt, RecordHandler next)
            throws RuleException {
        this(trace.events(), trace.clock().ticksPerMilli(), words, rules, exempt, next);
    }

    RuleFilter(Iterable<EventFormat> events, long ticksPerMilli, Words words, String rules, RecordHandler next)
            throws RuleException {
        this(events, ticksPerMilli, words, rules, event -> false, next);
    }

    private RuleFilter(
            Iterable<EventFormat> events,
            long ticksPerMilli,
            Words words,
            String rules,
            IntPredicate exempt,
            RecordHandler next)
            throws RuleException {
        this.exempt = exempt;
        this.next = next;
        for (EventFormat event : events) {
            chains[event.id()] = new RuleChain(event);
        }
        for (String text : RuleChain.split(rules)) {
            add(events, ticksPerMilli, RuleWords.of(words), text);
        }
    }

    @Override
    public void onGap(int cpu) {
        next.onGap(cpu);
    }

    @Override
    public void onNewEpoch(int cpus) {
        next.onNewEpoch(cpus);
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
        RuleChain chain = chains[event];
        lastPassed = chain == null || chain.passes(record);
        if (lastPassed) {
            passed++;
        } else if (exempt.test(event)) {
            exempted++;
            lastPassed = true;
        } else {
            dropped++;
        }
        if (lastPassed) {
            next.onRecord(record);
        }
    }

    /** Events that a rule let through, or that no rule dropped. */
    public long passed() {
        return passed;
    }

    /** Events that passed although a rule drops them. */
    public long exempted() {
        return exempted;
    }

    /** Events that did not pass. */
    public long dropped() {
        return dropped;
    }

    /** Events of which a rule asked for packet headers that are not in the trace. */
    public long untold() {
        return Arrays.stream(chains)
                .filter(Objects::nonNull)
                .mapToLong(RuleChain::untold)
                .sum();
    }

    /** A field of one name is of another type in another event. So a rule is refused if it is one for no event. */
    private void add(Iterable<EventFormat> events, long ticksPerMilli, RuleWords words, String text)
            throws RuleException {
        @Nullable RuleException refusal = null;
        boolean anywhere = false;
        for (EventFormat event : events) {
            try {
                String numbered = words.numbered(event.name(), text);
                Objects.requireNonNull(chains[event.id()]).add(RuleParser.parse(event, ticksPerMilli, numbered));
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
}
