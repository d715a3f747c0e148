// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import magnet.cli.LiveFixture;
import magnet.control.FakeModule;
import magnet.os.TerminalSize;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.trace.TraceFixture;
import magnet.trace.TraceWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The made-up module's subscriptions had 26 hits each, and lost 5 of them. */
@Timeout(60)
final class HistCommandTest extends LiveFixture {
    private static final long TIMER = 5_000;

    private static RecordWriter sent(int cpu, int process, long... lengths) {
        RecordWriter records = new RecordWriter();
        for (int i = 0; i < lengths.length; i++) {
            records.record(EventType.UDP_SENDMSG, cpu, process, process, 5, TIMER + i, lengths[i], 2, 17);
        }
        return records;
    }

    private void write() throws IOException {
        first.write(sent(0, 412, 0, 1, 2, 3, 4, 7, 8).bytes());
        second.write(sent(1, 99, 1_400, 1_400, 9).bytes());
    }

    @Test
    void shouldDrawWhatBpftraceDraws() throws IOException {
        write();
        assertThat(world.run("hist", "-p", "udp_sendmsg", "len", "-n", "10")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "len: 10 events, 0 to 1400",
                        "[0]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |",
                        "[1]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |",
                        "[2, 4)                 2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|",
                        "[4, 8)                 2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|",
                        "[8, 16)                2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|",
                        "[16, 32)               0 |                                                    |",
                        "[32, 64)               0 |                                                    |",
                        "[64, 128)              0 |                                                    |",
                        "[128, 256)             0 |                                                    |",
                        "[256, 512)             0 |                                                    |",
                        "[512, 1K)              0 |                                                    |",
                        "[1K, 2K)               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|",
                        "5 events lost: these figures are too low");
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: counting events of udp_sendmsg: Ctrl-C ends it",
                        "magnet: 10 events counted; of 26 hits 5 were lost",
                        "magnet: of the lost 5 found the buffer full (use more than --buffer-size 4M, fewer points,"
                                + " or a rule that drops what is not wanted)");
        assertThat(module.lastRequest("BUFFER_NEW")).contains("BUFFER_SIZE=4194304");
        assertThat(world.bufferAsked)
                .isEqualTo("hist-" + ProcessHandle.current().pid());
        assertThat(module.wasAskedTo("BUFFER_DEL")).isTrue();
    }

    @Test
    void shouldDrawOneForEachKeyTheLargestFirst() throws IOException {
        world.addProcess(412, "sshd", "/usr/sbin/sshd");
        write();
        assertThat(world.run("hist", "-p", "udp_sendmsg", "len", "by", "process,cpu", "-n", "10", "--top", "1"))
                .isZero();
        assertThat(world.outLines())
                .startsWith(
                        "len of process 412 (sshd), cpu 0: 7 events, 0 to 8",
                        "[0]                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |")
                .endsWith("", "1 more: 3 events", "5 events lost: these figures are too low");
    }

    @Test
    void shouldPrintJsonAsBpftraceDoes() throws IOException {
        world.addProcess(412, "sshd", "/usr/sbin/sshd");
        first.write(sent(0, 412, 0, 1, 5, 5).bytes());
        assertThat(world.run("hist", "--json", "-p", "udp_sendmsg", "len", "by", "process", "-n", "4"))
                .isZero();
        assertThat(world.outLines())
                .singleElement()
                .asString()
                .matches("\\{\"time\": \"2026-09-21T14:13:20.125Z\", \"seconds\": \\d+\\.\\d+, \"points\":"
                        + " \\[\"udp_sendmsg\"], \"field\": \"len\", \"by\": \\[\"process\"], \"events\": 4,"
                        + " \"lost\": 5, \"groups\": \\[\\{\"by\": \\{\"process\": 412}, \"names\":"
                        + " \\{\"process\": \"sshd\"}, \"count\": 4, \"min\": 0, \"max\": 5, \"buckets\":"
                        + " \\[\\{\"min\": 0, \"max\": 0, \"count\": 1}, \\{\"min\": 1, \"max\": 1, \"count\":"
                        + " 1}, \\{\"min\": 2, \"max\": 3, \"count\": 0}, \\{\"min\": 4, \"max\": 7, \"count\":"
                        + " 2}]}]}");
    }

    @Test
    void shouldKeepToTheTerminalsWidth() throws IOException {
        world.screen = Optional.of(new TerminalSize(44, 20));
        write();
        assertThat(world.run("hist", "-p", "udp_sendmsg", "len", "by", "process,thread,cpu,family", "-n", "10"))
                .isZero();
        assertThat(world.outLines())
                .hasSizeGreaterThan(10)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(44))
                .contains(
                        "len of process 412, thr...: 7 events, 0 to 8", "[0]                    1 |@@@@@@@@         |");
    }

    @Test
    void shouldFilterInTheKernel() throws IOException {
        write();
        long self = ProcessHandle.current().pid();
        assertThat(world.run(
                        "hist",
                        "-p",
                        "udp_sendmsg",
                        "len",
                        "--pid",
                        "412",
                        "--not-self",
                        "--filter",
                        "drop if len == 1",
                        "--buffer-size",
                        "1M",
                        "-n",
                        "7"))
                .isZero();
        assertThat(world.outLines()).contains("len: 7 events, 0 to 8");
        assertThat(module.lastRequest("SUB_NEW"))
                .endsWith("RULES=drop if tgid != 412; drop if tgid == " + self + "; drop if len == 1 FLAGS=0");
        assertThat(module.lastRequest("BUFFER_NEW")).contains("BUFFER_SIZE=1048576");
    }

    @Test
    void shouldSayThatThereWasNothing() throws IOException {
        assertThat(world.run("hist", "-p", "udp_sendmsg", "len", "-d", "0.2")).isZero();
        assertThat(world.outLines()).containsExactly("no events", "5 events lost: these figures are too low");
        assertThat(world.errLines().get(0)).isEqualTo("magnet: counting events of udp_sendmsg: 200ms");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-p udp_sendmsg size | udp_sendmsg has no field size (it has len, family, protocol, cookie; every"
                        + " event has process, thread, cpu, point, job)",
                "-p udp_sendmsg lenn | udp_sendmsg has no field lenn; did you mean len? (it has len, family, protocol,"
                        + " cookie; every event has process, thread, cpu, point, job)",
                "-p udp_sendmsg,sched_switch len | sched_switch has no field len (it has prev_state, next_tgid,"
                        + " next_tid; every event has process, thread, cpu, point, job)",
                "-p udp_sendmsg len by port | udp_sendmsg has no field port (it has len, family, protocol, cookie;"
                        + " every event has process, thread, cpu, point, job)",
                "-p udp_sendmgs len | there is no point udp_sendmgs; did you mean udp_sendmsg? (\"magnet points\""
                        + " lists them)",
            })
    void shouldSayWhatCannotBe(String arguments, String line) throws IOException {
        assertThat(world.run(("hist " + arguments).split(" ", -1))).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: " + line);
        assertThat(module.wasAskedTo("BUFFER_NEW")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "len | which point? Say it with -p POINT, such as -p udp_sendmsg",
                "-p udp_sendmsg | which field of the point? Say it behind, such as -p udp_sendmsg len",
                "-p udp_sendmsg len process | groups are asked for as by KEY, or by KEY,KEY, such as by process,cpu",
                "-p udp_sendmsg len by | groups are asked for as by KEY, or by KEY,KEY, such as by process,cpu",
                "-p udp_sendmsg len by cpu, | groups are asked for as by KEY, or by KEY,KEY, such as by process,cpu",
                "-p udp_sendmsg len by cpu,cpu | by cpu stands there twice",
                "-p udp_sendmsg len by a,b,c,d,e | at most 4 keys after by",
                "-p ,udp_sendmsg len | -p wants names of points with commas between them, such as udp_sendmsg,udp_rcv",
                "-p udp_sendmsg len -n 0 | --count COUNT must be at least 1",
                "-p udp_sendmsg len --top 0 | --top N must be at least 1",
                "-p udp_sendmsg len --pid 0 | --pid PID must be at least 1",
                "-p udp_sendmsg len -i 50ms | --interval TIME must be from 0.1s to 1h",
                "-p udp_sendmsg len --cumulative | --cumulative goes with -i TIME",
                "-p udp_sendmsg len --trace x -d 1 | --trace reads what was saved, so it does not go with -d, -i,"
                        + " --not-self and --buffer-size",
                "-p udp_sendmsg len --trace x --buffer-size 1M | --trace reads what was saved, so it does not go with"
                        + " -d, -i, --not-self and --buffer-size",
            })
    void shouldSayWhatIsWantedInstead(String arguments, String line) {
        assertThat(world.run(("hist " + arguments).split(" ", -1))).isEqualTo(2);
        assertThat(world.errLines()).containsExactly("magnet: " + line + " (see: magnet hist --help)");
    }

    private Path save() throws IOException {
        Path trace = folder.resolve("trace");
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(
                    writer, 0, sent(0, 412, 100, 200, 300).record(EventType.LOST, 0, 0, 0, 0, TIMER + 400, 3, 1, 2));
            TraceFixture.write(
                    writer, 1, sent(1, 99, 100).unknown(0x400, 1, TIMER + 7, 0xffff_fffe_0000_00c8L, 0x6f6f66, 0));
        }
        return trace;
    }

    @Test
    void shouldDrawWhatASavedTraceHas() throws IOException {
        world.control = FakeModule::openWithout;
        String trace = save().toString();
        assertThat(world.run("hist", "--trace", trace, "-p", "udp_sendmsg", "len", "--filter", "drop if len == 300"))
                .as("%s", world.errLines())
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "len: 3 events, 100 to 200",
                        "[64, 128)              2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|",
                        "[128, 256)             1 |@@@@@@@@@@@@@@@@@@@@@@@@@@                          |",
                        "3 events lost: these figures are too low");
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 3 events counted; 3 were lost when the trace was saved",
                        "magnet: 1 event was filtered");
    }

    /** CPU 0 slept, and its timer began anew, while the second fault waited. */
    private String saveAcrossASuspend() throws IOException {
        Path trace = folder.resolve("suspended");
        try (TraceWriter writer = TraceFixture.writer(trace, RecordLayout.WIDE)) {
            TraceFixture.write(
                    writer,
                    0,
                    new RecordWriter()
                            .record(EventType.CLOCK, 0, 0, 0, 0, 90_000, 5_000, 1_000, 0)
                            .record(EventType.MAJOR_FAULT, 0, 1, 1, 0, 95_000, 2_500)
                            .record(EventType.CLOCK, 0, 0, 0, 0, 10_000, 5_000, 1_000, 1)
                            .record(EventType.MAJOR_FAULT, 0, 1, 1, 0, 20_000, -75_000)
                            .record(EventType.MAJOR_FAULT, 0, 1, 1, 0, 30_000, 5_000));
        }
        return trace.toString();
    }

    @Test
    void shouldMeasureNothingAcrossASuspend() throws IOException {
        world.control = FakeModule::openWithout;
        String trace = saveAcrossASuspend();
        assertThat(world.run("hist", "--trace", trace, "-p", "major_fault", "latency"))
                .isZero();
        assertThat(world.run("hist", "--json", "--trace", trace, "-p", "major_fault", "latency"))
                .isZero();
        assertThat(world.outLines()).first().isEqualTo("latency: 2 events, 1000 to 2000 ns");
        assertThat(world.outLines())
                .last()
                .asString()
                .contains("\"unit\": \"ns\", \"by\": [], \"events\": 2, \"lost\": 0, \"not_counted\": 1, ");
        assertThat(world.errLines())
                .startsWith(
                        "magnet: 1 latency spanned a jump of the timer, as after a suspend, and is not counted",
                        "magnet: 2 events counted");
    }

    @Test
    void shouldDrawNegativeNumbersOfADynamicPoint() throws IOException {
        world.control = FakeModule::openWithout;
        assertThat(world.run("hist", "--trace", save().toString(), "-p", "f_open", "ret"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "ret: 1 event, -2 to -2",
                        "(..., 0)               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|",
                        "3 events lost: these figures are too low");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-p f_open name | name of f_open is a text, and a histogram wants a number; \"magnet count -p f_open"
                        + " by name\" counts events by it",
                "-p udp_sendmgs len | the trace describes no event udp_sendmgs; did you mean udp_sendmsg? (\"magnet"
                        + " report\" lists those that it has)",
            })
    void shouldSayWhatATraceDoesNotHave(String arguments, String line) throws IOException {
        assertThat(world.run(("hist --trace " + save() + " " + arguments).split(" ", -1)))
                .isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: " + line);
    }
}
