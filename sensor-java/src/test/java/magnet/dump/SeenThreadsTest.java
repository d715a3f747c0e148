// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import magnet.os.ThreadComm;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SeenThreadsTest {
    private static final long SECOND_NS = 1_000_000_000;

    @TempDir
    private Path proc;

    private void thread(int tid, String name) throws IOException {
        Files.writeString(Files.createDirectories(proc.resolve("" + tid)).resolve("comm"), name + "\n");
    }

    /** Two that are told apart by their higher bits alone. */
    @Test
    void shouldKeepNamesOfTwoThreadsThatShareAPlace() throws IOException {
        thread(7, "first");
        thread(7 + 4_096, "sec ond");
        SeenThreads names = new SeenThreads(thread -> ThreadComm.of(proc, thread));
        names.note(7, 1);
        names.note(7 + 4_096, 2);
        thread(7, "other");
        thread(7 + 4_096, "other");

        names.note(7, 3);
        names.note(7 + 4_096, 4);

        assertThat(names.name(7)).as("not asked anew").isEqualTo("first");
        assertThat(names.name(7 + 4_096)).isEqualTo("sec\\x20ond");
    }

    @Test
    void shouldAskAgainAfterASecond() throws IOException {
        thread(7, "first");
        SeenThreads names = new SeenThreads(thread -> ThreadComm.of(proc, thread));
        names.note(7, 1);
        thread(7, "second");
        names.note(7, SECOND_NS + 2);

        assertThat(names.name(7)).isEqualTo("second");
    }

    @Test
    void shouldGiveThePlaceThatWasAskedForLongestAgo() throws IOException {
        SeenThreads names = new SeenThreads(thread -> ThreadComm.of(proc, thread));
        for (int i = 0; i < 3; i++) {
            thread(7 + i * 4_096, "t" + i);
            names.note(7 + i * 4_096, 1 + i);
        }

        assertThat(names.name(7)).isEmpty();
        assertThat(names.name(7 + 4_096)).isEqualTo("t1");
        assertThat(names.name(7 + 2 * 4_096)).isEqualTo("t2");
        assertThat(names.name(0)).isEqualTo("idle");
    }

    private static void exec(SeenThreads names, int thread, String name) {
        RecordWriter writer = new RecordWriter()
                .record(EventType.SCHED_PROCESS_EXEC, 0, thread, thread, thread, 1)
                .text(EventType.SCHED_PROCESS_EXEC, "comm", name);
        names.learn(new RecordFlyweight(RecordLayout.WIDE).wrap(writer.buffer(), 0));
    }

    @Test
    void shouldBelieveRecordsMoreThanProc() throws IOException {
        SeenThreads names = new SeenThreads(thread -> ThreadComm.of(proc, thread));
        exec(names, 7, "short life");
        names.note(7, 1);
        thread(7, "later one");
        names.note(7, 2 * SECOND_NS);
        assertThat(names.name(7)).isEqualTo("short\\x20life");

        thread(8, "before");
        names.note(8, 3 * SECOND_NS);
        assertThat(names.name(8)).isEqualTo("before");
        exec(names, 8, "after");
        names.note(8, 3 * SECOND_NS);
        assertThat(names.name(8)).isEqualTo("after");
    }

    @Test
    void shouldAskAnewWhereEventsWereLost() throws IOException {
        SeenThreads names = new SeenThreads(thread -> ThreadComm.of(proc, thread));
        exec(names, 7, "told");
        exec(names, 8, "told too");
        thread(9, "asked");
        for (int thread = 7; thread <= 9; thread++) {
            names.note(thread, 1);
        }
        thread(7, "now");
        thread(9, "anew");
        RecordWriter lost = new RecordWriter().record(EventType.LOST, 0, 0, 0, 0, 2, 3, 1, 2);
        names.learn(new RecordFlyweight(RecordLayout.WIDE).wrap(lost.buffer(), 0));
        assertThat(names.name(7)).as("of what was seen before").isEqualTo("told");
        for (int thread = 7; thread <= 9; thread++) {
            names.note(thread, 2);
        }
        assertThat(names.name(7)).isEqualTo("now");
        assertThat(names.name(8)).as("gone").isEmpty();
        assertThat(names.name(9)).isEqualTo("anew");

        exec(names, 7, "told");
        names.note(7, 3);
        assertThat(names.name(7)).isEqualTo("told");
        names.onGap(1);
        names.note(7, 3);
        assertThat(names.name(7)).isEqualTo("now");
    }
}
