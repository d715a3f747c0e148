// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import magnet.os.ThreadComm;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;

/**
 * What the processes of records are called: {@code /proc} is asked of all at the beginning, of one that was not there then
 * when it is first seen, of one that runs another program if its record does not say the name, and of all at the end of a
 * part. One that has ended by then has its last name.
 *
 * <p>The beginning cannot wait for the first loss. That is read when it has happened, and what {@code /proc} says then agrees
 * with itself at the end also if the lost events gave another name.
 *
 * <p>The end of a part is the beginning of the next one, and nobody reads the buffer while {@code /proc} is asked, which takes
 * some 50 us for each process. So nobody asks it of those that had no events if records have told each name since they were
 * last asked for, and none was lost.
 *
 * <p>Where events were lost, a name is told at the end only if records or {@code /proc} agree after the loss with what was
 * known before: else an event is missing that gave another name. For one thread.
 */
public final class ProcessNames implements RecordHandler {
    /** Most processes that are looked for; there are no names of further ones. */
    static final int PROCESSES_MAX = 1 << 14;

    private static final String NAMELESS = "";
    private static final long NEVER = -1;
    /** Longer names are those of kernel threads in {@code /proc}; records have the beginning. */
    private static final int COMM_LENGTH = 15;

    /** Of a process. */
    private static final class Known {
        private String name = NAMELESS;
        /** Losses before the name was last told or found. */
        private long losses;
        /** Losses before the process was last seen. */
        private long seen = NEVER;

        /** Whether {@code /proc} had it: of the others all is in the records. */
        private boolean found;
        /** Whether records have told each further name since it was told or found, but for losses. */
        private boolean followed;
        /** Whether it was first looked for when its events had happened, and with them perhaps losses not yet read of. */
        private boolean late;

        private boolean unsure;

        private void find(String now, long losses) {
            if (!now.isEmpty()) {
                name = now;
                found = true;
            }
            this.losses = losses;
        }

        private boolean isCertain(long losses) {
            return followed && seen == NEVER && this.losses == losses;
        }
    }

    private final Path processes;
    private final Map<Integer, Known> names = new HashMap<>();
    private long losses;
    private boolean following;
    private int sizeSeen;
    private int last;

    /** @param processes the folder with a folder for each process */
    public ProcessNames(Path processes) {
        this.processes = processes;
    }

    /** Looks for all that run, before there are events. */
    public void begin() throws IOException {
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(processes, "[0-9]*")) {
            for (Path folder : folders) {
                int process = Integer.parseInt(folder.getFileName().toString());
                String name = ThreadComm.of(processes, process);
                if (!name.isEmpty() && names.size() < PROCESSES_MAX) {
                    Known known = new Known();
                    known.find(name, losses);
                    names.put(process, known);
                }
            }
        }
    }

    /** From now on each name that a thread gets, and its end, is in a record or lost. To be called after {@link #begin}. */
    public void follow() {
        following = true;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        if (ThreadNames.losesNames(record)) {
            lose();
            return;
        }
        NamingEvent event = NamingEvent.isOne(record.event()) ? NamingEvent.namingIn(record) : null;
        boolean another = event == null && record.event() == EventType.SCHED_PROCESS_EXEC.id();
        following &= event != null || !NamingEvent.isOne(record.event());
        int process = record.tgid();
        EventType type = EventType.ofId(record.event());
        boolean sensor = type != null && type.subsystem() == Subsystem.SENSOR;
        if (process != 0 && !sensor && (process != last || another)) {
            last = process;
            see(process, another);
        }
        if (event != null) {
            learn(event, record);
        }
    }

    @Override
    public void onGap(int cpu) {
        lose();
    }

    private void lose() {
        losses++;
        last = 0;
    }

    private void see(int process, boolean another) {
        Known known = names.get(process);
        boolean first = known == null || known.seen == NEVER;
        if (first && sizeSeen == PROCESSES_MAX) {
            return;
        }
        sizeSeen += first ? 1 : 0;
        if (known == null) {
            known = new Known();
            known.late = true;
            names.put(process, known);
            known.find(ThreadComm.of(processes, process), losses);
        } else if (another) {
            known.find(ThreadComm.of(processes, process), losses);
        }
        known.seen = losses;
    }

    /** A process has the name of its first thread, whose id is that of the process. */
    private void learn(NamingEvent event, RecordFlyweight record) {
        int thread = (int) record.abstractId();
        Known known = names.get(thread);
        if (known == null) {
            boolean begins = event == NamingEvent.FORK
                    && thread == (int) record.payloadU32(Payload.FORK_CHILD_TGID_OFFSET)
                    && names.size() < 2 * PROCESSES_MAX;
            if (!begins) {
                return;
            }
            known = new Known();
            names.put(thread, known);
        }
        String name = event.nameIn(record);
        boolean missed = switch (event) {
            case EXIT -> !areSame(known.name, name);
            case RENAME -> known.losses != losses && !areSame(known.name, NamingEvent.oldNameIn(record));
            case FORK, EXEC -> false;
        };
        known.unsure |= missed && !known.name.isEmpty();
        known.name = name;
        known.losses = losses;
        known.followed = following;
    }

    /**
     * By process, each character a byte of the name; empty if an event is missing that gave another. Those that still run are
     * known from then on; a part of a trace has the names of its own events' processes, however many there were before.
     */
    public Map<Integer, String> take() {
        Map<Integer, String> told = new HashMap<>();
        Map<Integer, Known> running = new HashMap<>();
        // Beyond the bound a process ends unseen.
        boolean certain = following && sizeSeen < PROCESSES_MAX;
        names.forEach((process, known) -> {
            String now = certain && known.isCertain(losses) ? known.name : ThreadComm.of(processes, process);
            finish(known, now);
            if (known.found && known.seen != NEVER) {
                told.put(process, known.unsure ? NAMELESS : known.name);
            }
            if (!now.isEmpty() && running.size() < PROCESSES_MAX) {
                Known anew = new Known();
                anew.find(now, losses);
                anew.followed = following;
                running.put(process, anew);
            }
        });
        names.clear();
        names.putAll(running);
        sizeSeen = 0;
        last = 0;
        return told;
    }

    private void finish(Known known, String now) {
        known.unsure |= known.late && losses > 0;
        if (now.isEmpty()) {
            known.unsure |= known.seen > known.losses;
        } else {
            known.unsure |= known.losses != losses && !areSame(known.name, now);
            known.find(now, losses);
        }
    }

    private static boolean areSame(String one, String other) {
        return one.equals(other) || isBeginning(one, other) || isBeginning(other, one) || areOneWorker(one, other);
    }

    private static boolean isBeginning(String cut, String whole) {
        return cut.length() == COMM_LENGTH && whole.startsWith(cut);
    }

    /** In {@code /proc}, behind the name of a kernel's worker stands what it works on. */
    private static boolean areOneWorker(String one, String other) {
        return one.startsWith("kworker/") && worker(one).equals(worker(other));
    }

    private static String worker(String name) {
        int end = 0;
        while (end < name.length() && name.charAt(end) != '-' && name.charAt(end) != '+') {
            end++;
        }
        return name.substring(0, end);
    }
}
