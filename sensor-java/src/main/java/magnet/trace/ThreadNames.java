// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;

/**
 * What threads are called, as records say it: a name holds from the {@link NamingEvent} that gives it on, until events are
 * lost, of which one may have given another name. Of a thread that no record names, somebody else is asked; the answer is
 * good for a second, and until events are lost. To be handed all records and gaps in the order of time.
 *
 * <p>A name stays when its thread has ended, for what comes after its end; of those that ended, the last
 * {@value #ENDED_MOST} are kept. For one thread.
 */
public final class ThreadNames implements RecordHandler {
    /** Most threads that have ended and still have a name. */
    static final int ENDED_MOST = 1 << 16;
    /** More threads than this run at once nowhere: where losses hid so many ends, all is forgotten. */
    static final int MOST = 1 << 18;

    private static final String NAMELESS = "";
    private static final String IDLE = "swapper";
    /** The thread that makes all kernel threads. */
    private static final int KTHREADD = 2;

    /** The low bits of what a STORM record is about: the event. */
    private static final int EVENT_MASK = 0xffff;

    /**
     * What a record told.
     *
     * @param losses until then
     */
    private record Told(String name, long losses) {}

    private final AnsweredNames answers;
    private final IntPredicate sure;
    private final Map<Integer, Told> names = new HashMap<>();
    private final Map<Integer, Told> processes = new HashMap<>();
    /** In the order of their ends. */
    private final Set<Integer> ended = new LinkedHashSet<>();

    private long changes;
    private long losses;
    private long nowNanos;
    private int lastThread;
    private String lastName = IDLE;

    private ThreadNames(IntFunction<String> elsewhere, IntPredicate sure) {
        this.answers = new AnsweredNames(elsewhere);
        this.sure = sure;
    }

    /**
     * Of threads that run meanwhile.
     *
     * @param elsewhere tells what a thread is called now, each character a byte of it; empty if it cannot
     */
    public static ThreadNames ofRunning(IntFunction<String> elsewhere) {
        return new ThreadNames(elsewhere, thread -> false);
    }

    /**
     * Of a saved trace's threads.
     *
     * @param names those of the trace, of processes whose every other name its records tell
     */
    public static ThreadNames ofSaved(Map<Integer, String> names) {
        return new ThreadNames(thread -> names.getOrDefault(thread, NAMELESS), names::containsKey);
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        if (losesNames(record)) {
            lose();
        } else if (NamingEvent.isOne(record.event())) {
            NamingEvent event = NamingEvent.namingIn(record);
            if (event != null) {
                learn(event, record);
            }
        }
    }

    @Override
    public void onGap(int cpu) {
        lose();
    }

    /** Whether a record says that events were lost which may have told names. */
    public static boolean losesNames(RecordFlyweight record) {
        int event = record.event();
        return event == EventType.LOST.id()
                || (event == EventType.STORM.id() && NamingEvent.isOne((int) record.abstractId() & EVENT_MASK));
    }

    private void lose() {
        losses++;
        changes++;
        forgetLast();
    }

    private void forgetLast() {
        lastThread = 0;
        lastName = IDLE;
    }

    /**
     * To be called between batches of records, so that what others answer does not get old.
     *
     * @param nanos of any clock that goes on
     */
    public void at(long nanos) {
        if (nanos != nowNanos) {
            nowNanos = nanos;
            forgetLast();
        }
    }

    /**
     * The name of the thread that was running, each character a byte of it; empty if it is not known. Layout classic says
     * the process alone: then it is the name of that one's first thread.
     */
    public String of(RecordFlyweight record) {
        int thread = record.layout().hasTid() ? record.tid() : record.tgid();
        EventType type = EventType.ofId(record.event());
        if (thread == 0 && type != null && type.subsystem() == Subsystem.SENSOR) {
            return NAMELESS;
        }
        if (type == EventType.TASK_RENAME
                && record.abstractId() == thread
                && NamingEvent.namingIn(record) == NamingEvent.RENAME) {
            return NamingEvent.oldNameIn(record);
        }
        return of(thread);
    }

    /** The name of a thread; empty if it is not known. */
    public String of(int thread) {
        if (thread != lastThread) {
            lastName = thread == 0 ? IDLE : look(thread);
            lastThread = thread;
        }
        return lastName;
    }

    private String look(int thread) {
        Told told = names.get(thread);
        return told != null && holds(told, thread, losses) ? told.name : answers.of(thread, nowNanos, losses);
    }

    private boolean holds(Told told, int thread, long lossesThen) {
        return told.losses >= lossesThen || sure.test(thread);
    }

    /** The name of a thread, as records say it and nobody else; empty if none does. */
    public String told(int thread) {
        Told told = names.get(thread);
        return told != null && holds(told, thread, losses) ? told.name : NAMELESS;
    }

    /**
     * The last name of a process that a record names; empty if none does.
     *
     * @param lossesThen {@link #losses} when the process was last seen: a name that is older may be of another one
     */
    public String ofProcess(int process, long lossesThen) {
        Told told = processes.get(process);
        return told != null && holds(told, process, lossesThen) ? told.name : NAMELESS;
    }

    /** Counts up each time that a record gives a name, or may make names false. */
    public long changes() {
        return changes;
    }

    /** How often events were lost that may have given names. */
    public long losses() {
        return losses;
    }

    private void learn(NamingEvent event, RecordFlyweight record) {
        int thread = (int) record.abstractId();
        String name = event.nameIn(record);
        changes++;
        makeRoom();
        if (event == NamingEvent.FORK && isNamedAsItsMaker(thread, record)) {
            put(record.tid(), record.tgid(), name);
        }
        put(thread, process(event, record), name);
        if (event == NamingEvent.EXIT) {
            ended.add(thread);
        }
        forgetLast();
    }

    /**
     * Whether a fork's record tells the name of a maker that has none yet. A new thread has its maker's name, but for two
     * cases. Since Linux 6.4 a kernel thread gets its own before the record is made. Another thread of a process may rename
     * both the maker and the new thread before that: then a record of it stands before this one.
     */
    private boolean isNamedAsItsMaker(int child, RecordFlyweight record) {
        int maker = record.tid();
        return maker != 0
                && maker != KTHREADD
                && record.payloadU32(Payload.FORK_PARENT_OFFSET) != KTHREADD
                && told(maker).isEmpty()
                && (told(child).isEmpty() || ended.contains(child));
    }

    private static int process(NamingEvent event, RecordFlyweight record) {
        return switch (event) {
            case FORK -> (int) record.payloadU32(Payload.FORK_CHILD_TGID_OFFSET);
            case RENAME -> (int) record.payloadU32(Payload.RENAME_TGID_OFFSET);
            case EXEC, EXIT -> record.tgid();
        };
    }

    private void put(int thread, int process, String name) {
        ended.remove(thread);
        Told told = new Told(name, losses);
        names.put(thread, told);
        if (thread == process) {
            processes.put(process, told);
        }
    }

    private void makeRoom() {
        if (ended.size() >= ENDED_MOST) {
            Integer oldest = ended.iterator().next();
            ended.remove(oldest);
            names.remove(oldest);
            processes.remove(oldest);
        }
        if (names.size() >= MOST) {
            names.clear();
            processes.clear();
            ended.clear();
        }
    }
}
