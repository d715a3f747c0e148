// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.util.concurrent.atomic.AtomicLong;
import magnet.cli.world.ProcessChoice;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.summary.TimerJump;
import org.jspecify.annotations.Nullable;

/**
 * Counts the events that were asked for, up to so many, each in its group, and what was lost. Allocates only where a group
 * is new. Not thread-safe, but for {@link #seen()}.
 */
final class EventTally implements RecordHandler {
    private static final int EVENT_IDS = 1 << 16;

    private final @Nullable EventKeys[] byEvent = new EventKeys[EVENT_IDS];
    private final Grouping grouping;
    private final GroupTotals totals;
    private final GroupNames names;
    private final long[] key;
    private final ProcessChoice processes;
    private final long most;
    private final TimerJump jump = new TimerJump();
    private final AtomicLong seen = new AtomicLong();
    private final int self = (int) ProcessHandle.current().pid();
    private long counted;
    private long own;
    private long lost;
    private long unfit;
    private long spanning;
    private long uncountedBefore;
    private long othersBefore;
    private long textless;

    /**
     * One that has counted nothing.
     *
     * @param processes whose events are counted
     * @param most events to be counted
     */
    EventTally(Grouping grouping, GroupNames names, ProcessChoice processes, long most) {
        this.grouping = grouping;
        this.names = names;
        this.processes = processes;
        this.most = most;
        this.totals = new GroupTotals(grouping.kinds().size(), grouping.isBucketed());
        this.key = new long[grouping.kinds().size()];
        grouping.byEvent().forEach((id, keys) -> byEvent[id] = keys);
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int event = record.event();
        seen.lazySet(seen.get() + 1);
        EventKeys keys = byEvent[event];
        if (keys == null) {
            onOther(record, event);
        } else if (counted < most && processes.has(record.tgid())) {
            onEvent(record, keys);
        }
    }

    @Override
    public void onNewEpoch(int cpus) {
        jump.happened();
    }

    /** What is in the groups, and what they are called. */
    GroupTotals totals() {
        return totals;
    }

    /** How events are grouped. */
    Grouping grouping() {
        return grouping;
    }

    /** What the keys of groups are called. */
    GroupNames names() {
        return names;
    }

    /** Records so far, of any kind; for any thread. */
    long seen() {
        return seen.get();
    }

    /** Events that were counted, since the beginning. */
    long counted() {
        return counted;
    }

    /** Of these, events in this process. */
    long own() {
        return own;
    }

    /** Whether there were enough. */
    boolean isDone() {
        return counted >= most;
    }

    /** Events of the buffer that were lost, as far as the records say, since the last call. */
    long takeLost() {
        long its = lost;
        lost = 0;
        return its;
    }

    /** Events of groups that there was no room for, since the beginning. */
    long others() {
        return othersBefore + totals.others();
    }

    /** Events that were counted, and have a text or an address that there was no room for. */
    long textless() {
        return textless;
    }

    /** Events that were shorter than what was asked of them, and not counted. */
    long unfit() {
        return unfit;
    }

    /** Events with a latency that may have a jump of the timer in it, and so is none; they are not counted. */
    long spanning() {
        return spanning;
    }

    /** Events that were asked for and are in no group, since groups began. */
    long uncounted() {
        return unfit + spanning - uncountedBefore;
    }

    /** Events whose packet's headers were asked for and are not in the record. */
    long untold() {
        return grouping.byEvent().values().stream().mapToLong(EventKeys::untold).sum();
    }

    /** Groups begin anew. */
    void clear() {
        uncountedBefore = unfit + spanning;
        othersBefore = others();
        totals.clear();
        names.clear();
    }

    private void onEvent(RecordFlyweight record, EventKeys keys) {
        if (!keys.read(record)) {
            unfit++;
            return;
        }
        if (keys.spans(jump, record)) {
            spanning++;
            return;
        }
        counted++;
        own += record.tgid() == self ? 1 : 0;
        long refused = names.refused();
        keys.keyInto(record, key);
        if (names.refused() > refused) {
            textless++;
        }
        if (totals.add(key, keys.value(record))) {
            names.onNew(key);
        }
    }

    private void onOther(RecordFlyweight record, int event) {
        if (counted >= most) {
            return;
        }
        if (event == EventType.LOST.id()) {
            lost += record.payloadU64(Payload.LOST_COUNT_OFFSET);
        } else if (event == EventType.STORM.id()) {
            lost += record.payloadU64(Payload.STORM_REFUSED_OFFSET);
        }
    }
}
