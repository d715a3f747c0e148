// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

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

    private static void told(ProcessNames names, EventType type, int process, String before, String name) {
        RecordWriter record = new RecordWriter().record(type, 0, process, process, process, 1, process);
        if (type == EventType.TASK_RENAME) {
            record.text(type, "old_comm", before);
        }
        record.text(type, "comm", name);
        new RecordCursor(RecordLayout.WIDE)
                .wrap(record.buffer(), 0, record.size())
                .forEach(names);
    }

    private static void lose(ProcessNames names) {
        see(names, EventType.LOST, 0);
    }

    @Test
    void shouldBeSureOfANameThatALossDidNotChange() throws IOException {
        ProcessNames names = new ProcessNames(processes);
        call(412, "bash");
        call(413, "kworker/0:1-events");
        call(414, "kernel thread with a long name");
        names.begin();
        see(names, EventType.SYS_EXIT, 412);
        see(names, EventType.SYS_EXIT, 413);
        see(names, EventType.SYS_EXIT, 414);
        lose(names);
        see(names, EventType.SYS_EXIT, 412);
        told(names, EventType.SCHED_PROCESS_EXEC, 412, "", "sshd");
        call(412, "sshd");
        call(413, "kworker/0:1+mm_percpu_wq");
        told(names, EventType.TASK_RENAME, 414, "kernel thread w", "kernel thread w");
        lose(names);
        assertThat(names.take())
                .isEqualTo(Map.of(412, "sshd", 413, "kworker/0:1+mm_percpu_wq", 414, "kernel thread with a long name"));
    }

    @Test
    void shouldLeaveOutANameThatALossMayHaveChanged() throws IOException {
        ProcessNames names = new ProcessNames(processes);
        for (int process = 412; process <= 416; process++) {
            call(process, "bash");
        }
        names.begin();
        for (int process = 412; process <= 416; process++) {
            see(names, EventType.SYS_EXIT, process);
        }
        end(416);
        lose(names);
        call(412, "sshd");
        told(names, EventType.TASK_RENAME, 413, "other", "third");
        call(413, "third");
        told(names, EventType.SCHED_PROCESS_EXIT, 414, "", "other");
        end(414);
        see(names, EventType.SYS_EXIT, 415);
        end(415);
        assertThat(names.take())
                .as("another one now; another one before; at its end; not known any more; not seen any more")
                .isEqualTo(Map.of(412, "", 413, "", 414, "", 415, "", 416, "bash"));
    }

    @Test
    void shouldNotBeSureOfWhatBytesHideThatAreNoRecord() throws IOException {
        ProcessNames names = new ProcessNames(processes);
        call(412, "bash");
        names.begin();
        see(names, EventType.SYS_EXIT, 412);
        names.onGap(0);
        call(412, "sshd");
        assertThat(names.take()).isEqualTo(Map.of(412, ""));
    }

    /** What was read late was lost before /proc was asked: 412 may have run another program since. */
    @Test
    void shouldNotBeSureOfWhomItLookedForLate() throws IOException {
        ProcessNames names = new ProcessNames(processes);
        call(411, "before");
        names.begin();
        call(412, "sshd");
        see(names, EventType.SYS_EXIT, 411);
        see(names, EventType.SYS_EXIT, 412);
        lose(names);
        call(413, "later");
        see(names, EventType.SYS_EXIT, 413);
        assertThat(names.take()).isEqualTo(Map.of(411, "before", 412, "", 413, ""));
        see(names, EventType.SYS_EXIT, 413);
        assertThat(names.take()).as("known since the first part").isEqualTo(Map.of(413, "later"));
    }

    /** Nobody reads the buffer meanwhile, and a node may have thousands of processes. */
    @Test
    void shouldNotAskOfWhoHadNoEventsIfNothingWasLost() throws IOException {
        ProcessNames names = begunWithTwoParts(true);
        call(411, "another");
        see(names, EventType.SYS_EXIT, 412);
        assertThat(names.take()).isEqualTo(Map.of(412, "sshd"));
        see(names, EventType.SYS_EXIT, 411);
        end(411);
        assertThat(names.take()).as("from when it was asked").isEqualTo(Map.of(411, "bash"));
    }

    @Test
    void shouldAskOfAllWhenAnythingWasLostOrRecordsDoNotTell() throws IOException {
        ProcessNames names = begunWithTwoParts(true);
        call(411, "another");
        lose(names);
        assertThat(names.take()).isEmpty();
        see(names, EventType.SYS_EXIT, 411);
        assertThat(names.take()).as("asked after the loss").isEqualTo(Map.of(411, "another"));

        ProcessNames untold = begunWithTwoParts(false);
        call(411, "third");
        assertThat(untold.take()).isEmpty();
        see(untold, EventType.SYS_EXIT, 411);
        end(411);
        assertThat(untold.take()).as("nobody tells").isEqualTo(Map.of(411, "third"));

        ProcessNames old = begunWithTwoParts(true);
        call(411, "fourth");
        RecordWriter exec = new RecordWriter().unknown(EventType.SCHED_PROCESS_EXEC.id(), 0, 1, 0, 0);
        new RecordCursor(RecordLayout.WIDE).wrap(exec.buffer(), 0, exec.size()).forEach(old);
        assertThat(old.take()).isEmpty();
        see(old, EventType.SYS_EXIT, 411);
        end(411);
        assertThat(old.take()).as("records without names").isEqualTo(Map.of(411, "fourth"));
    }

    /** The points that tell names begin to log after /proc was asked first. */
    @Test
    void shouldAskOfAllAtTheEndOfTheFirstPart() throws IOException {
        ProcessNames names = new ProcessNames(processes);
        call(411, "bash");
        names.begin();
        names.follow();
        call(411, "sshd");
        assertThat(names.take()).isEmpty();
        see(names, EventType.SYS_EXIT, 411);
        end(411);
        assertThat(names.take()).isEqualTo(Map.of(411, "sshd"));
    }

    /** Otherwise those that have ended would take the room of those that run. */
    @Test
    void shouldAskOfAllWhenThereWereMoreProcessesThanItHasRoomFor() throws IOException {
        ProcessNames names = begunWithTwoParts(true);
        for (int process = 1_000; process < 1_000 + ProcessNames.PROCESSES_MAX; process++) {
            see(names, EventType.SYS_EXIT, process);
        }
        see(names, EventType.SYS_EXIT, 411);
        end(411);
        assertThat(names.take()).isEmpty();
        see(names, EventType.SYS_EXIT, 411);
        assertThat(names.take()).as("it had ended").isEmpty();
    }

    /** What a record tells of somebody is carried on. */
    @Test
    void shouldKnowWhatRecordsToldOfWhoHadNoEvents() throws IOException {
        ProcessNames names = begunWithTwoParts(true);
        RecordWriter rename = new RecordWriter()
                .record(EventType.TASK_RENAME, 0, 412, 412, 411, 1, 411)
                .text(EventType.TASK_RENAME, "old_comm", "bash")
                .text(EventType.TASK_RENAME, "comm", "renamed");
        new RecordCursor(RecordLayout.WIDE)
                .wrap(rename.buffer(), 0, rename.size())
                .forEach(names);
        assertThat(names.take()).isEqualTo(Map.of(412, "sshd"));
        see(names, EventType.SYS_EXIT, 411);
        end(411);
        assertThat(names.take()).isEqualTo(Map.of(411, "renamed"));
    }

    /** 411 and 412 run, and the first part has ended. */
    private ProcessNames begunWithTwoParts(boolean follows) throws IOException {
        call(411, "bash");
        call(412, "sshd");
        ProcessNames names = new ProcessNames(processes);
        names.begin();
        if (follows) {
            names.follow();
        }
        assertThat(names.take()).isEmpty();
        return names;
    }

    /** Its exec was lost. */
    @Test
    void shouldCompareWithTheNameThatAForkTold() throws IOException {
        ProcessNames names = new ProcessNames(processes);
        RecordWriter fork = new RecordWriter()
                .record(EventType.SCHED_PROCESS_FORK, 0, 10, 10, 412, 1, 412, 10)
                .text(EventType.SCHED_PROCESS_FORK, "comm", "shell");
        new RecordCursor(RecordLayout.WIDE).wrap(fork.buffer(), 0, fork.size()).forEach(names);
        lose(names);
        call(412, "program");
        see(names, EventType.SYS_EXIT, 412);
        assertThat(names.take()).isEqualTo(Map.of(412, ""));
    }

    private void end(int process) throws IOException {
        Files.delete(processes.resolve(process + "/comm"));
    }
}
