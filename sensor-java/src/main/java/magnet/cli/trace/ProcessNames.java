// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;

/**
 * What the processes of records are called: records do not say, so {@code /proc} is asked when a process is first seen and
 * when it runs another program. One that has ended by then has no name. For one thread.
 */
public final class ProcessNames implements RecordHandler {
    /** Most processes that are looked for; there are no names of further ones. */
    static final int PROCESSES_MAX = 1 << 14;

    private static final String NAMELESS = "";

    private final Path processes;
    private final Map<Integer, String> names = new HashMap<>();
    private int last;

    /** @param processes the folder with a folder for each process */
    ProcessNames(Path processes) {
        this.processes = processes;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int process = record.tgid();
        EventType type = EventType.ofId(record.event());
        boolean another = type == EventType.SCHED_PROCESS_EXEC;
        if (process == 0 || (process == last && !another) || (type != null && type.subsystem() == Subsystem.SENSOR)) {
            return;
        }
        last = process;
        boolean known = names.containsKey(process);
        if (known ? another : names.size() < PROCESSES_MAX) {
            look(process);
        }
    }

    /**
     * By process, each character a byte of the name, and begins anew. Those that still run are looked at once more; a part
     * of a trace has the names of its own events' processes, however many there were before.
     */
    Map<Integer, String> take() {
        Map.copyOf(names).keySet().forEach(this::look);
        Map<Integer, String> known = new HashMap<>(names);
        known.values().removeIf(NAMELESS::equals);
        names.clear();
        last = 0;
        return known;
    }

    private void look(int process) {
        try {
            byte[] name = Files.readAllBytes(
                    processes.resolve(String.valueOf(process)).resolve("comm"));
            names.put(process, new String(name, StandardCharsets.ISO_8859_1).replace("\n", ""));
        } catch (IOException e) {
            // It has ended; its last name stays.
            names.putIfAbsent(process, NAMELESS);
        }
    }
}
