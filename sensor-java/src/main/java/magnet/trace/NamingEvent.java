// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.nio.charset.StandardCharsets;
import java.util.List;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.PayloadField;
import magnet.record.RecordFlyweight;
import org.jspecify.annotations.Nullable;

/** The events that say what a thread is called: when it is made, runs a program, gets another name, and ends. */
public enum NamingEvent {
    FORK(EventType.SCHED_PROCESS_FORK, Payload.FORK_COMM_OFFSET),
    EXEC(EventType.SCHED_PROCESS_EXEC, Payload.EXEC_COMM_OFFSET),
    RENAME(EventType.TASK_RENAME, Payload.RENAME_COMM_OFFSET),
    EXIT(EventType.SCHED_PROCESS_EXIT, Payload.EXIT_COMM_OFFSET);

    private static final List<NamingEvent> ALL = List.of(values());
    private static final PayloadField OLD_NAME = field(EventType.TASK_RENAME, Payload.RENAME_OLD_COMM_OFFSET);
    private static final int FIRST_ID = EventType.SCHED_PROCESS_FORK.id();
    private static final int LAST_ID = EventType.TASK_RENAME.id();

    private final EventType type;

    @SuppressWarnings("ImmutableEnumChecker") // a record of values that do not change
    private final PayloadField name;

    NamingEvent(EventType type, int nameOffset) {
        this.type = type;
        this.name = field(type, nameOffset);
    }

    /** All of them. */
    public static List<NamingEvent> all() {
        return ALL;
    }

    /** Whether an event is one; cheap, since it is asked of each. */
    public static boolean isOne(int event) {
        return event >= FIRST_ID && event <= LAST_ID;
    }

    /** The point that it comes from. */
    public String point() {
        return type.label();
    }

    /** The id of its records. */
    public int id() {
        return type.id();
    }

    /** Which one a record is of; null if it is of none, or has no name: those of a module's first versions have none. */
    public static @Nullable NamingEvent namingIn(RecordFlyweight record) {
        for (NamingEvent each : ALL) {
            if (each.id() == record.event()) {
                return each.name.isIn(record) ? each : null;
            }
        }
        return null;
    }

    /** The name that a thread had before, by a record of {@link #RENAME} that has a name, each character a byte of it. */
    public static String oldNameIn(RecordFlyweight record) {
        return OLD_NAME.textIn(record, StandardCharsets.ISO_8859_1);
    }

    /** The name in a record that has it, each character a byte of it. */
    public String nameIn(RecordFlyweight record) {
        return name.textIn(record, StandardCharsets.ISO_8859_1);
    }

    private static PayloadField field(EventType type, int offset) {
        return type.fields().stream()
                .filter(field -> field.offset() == offset)
                .findFirst()
                .orElseThrow();
    }
}
