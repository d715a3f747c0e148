// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.util.List;
import java.util.function.Consumer;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.PayloadField;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;

/**
 * Makes MUSE's events of records: a switch of threads is three, one leaves, one enters, and the switch itself. For one
 * thread; allocates nothing.
 */
final class MuseEvents implements RecordHandler {
    private static final long LOWER_HALF = 0xffff_ffffL;
    private static final int TCP = 6;
    private static final int NO_LENGTH = -1;

    private static final int[] LENGTH_OFFSETS = new int[EventType.ID_END];

    static {
        for (EventType type : EventType.values()) {
            LENGTH_OFFSETS[type.id()] = lengthOffset(type.fields());
        }
    }

    private final MuseEvent event = new MuseEvent();
    private final Consumer<MuseEvent> events;
    private final Breaks breaks;
    /** Whether the CLOCK record that the epoch begins with is still to come. */
    private boolean isBeginning;

    private long endTimer;

    /** Who is told of what breaks off. */
    interface Breaks {
        /** So many events of a CPU were lost. */
        void lost(int cpu, long count);

        /**
         * The timer jumped: what has begun on CPUs below this number has no end. The clock is still that of before; gives what
         * it says. Events have that time until the epoch begins.
         */
        long epochEnds(int cpus);

        /** The clock is that of the new epoch, and its first event is about to come. */
        void epochBegins();
    }

    /**
     * @param events gets each event, which moves on when it returns
     * @param breaks is told how many events were lost, and where, and of jumps of the timer
     */
    MuseEvents(Consumer<MuseEvent> events, Breaks breaks) {
        this.events = events;
        this.breaks = breaks;
    }

    private static int lengthOffset(List<PayloadField> fields) {
        return fields.stream()
                .filter(field -> field.name().equals("len") && field.type() == PayloadField.Type.U32)
                .mapToInt(PayloadField::offset)
                .findFirst()
                .orElse(NO_LENGTH);
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        EventType type = EventType.ofId(record.event());
        if (type == null) {
            return;
        }
        switch (type) {
            case LOST -> breaks.lost(record.cpu(), record.payloadU64(Payload.LOST_COUNT_OFFSET));
            case STORM -> breaks.lost(record.cpu(), record.payloadU64(Payload.STORM_REFUSED_OFFSET));
            case CLOCK -> onClock();
            case SCHED_SWITCH -> onSwitch(record);
            case TCP_CONSUME -> {
                pass(record, type, MuseEvent.SOCKET_RECEIVE);
                pass(record, type, type.id());
            }
            default -> {
                if (type.subsystem() != Subsystem.SENSOR) {
                    pass(record, type, type.id());
                }
            }
        }
    }

    /** Of bytes that are no record nothing is known: one event at least. */
    @Override
    public void onGap(int cpu) {
        breaks.lost(cpu, 1);
    }

    @Override
    public void onNewEpoch(int cpus) {
        isBeginning = true;
        endTimer = breaks.epochEnds(cpus);
    }

    private void onClock() {
        if (isBeginning) {
            isBeginning = false;
            breaks.epochBegins();
        }
    }

    private void onSwitch(RecordFlyweight record) {
        long entering = record.abstractId();
        pass(record, EventType.SCHED_SWITCH, MuseEvent.CONTEXT_OUT, record.tgid(), record.tid());
        pass(
                record,
                EventType.SCHED_SWITCH,
                MuseEvent.CONTEXT_IN,
                record.payloadU32(Payload.SCHED_SWITCH_NEXT_TGID_OFFSET),
                entering);
        pass(record, EventType.SCHED_SWITCH, EventType.SCHED_SWITCH.id(), record.tgid(), entering);
    }

    private void pass(RecordFlyweight record, EventType type, int number) {
        pass(record, type, number, record.tgid(), record.abstractId());
    }

    private void pass(RecordFlyweight record, EventType type, int number, long process, long id) {
        event.number = number;
        event.process = process;
        event.id = id & LOWER_HALF;
        event.hasSocket = type.abstractId().equals("cookie");
        event.cpu = record.cpu();
        event.timer = isBeginning ? endTimer : record.timer();
        int length = LENGTH_OFFSETS[type.id()];
        event.size = length == NO_LENGTH ? 0 : record.payloadU32(length);
        event.isTcp = type.payload() == Payload.SOCK && record.payloadU16(Payload.SOCK_PROTOCOL_OFFSET) == TCP;
        events.accept(event);
    }
}
