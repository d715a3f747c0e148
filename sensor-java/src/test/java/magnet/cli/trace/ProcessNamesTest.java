// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessNamesTest {
    @TempDir
    private Path processes;

    @Test
    void shouldHaveTheLatestNameOfWhoWasSeenSinceTheLastCall() throws IOException {
        ProcessNames names = new ProcessNames(processes);
        call(412, "bash");
        see(names, EventType.SYS_EXIT, 412);
        call(412, "sshd");
        see(names, EventType.SCHED_PROCESS_EXEC, 412);
        see(names, EventType.SYS_EXIT, 413);
        assertThat(names.take()).isEqualTo(Map.of(412, "sshd"));
        assertThat(names.take()).isEmpty();
        see(names, EventType.SYS_EXIT, 412);
        assertThat(names.take()).isEqualTo(Map.of(412, "sshd"));
    }

    /** A node that builds software runs programs without end, and its trace has to stay one that can be read. */
    @Test
    void shouldHaveABoundAlsoForProcessesThatRunAnotherProgram() throws IOException {
        ProcessNames names = new ProcessNames(processes);
        for (int process = 1; process <= ProcessNames.PROCESSES_MAX; process++) {
            see(names, EventType.SCHED_PROCESS_EXEC, process);
        }
        int late = ProcessNames.PROCESSES_MAX + 1;
        call(late, "late");
        see(names, EventType.SCHED_PROCESS_EXEC, late);
        assertThat(names.take()).isEmpty();
    }

    private void call(int process, String name) throws IOException {
        Path folder = Files.createDirectories(processes.resolve("" + process));
        Files.writeString(folder.resolve("comm"), name + "\n");
    }

    private static void see(ProcessNames names, EventType type, int process) {
        RecordWriter records = new RecordWriter().record(type, 0, process, process, 0, 1);
        new RecordCursor(RecordLayout.WIDE)
                .wrap(records.buffer(), 0, records.size())
                .forEach(names);
    }
}
