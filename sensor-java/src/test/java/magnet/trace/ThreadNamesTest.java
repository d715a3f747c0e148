// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordFlyweight;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import org.junit.jupiter.api.Test;

final class ThreadNamesTest {
    private final List<Integer> asked = new ArrayList<>();
    private final ThreadNames names = ThreadNames.ofRunning(thread -> {
        asked.add(thread);
        return thread == 77 ? "before" : "";
    });
    private final RecordWriter writer = new RecordWriter();

    private static RecordWriter fork(RecordWriter to, int maker, int child, int process, String name) {
        return to.record(EventType.SCHED_PROCESS_FORK, 0, maker, maker, child, 1, process, maker)
                .text(EventType.SCHED_PROCESS_FORK, "comm", name);
    }

    private static RecordWriter exec(RecordWriter to, int thread, String name) {
        return to.record(EventType.SCHED_PROCESS_EXEC, 0, thread, thread, thread, 1, thread)
                .text(EventType.SCHED_PROCESS_EXEC, "comm", name);
    }

    private static RecordWriter rename(RecordWriter to, int thread, String before, String name) {
        return to.record(EventType.TASK_RENAME, 0, thread, thread, thread, 1, thread)
                .text(EventType.TASK_RENAME, "old_comm", before)
                .text(EventType.TASK_RENAME, "comm", name);
    }

    private static RecordWriter exit(RecordWriter to, int thread, String name) {
        return to.record(EventType.SCHED_PROCESS_EXIT, 0, thread, thread, thread, 1)
                .text(EventType.SCHED_PROCESS_EXIT, "comm", name);
    }

    /** The names of the records' threads, each as of its record. */
    private List<String> read() {
        List<String> seen = new ArrayList<>();
        ByteBuffer buffer = writer.buffer();
        new RecordCursor(RecordLayout.WIDE).wrap(buffer, 0, writer.size()).forEach(record -> seen.add(see(record)));
        writer.clear();
        return seen;
    }

    private String see(RecordFlyweight record) {
        names.onRecord(record);
        return names.of(record);
    }

    @Test
    void shouldNameAThreadFromTheEventOnThatGivesTheName() {
        fork(writer, 10, 11, 11, "shell");
        writer.record(EventType.UDP_SENDMSG, 0, 11, 11, 0, 2);
        rename(writer, 11, "shell", "program");
        exec(writer, 11, "program");
        writer.record(EventType.UDP_SENDMSG, 0, 11, 11, 0, 2);
        exit(writer, 11, "program");
        writer.record(EventType.SCHED_SWITCH, 0, 11, 11, 10, 2);
        assertThat(read()).containsExactly("shell", "shell", "shell", "program", "program", "program", "program");
        assertThat(asked).isEmpty();
        assertThat(names.ofProcess(11, 0)).isEqualTo("program");
    }

    @Test
    void shouldAskOnceForAThreadThatBeganBefore() {
        writer.record(EventType.UDP_SENDMSG, 0, 77, 77, 0, 1)
                .record(EventType.UDP_SENDMSG, 0, 78, 78, 0, 1)
                .record(EventType.UDP_SENDMSG, 0, 77, 77, 0, 1)
                .record(EventType.UDP_SENDMSG, 0, 78, 78, 0, 1);
        assertThat(read()).containsExactly("before", "", "before", "");
        assertThat(asked).containsExactly(77, 78);
        assertThat(names.told(77)).as("no record did").isEmpty();
        assertThat(names.ofProcess(77, 0)).isEmpty();
    }

    @Test
    void shouldNameIdleThreadsAndNotTheSensor() {
        writer.record(EventType.SCHED_SWITCH, 0, 0, 0, 77, 1).record(EventType.LOST, 0, 0, 0, 0, 2);
        assertThat(read()).containsExactly("swapper", "");
        assertThat(asked).isEmpty();
    }

    @Test
    void shouldGiveThreadsOfAProcessNamesOfTheirOwn() {
        exec(writer, 20, "server");
        writer.record(EventType.SCHED_PROCESS_FORK, 0, 20, 20, 21, 1, 20, 1)
                .text(EventType.SCHED_PROCESS_FORK, "comm", "server")
                .record(EventType.TASK_RENAME, 0, 20, 20, 21, 2, 20)
                .text(EventType.TASK_RENAME, "old_comm", "server")
                .text(EventType.TASK_RENAME, "comm", "worker")
                .record(EventType.UDP_SENDMSG, 0, 20, 21, 0, 3);
        assertThat(read()).containsExactly("server", "server", "server", "worker");
        assertThat(names.ofProcess(20, 0)).isEqualTo("server");
    }

    @Test
    void shouldNotBelieveARecordWithoutNames() {
        int header = writer.header(40, 0, EventType.SCHED_PROCESS_EXEC.id(), 30, 30, 30, 1);
        writer.buffer().putInt(header + 32, 30);
        assertThat(read()).containsExactly("");
        assertThat(asked).containsExactly(30);
    }

    @Test
    void shouldKeepTheNamesOfManyShortLives() {
        int lives = 10_007;
        for (int life = 0; life < lives; life++) {
            int thread = 1_000 + life;
            fork(writer, 10, thread, thread, "shell");
            exec(writer, thread, "program-" + life);
            exit(writer, thread, "program-" + life);
            read();
        }
        for (int life = 0; life < lives; life++) {
            assertThat(names.ofProcess(1_000 + life, 0)).isEqualTo("program-" + life);
        }
        assertThat(asked).isEmpty();
    }

    @Test
    void shouldForgetThoseThatEndedLongAgoAndNoOthers() {
        exec(writer, 1, "stays");
        for (int thread = 2; thread <= ThreadNames.ENDED_MOST + 2; thread++) {
            exit(writer, thread, "name");
            if (writer.size() > 60_000) {
                read();
            }
        }
        exec(writer, 3, "anew");
        read();
        assertThat(names.told(2)).isEmpty();
        assertThat(names.told(3)).isEqualTo("anew");
        assertThat(names.told(1)).isEqualTo("stays");
    }

    private void send(int thread) {
        writer.record(EventType.UDP_SENDMSG, 0, thread, thread, 0, 3);
    }

    /** An exec may be among what was lost, or the end of the thread and another one's beginning. */
    @Test
    void shouldForgetWhereEventsWereLostAndAskAnew() {
        exec(writer, 77, "told");
        exec(writer, 79, "gone");
        send(77);
        writer.record(EventType.LOST, 0, 0, 0, 0, 4, 3, 1, 2);
        send(77);
        send(79);
        assertThat(read()).containsExactly("told", "gone", "told", "", "before", "");
        assertThat(asked).containsExactly(77, 79);
        assertThat(names.told(77)).isEmpty();

        exec(writer, 77, "told");
        send(77);
        assertThat(read()).containsExactly("told", "told");
        names.onGap(1);
        assertThat(names.of(77)).as("not known what a gap hides").isEqualTo("before");
    }

    @Test
    void shouldAskAnewAfterALossOfWhomItAskedBefore() {
        send(77);
        send(78);
        writer.record(EventType.LOST, 0, 0, 0, 0, 4, 3, 1, 2);
        send(77);
        send(78);
        assertThat(read()).containsExactly("before", "", "", "before", "");
        assertThat(asked).containsExactly(77, 78, 77, 78);
    }

    @Test
    void shouldForgetWhereAStormGuardRefusedNamesAndNotWhereItRefusedOthers() {
        exec(writer, 77, "told");
        writer.record(EventType.STORM, 0, 0, 0, EventType.UDP_SENDMSG.id(), 4, 3, 1, 2);
        send(77);
        writer.record(EventType.STORM, 0, 0, 0, EventType.SCHED_PROCESS_EXEC.id(), 4, 3, 1, 2);
        send(77);
        assertThat(read()).containsExactly("told", "", "told", "", "before");
    }

    @Test
    void shouldKeepAfterALossWhatASavedTraceIsSureOf() {
        ThreadNames saved = ThreadNames.ofSaved(Map.of(20, "sure", 22, "quiet"));
        exec(writer, 20, "told");
        exec(writer, 21, "lost");
        writer.record(EventType.LOST, 0, 0, 0, 0, 4, 3, 1, 2);
        new RecordCursor(RecordLayout.WIDE)
                .wrap(writer.buffer(), 0, writer.size())
                .forEach(saved);
        assertThat(saved.of(20)).isEqualTo("told");
        assertThat(saved.of(21)).isEmpty();
        assertThat(saved.of(22)).isEqualTo("quiet");
        assertThat(saved.ofProcess(21, 0)).as("not seen since the loss").isEqualTo("lost");
        assertThat(saved.ofProcess(21, saved.losses())).isEmpty();
        assertThat(saved.ofProcess(20, saved.losses())).isEqualTo("told");
    }

    @Test
    void shouldNameAThreadThatNobodyCouldNameFromAForkOn() {
        send(10);
        fork(writer, 10, 11, 11, "shell");
        send(10);
        assertThat(read()).containsExactly("", "shell", "shell");
        assertThat(asked).containsExactly(10);
    }

    /** Since Linux 6.4 they have names of their own before the record is made. */
    @Test
    void shouldNotNameTheMakerOfKernelThreadsAfterThem() {
        fork(writer, 2, 90, 90, "kworker/3:1");
        send(2);
        send(90);
        fork(writer, 2, 91, 91, "kthreadd");
        send(2);
        assertThat(read()).containsExactly("", "", "kworker/3:1", "", "");
        assertThat(names.told(2)).isEmpty();
        assertThat(names.told(90)).isEqualTo("kworker/3:1");
    }

    /** By CLONE_PARENT a kernel thread's child has kthreadd for a parent, too: nobody can tell it from a kernel thread. */
    @Test
    void shouldNotNameTheMakerOfAChildOfKthreaddAfterIt() {
        writer.record(EventType.SCHED_PROCESS_FORK, 0, 40, 40, 92, 1, 92, 2)
                .text(EventType.SCHED_PROCESS_FORK, "comm", "kworker/u8:2");
        read();
        assertThat(names.told(40)).isEmpty();
        assertThat(names.told(92)).isEqualTo("kworker/u8:2");
    }

    /** A thread may be renamed by another one of its process before the record of its making. */
    @Test
    void shouldNotNameTheMakerAfterAThreadThatWasRenamedBeforeTheFork() {
        writer.record(EventType.TASK_RENAME, 0, 20, 22, 21, 1, 20)
                .text(EventType.TASK_RENAME, "old_comm", "server")
                .text(EventType.TASK_RENAME, "comm", "worker")
                .record(EventType.SCHED_PROCESS_FORK, 0, 20, 20, 21, 1, 20, 1)
                .text(EventType.SCHED_PROCESS_FORK, "comm", "worker");
        send(20);
        assertThat(read()).containsExactly("", "", "");
        assertThat(names.told(20)).isEmpty();
        assertThat(names.told(21)).isEqualTo("worker");

        exit(writer, 21, "worker");
        writer.record(EventType.SCHED_PROCESS_FORK, 0, 20, 20, 21, 1, 20, 1)
                .text(EventType.SCHED_PROCESS_FORK, "comm", "server");
        read();
        assertThat(names.told(20)).as("the number's last thread has ended").isEqualTo("server");
    }

    @Test
    void shouldAskAgainAfterASecondAndNotForEachEvent() {
        names.at(1);
        for (int i = 0; i < 100; i++) {
            send(77);
            send(78);
        }
        read();
        names.at(AnsweredNames.STALE_NS + 1);
        send(77);
        read();
        assertThat(asked).containsExactly(77, 78);

        names.at(AnsweredNames.STALE_NS + 2);
        send(77);
        exec(writer, 78, "told");
        send(78);
        read();
        assertThat(asked).containsExactly(77, 78, 77);
    }

    @Test
    void shouldKeepTheNameOfAThreadThatIsGone() {
        ThreadNames going = ThreadNames.ofRunning(thread -> asked.isEmpty() ? "alive" : "");
        assertThat(going.of(5)).isEqualTo("alive");
        asked.add(5);
        going.at(2 * AnsweredNames.STALE_NS);
        assertThat(going.of(5)).isEqualTo("alive");
    }

    @Test
    void shouldNotGrowWithoutBoundWhereNoEventGivesNames() {
        names.of(77);
        for (int thread = 1_000; thread < 1_000 + 4 * AnsweredNames.PLACES; thread++) {
            names.at(thread);
            names.of(thread);
        }
        asked.clear();
        assertThat(names.of(77)).isEqualTo("before");
        assertThat(asked).as("its place went to another").containsExactly(77);
    }
}
