// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import magnet.cli.WorldFixture;
import magnet.control.FakeModule;
import magnet.os.Errno;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import magnet.trace.TraceFixture;
import magnet.trace.TraceReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class RecordCommandTest extends WorldFixture {
    private static final long TIMER = 5_000;

    RecordCommandTest() {
        super(new FakeModule().naming());
    }

    private Path trace;
    private Fifo fifo;

    @BeforeEach
    void prepare() throws IOException {
        trace = folder.resolve("a/trace");
        fifo = Fifo.create(world.data.resolve("cpu0"));
        fifo.write(new RecordWriter()
                .record(EventType.CLOCK, 0, 0, 0, 0, TIMER + 100, 1_790_000_000_000_000_040L, 2_040)
                .record(EventType.SCHED_PROCESS_EXIT, 0, 99, 99, 99, TIMER + 150, 0, 1, 10)
                .record(EventType.UDP_SENDMSG, 0, 99, 98, 5, TIMER + 200, 1_400, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 99, 98, 5, TIMER + 5_000_200, 1_400, 2, 17)
                .bytes());
        Files.setLastModifiedTime(world.data.resolve("cpu0"), FileTime.from(Instant.parse("2026-09-21T14:00:01Z")));
    }

    @AfterEach
    void closeFifo() throws IOException {
        fifo.close();
    }

    private FakeModule started() {
        return module.recorder("box", "sched_process_fork", "udp_sendmsg");
    }

    private String complaint(String... arguments) {
        assertThat(world.run(arguments)).isEqualTo(1);
        assertThat(world.errLines()).hasSize(1);
        return world.errLines().get(0);
    }

    @Test
    void shouldStartOneThatGoesOnWithoutTheCommand() throws IOException {
        assertThat(world.run(
                        "record",
                        "start",
                        "box",
                        "-p",
                        "udp_sendmsg",
                        "--flight-recorder",
                        "8M",
                        "--filter",
                        "urgent if family == inet6"))
                .isZero();
        assertThat(module.lastRequest("BUFFER_NEW")).isEqualTo("BUFFER=box BUFFER_SIZE=8388608 FLAGS=5");
        assertThat(module.subscriptions())
                .as("names come first")
                .endsWith("udp_sendmsg")
                .containsExactlyInAnyOrder(
                        "sched_process_fork", "sched_process_exec", "sched_process_exit", "task_rename", "udp_sendmsg");
        assertThat(module.lastRequest("SUB_NEW"))
                .isEqualTo("POINT=udp_sendmsg BUFFER=box RULES=urgent if family == 10 FLAGS=1");
        assertThat(module.wasAskedTo("BUFFER_DEL")).isFalse();
        assertThat(world.outLines()).isEmpty();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: flight recorder box keeps the newest 256K of each CPU's events of 1 point, without"
                                + " this command; \"magnet record save box -o FOLDER\" saves them");
    }

    @Test
    void shouldLeaveNothingBehindIfAPointIsRefused() throws IOException {
        module.refusing("udp_sendmsg");
        assertThat(complaint("record", "start", "box", "-p", "udp_sendmsg")).contains("it has too many");
        assertThat(module.lastRequest("BUFFER_DEL")).isEqualTo("BUFFER=box");
    }

    @Test
    void shouldRefuseBadNamesAndPointsThatAreNotThereBeforeAnythingIsMade() throws IOException {
        for (String name : new String[] {"a/b", ".box", "x".repeat(59), "a b"}) {
            world.err.reset();
            assertThat(world.run("record", "start", name, "-p", "udp_sendmsg")).isEqualTo(2);
            assertThat(world.errLines())
                    .singleElement()
                    .asString()
                    .startsWith(
                            "magnet: NAME wants letters, digits, '_', '-' and '.', no '.' in front and at most 58, not"
                                    + " '"
                                    + name + "'");
        }
        world.err.reset();
        assertThat(complaint("record", "start", "box", "-p", "udp_sendmgs")).contains("did you mean udp_sendmsg?");
        assertThat(module.wasAskedTo("BUFFER_NEW")).isFalse();
    }

    @Test
    void shouldRefuseCommandLinesThatCannotBe() {
        for (String[] wrong : new String[][] {
            {"record"},
            {"record", "start", "box"},
            {"record", "start", "-p", "udp_sendmsg"},
            {"record", "start", "box", "-p", "udp_sendmsg", "--sample", "0"},
            {"record", "start", "box", "-p", "udp_sendmsg", "--snap", "4001"},
            {"record", "save", "box"},
            {"record", "save", "box", "-o", "x", "-n", "1"},
            {"record", "save", "box", "-o", "x", "--keep-traces", "1"},
            {"record", "save", "box", "-o", "x", "--pause", "1s"},
            {"record", "save", "box", "-o", "x", "--when-urgent", "--pause", "86401s"},
            {"record", "start", "box.save", "-p", "udp_sendmsg"},
            {"record", "save", "box", "-o", "x", "--when-urgent", "--keep-traces", "0"},
            {"record", "save", "box", "-o", "x", "--when-urgent", "-n", "0"},
            {"record", "sotp", "box"}
        }) {
            world.err.reset();
            assertThat(world.run(wrong)).as(String.join(" ", wrong)).isEqualTo(2);
            assertThat(world.errLines()).hasSize(1);
        }
    }

    /** Without the module they are no names either. */
    @Test
    void shouldRefuseNamesThatNoRecorderCanHave() {
        assertThat(world.run("record", "save", "a/b", "-o", folder.resolve("x").toString()))
                .isEqualTo(2);
        assertThat(world.run("record", "stop", "../x")).isEqualTo(2);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: NAME wants letters, digits, '_', '-' and '.', no '.' in front and at most 58, not"
                                + " 'a/b' (see: magnet record save --help)",
                        "magnet: NAME wants letters, digits, '_', '-' and '.', no '.' in front and at most 58, not"
                                + " '../x' (see: magnet record stop --help)");
    }

    @Test
    void shouldSaveWhatItHoldsAndSayWhatWasOverwritten() throws IOException {
        started();
        Files.write(world.format, TraceFixture.format(RecordLayout.WIDE));
        assertThat(world.run("record", "save", "box", "-o", trace.toString())).isZero();
        assertThat(module.lastRequest("BUFFER_SNAPSHOT")).isEqualTo("BUFFER=box SNAPSHOT=box.save FLAGS=0");
        assertThat(module.lastRequest("BUFFER_DEL")).isEqualTo("BUFFER=box.save");
        assertThat(world.errLines()).isEmpty();
        assertThat(world.outLines())
                .containsExactly("2 events saved in " + trace + ", of 0.002 s, and 1 that say what threads are"
                        + " called; before them 700 records were overwritten, 5 events lost");
        world.out.reset();
        assertThat(TraceReader.open(trace).overwritten()).hasValueSatisfying(each -> {
            assertThat(each.recorder()).isEqualTo("box");
            assertThat(each.records()).isEqualTo(700);
        });
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines()).contains("recorder   box, which had overwritten 700 older records");
        world.out.reset();
        assertThat(world.run("report", "--json", trace.toString())).isZero();
        assertThat(world.outLines().get(0)).contains("\"recorder\": \"box\", \"overwritten\": 700");
    }

    @Test
    void shouldSaveItForWhoMayNotReadDebugfsToo() throws IOException {
        started();
        assertThat(world.run("record", "save", "box", "-o", trace.toString(), "--json"))
                .isZero();
        assertThat(world.outLines().get(0))
                .startsWith("{\"recorder\": \"box\", \"trace\": \"" + trace + "\", \"events\": 2, \"names\": 1,");
        assertThat(world.run("report", trace.toString())).isZero();
        assertThat(world.outLines()).anyMatch(line -> line.matches("udp_sendmsg +2 .*"));
    }

    @Test
    void shouldLeaveNothingBehindWhereItIsSavedByAnother() {
        started().saving();
        assertThat(complaint("record", "save", "box", "-o", trace.toString()))
                .isEqualTo("magnet: flight recorder box is just being saved by another command; save it again when that"
                        + " has ended");
        assertThat(trace).doesNotExist();
    }

    @Test
    void shouldRefuseANameThatOnlyASnapshotMayHave() {
        assertThat(world.run("record", "start", "box.save", "-p", "udp_sendmsg"))
                .isEqualTo(2);
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .startsWith(
                        "magnet: NAME must not end with '.save': the snapshot of a recorder that is saved has such a"
                                + " name");
        assertThat(module.subscriptions()).isEmpty();
    }

    @Test
    void shouldNotTakeABufferForASaveByAnother() throws IOException {
        started().beside("box.save", true);
        assertThat(complaint("record", "save", "box", "-o", trace.toString()))
                .isEqualTo("magnet: flight recorder box cannot be saved while there is a buffer box.save: its snapshot"
                        + " needs this name; remove that buffer: magnet buffers --remove box.save");
        assertThat(module.wasAskedTo("BUFFER_SNAPSHOT")).isFalse();
        assertThat(trace).doesNotExist();
    }

    @Test
    void shouldTakeNothingIfItCannotBeWritten() throws IOException {
        started();
        Files.createDirectories(trace);
        Files.writeString(trace.resolve("mine"), "x");
        assertThat(complaint("record", "save", "box", "-o", trace.toString()))
                .contains("a trace wants a folder of its own");
        world.err.reset();
        assertThat(complaint("record", "save", "box", "-o", folder.resolve("b").toString(), "--min-free", "900000G"))
                .contains(" are to stay free; flight recorder box still has all, so save it elsewhere");
        assertThat(folder.resolve("b")).doesNotExist();
        world.err.reset();
        assertThat(complaint("record", "save", "bax", "-o", folder.resolve("b").toString()))
                .isEqualTo(
                        "magnet: there is no flight recorder bax; did you mean box? (\"magnet record ls\" lists them)");
        assertThat(module.wasAskedTo("BUFFER_SNAPSHOT")).isFalse();
    }

    @Test
    void shouldNotTakeABufferForARecorder() throws IOException {
        assertThat(complaint("record", "stop", "main"))
                .isEqualTo(
                        "magnet: main is a buffer and no flight recorder; \"magnet record ls\" lists flight recorders");
        assertThat(module.wasAskedTo("BUFFER_DEL")).isFalse();
    }

    @Test
    void shouldStopOneAndSayWhatItCameTo() throws IOException {
        started();
        assertThat(world.run("record", "stop", "box")).isZero();
        assertThat(module.lastRequest("BUFFER_DEL")).isEqualTo("BUFFER=box");
        assertThat(world.outLines())
                .containsExactly(
                        "flight recorder box has ended: of 26 hits 5 were lost; 700 records were overwritten, 100"
                                + " saved, and 200 that it held are gone");
        assertThat(world.errLines()).as("advice").singleElement().asString().startsWith("magnet: of the lost");
    }

    @Test
    void shouldListThem() throws IOException {
        assertThat(world.run("record", "ls")).isZero();
        assertThat(world.outLines()).containsExactly("no flight recorders");
        world.out.reset();
        started();
        assertThat(world.run("record", "ls")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "NAME  KIB/CPU  HELD  OVERWRITTEN  LOST  SINCE                POINTS",
                        "box       256   200          700     5  2026-09-21 14:00:01  udp_sendmsg");
        world.out.reset();
        assertThat(world.run("record", "ls", "--json")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "{\"recorders\": [{\"name\": \"box\", \"points\": [\"udp_sendmsg\"], \"bytes_per_cpu\": 262144,"
                                + " \"hits\": 25, \"committed\": 20, \"records_held\": 200, \"bytes_held\": 4000,"
                                + " \"records_overwritten\": 700, \"records_saved\": 100, \"lost\": 5, \"since\":"
                                + " \"2026-09-21T14:00:01Z\"}]}");
    }

    @Test
    void shouldSaveATraceAtAnUrgentEvent() throws IOException {
        started().urgent("udp_sendmsg", 1);
        assertThat(world.run(
                        "record", "save", "box", "-o", trace.toString(), "--when-urgent", "-n", "1", "--min-free", "0"))
                .isZero();
        try (Stream<Path> traces = Files.list(trace)) {
            assertThat(traces).singleElement().asString().endsWith("/box-20260921T141320.125Z");
        }
        assertThat(world.outLines()).singleElement().asString().startsWith("2 events saved in " + trace + "/box-");
        assertThat(world.errLines())
                .containsExactly("magnet: waiting for urgent events in flight recorder box", "magnet: 1 trace saved");
    }

    private int saveWhenUrgent(String... more) {
        long[] now = {0};
        world.clock = () -> now[0] += 1_000_000_000;
        List<String> arguments = new ArrayList<>(
                List.of("record", "save", "box", "-o", trace.toString(), "--when-urgent", "--min-free", "0"));
        arguments.addAll(List.of(more));
        return world.run(arguments.toArray(new String[0]));
    }

    private List<String> saved() throws IOException {
        try (Stream<Path> traces = Files.list(trace)) {
            return traces.map(each -> each.getFileName().toString()).toList();
        }
    }

    /** In a burst one trace after another would displace that of the first. */
    @Test
    void shouldPauseAfterATrace() throws IOException {
        started().urgent("udp_sendmsg", 1).urgent("udp_sendmsg", 2).urgent("udp_sendmsg", 3);
        assertThat(saveWhenUrgent("-d", "100s")).isZero();
        assertThat(saved()).hasSize(1);
        assertThat(world.errLines())
                .endsWith("magnet: 1 trace saved; urgent events that came too soon after a save (--pause) and have no"
                        + " trace of their own: 2")
                .hasSize(2);
    }

    /** The test's wall clock stands still: the second trace's folder is there already. */
    @Test
    void shouldGoOnWhenATraceCannotBeWritten() throws IOException {
        started().urgent("udp_sendmsg", 1).urgent("udp_sendmsg", 2).urgent("udp_sendmsg", 3);
        assertThat(saveWhenUrgent("--pause", "0", "-d", "100s")).isZero();
        assertThat(saved()).hasSize(1);
        String refused = "magnet: nothing saved: " + trace
                + "/box-20260921T141320.125Z: it is not empty; a trace wants a folder of its own";
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: waiting for urgent events in flight recorder box",
                        refused,
                        refused,
                        "magnet: 1 trace saved");
    }

    @Test
    void shouldFailWhenTheRecorderGoesBeforeThereAreEnoughTraces() throws IOException {
        started().urgent("udp_sendmsg", 1).bufferEnds(4);
        assertThat(saveWhenUrgent("-n", "3")).isEqualTo(1);
        assertThat(saved()).hasSize(1);
        assertThat(world.errLines())
                .endsWith("magnet: flight recorder box was ended", "magnet: only 1 of 3 traces saved");
    }

    @Test
    void shouldFailWhenTheModuleGoesBeforeThereAreEnoughTraces() {
        started().refusingBuffers(1, Errno.ENOENT);
        assertThat(saveWhenUrgent("-n", "3")).isEqualTo(1);
        assertThat(world.errLines())
                .endsWith("magnet: the kernel module was unloaded", "magnet: only 0 of 3 traces saved");
    }

    @Test
    void shouldEndWellWhenTheRecorderGoesAndNobodyAskedForANumber() {
        started().bufferEnds(1);
        assertThat(saveWhenUrgent()).isZero();
        assertThat(world.errLines()).endsWith("magnet: flight recorder box was ended", "magnet: 0 traces saved");
    }

    @Test
    void shouldNotTakeEachRefusalForTheEndOfTheModule() {
        started().refusingBuffers(1, Errno.ENOMEM);
        assertThat(saveWhenUrgent("-n", "3", "-d", "100s")).isZero();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: waiting for urgent events in flight recorder box",
                        "magnet: whether flight recorder box is still there is not known: list the buffers: Cannot"
                                + " allocate memory (ENOMEM)",
                        "magnet: 0 traces saved");
    }
}
