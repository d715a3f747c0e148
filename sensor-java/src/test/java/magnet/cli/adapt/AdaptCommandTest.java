// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import magnet.cli.TestWorld;
import magnet.cli.WorldFixture;
import magnet.control.FakeModule;
import magnet.record.EventType;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The made-up module loses 5 events of each subscription in the first interval, and none later. */
@Timeout(60)
final class AdaptCommandTest extends WorldFixture {
    private static final String SENDS = "magnet_net_udp_send_packets_rate";
    private static final String WHEN = SENDS + " > 0";

    private Fifo fifo;
    private Path told;
    private Thread command;
    private int exitCode = -1;

    @BeforeEach
    void prepare() throws IOException {
        fifo = Fifo.create(world.data.resolve("cpu0"));
        told = folder.resolve("told");
    }

    @AfterEach
    void closeFifo() throws IOException {
        fifo.close();
    }

    private void start(String... arguments) {
        command = new Thread(() -> exitCode = world.run(arguments));
        command.start();
    }

    private int interrupt() throws InterruptedException {
        assertThat(world.interruption.interrupt()).isTrue();
        command.join();
        return exitCode;
    }

    /** What is there before it begins counts for nothing. */
    private void send(int datagrams) throws IOException {
        Awaitility.await().until(() -> world.errLines().stream().anyMatch(line -> line.startsWith("magnet: watching")));
        RecordWriter sends = new RecordWriter();
        for (int i = 0; i < datagrams; i++) {
            sends.record(EventType.UDP_SENDMSG, 0, 70, 77, 5, 5_000 + i, 1_400, 2, 17);
        }
        fifo.write(sends.bytes());
    }

    private String printed() {
        return world.out.toString(StandardCharsets.UTF_8);
    }

    private void awaitPrinted(String text) {
        Awaitility.await().until(() -> printed().contains(text));
    }

    private List<String> told() throws IOException {
        return Files.exists(told) ? Files.readAllLines(told) : List.of();
    }

    private String tell(String what) {
        return "echo " + what + " >>" + told;
    }

    @Test
    void shouldRunOneCommandWhenItBeginsAndOneWhenItEnds() throws Exception {
        start("adapt", "-i", "0.1", "--when", WHEN, "--then", tell("on"), "--else", tell("off"));
        send(3);
        awaitPrinted("begins");
        awaitPrinted("ends");
        Awaitility.await().until(() -> told().size() == 2);

        assertThat(interrupt()).isZero();

        assertThat(told()).containsExactly("on", "off");
        assertThat(world.outLines())
                .hasSize(2)
                .anyMatch(line -> line.matches("14:13:20.125  begins  " + WHEN + ": [0-9.]+ packets/sec"))
                .anyMatch(line -> line.equals("14:13:20.125  ends    " + WHEN + ": 0 packets/sec"));
        assertThat(module.subscriptions()).as("only what the metric needs").containsExactly("udp_sendmsg");
        assertThat(world.errLines()).first().isEqualTo("magnet: watching " + WHEN);
        assertThat(world.errLines())
                .last()
                .asString()
                .matches("magnet: 2 changes; no events were lost in \\d+ intervals?");
    }

    @Test
    void shouldTellItsCommandsWhyTheyRun() throws Exception {
        String all = "$MAGNET_STATE,$MAGNET_METRIC,$MAGNET_CONDITION,$MAGNET_VALUE,$MAGNET_UNIT,$MAGNET_LOST";
        start("adapt", "-i", "0.1", "--when", WHEN, "--then", tell(all), "--else", tell(all));
        send(3);
        Awaitility.await().until(() -> told().size() == 2);

        assertThat(interrupt()).isZero();

        assertThat(told().get(0)).matches("begins," + SENDS + "," + WHEN + ",[1-9][0-9]*(\\.[0-9]+)?,packets/sec,0");
        assertThat(told().get(1)).isEqualTo("ends," + SENDS + "," + WHEN + ",0,packets/sec,0");
    }

    @Test
    void shouldPrintJsonAndNothingOfItsCommandsBesideIt() throws Exception {
        start("adapt", "-i", "0.1", "--json", "-n", "2", "--when", WHEN, "--then", "echo noise", "--else", "cat");
        send(3);
        command.join();

        assertThat(exitCode).isZero();
        assertThat(world.outLines()).hasSize(2);
        assertThat(world.outLines().get(0))
                .matches("\\{\"time\": \"2026-09-21T14:13:20.125Z\", \"state\": \"begins\", \"condition\": \"" + WHEN
                        + "\", \"metric\": \"" + SENDS + "\", \"value\": [0-9.]+, \"unit\": \"packets/sec\","
                        + " \"interval_s\": [0-9.]+, \"lost\": 0, \"clock_jumped\": false, \"stopped\": false}");
        assertThat(world.outLines().get(1)).contains("\"state\": \"ends\"", "\"value\": 0.0", "\"lost\": 0,");
    }

    @Test
    void shouldGoOnWhenACommandFails() throws Exception {
        start("adapt", "-i", "0.1", "--when", WHEN, "--then", "exit 3", "--else", tell("off"));
        send(3);
        Awaitility.await().until(() -> told().equals(List.of("off")));

        assertThat(interrupt()).isZero();

        assertThat(world.errLines()).containsOnlyOnce("magnet: command 'exit 3' failed with exit code 3");
    }

    @Test
    void shouldEndWhatHoldsWhenItEnds() throws Exception {
        start("adapt", "-i", "0.1", "--when", WHEN, "--hold", "1h", "--then", tell("on"), "--else", tell("off"));
        send(3);
        awaitPrinted("begins");

        assertThat(interrupt()).isZero();

        assertThat(told()).containsExactly("on", "off");
        assertThat(world.outLines()).hasSize(2).last().asString().endsWith(", as magnet adapt does");
    }

    /** Both begin in one interval: the second trace would be empty. */
    @Test
    void shouldPauseAfterATrace() throws Exception {
        module.beside("box", true);
        Path traces = folder.resolve("traces");
        String second = SENDS + " > 0.5";
        start(("adapt~-i~0.1~-n~2~--when~" + WHEN + "~--hold~1h~--save~box~--when~" + second
                        + "~--hold~1h~--save~box~-o~" + traces + "~--min-free~0")
                .split("~", -1));
        send(3);
        command.join();

        assertThat(exitCode).isZero();
        try (Stream<Path> all = Files.list(traces)) {
            assertThat(all).singleElement().asString().endsWith("box-20260921T141320.125Z");
        }
        assertThat(world.errLines())
                .containsOnlyOnce("magnet: flight recorder box is not saved: its last save is too recent (--pause)");
        assertThat(world.errLines())
                .filteredOn(line -> line.contains(" saved in "))
                .hasSize(1);
    }

    /** Nothing has to be done at the second one's end; its begin is over all the same before it could be told. */
    @Test
    void shouldNotTellABeginThatIsOverWhenNothingIsRunAtItsEnd() throws Exception {
        Path go = folder.resolve("go");
        String slow = "until [ -e " + go + " ]; do sleep 0.05; done; " + tell("first-on");
        String second = SENDS + " > 0.5";
        start("adapt", "-i", "0.1", "--when", WHEN, "--then", slow, "--when", second, "--then", tell("second-on"));
        send(3);
        Awaitility.await().until(() -> world.outLines().size() == 4);
        Awaitility.await().until(() -> world.errLines().stream().anyMatch(line -> line.contains("was not run")));
        Files.createFile(go);

        assertThat(interrupt()).isZero();

        assertThat(told()).containsExactly("first-on");
    }

    /** The first condition's command waits for a file; meanwhile both conditions end. */
    @Test
    void shouldRunOneCommandAtATimeAndLeaveOutWhatHasChangedBack() throws Exception {
        Path go = folder.resolve("go");
        String slow = "until [ -e " + go + " ]; do sleep 0.05; done; " + tell("first-on");
        start(
                "adapt",
                "-i",
                "0.1",
                "--when",
                WHEN,
                "--then",
                slow,
                "--else",
                tell("first-off"),
                "--when",
                SENDS + " > 0.5",
                "--then",
                tell("second-on"),
                "--else",
                tell("second-off"));
        send(3);
        Awaitility.await().until(() -> world.outLines().size() == 4);
        Awaitility.await().until(() -> world.errLines().stream().anyMatch(line -> line.contains("was not run")));
        assertThat(told()).isEmpty();
        Files.createFile(go);
        Awaitility.await().until(() -> told().size() == 2);

        assertThat(interrupt()).isZero();

        assertThat(told()).containsExactly("first-on", "first-off");
        assertThat(world.errLines())
                .containsOnlyOnce("magnet: command '" + tell("second-on") + "' was not run: " + SENDS
                        + " > 0.5 has changed again while another command ran");
    }

    @Test
    void shouldEndWhatHoldsWhenNobodyReadsItsOutput() throws Exception {
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        start("adapt", "-i", "0.1", "--when", WHEN, "--then", tell("on"), "--else", tell("off"));
        send(3);
        command.join();

        assertThat(exitCode).isZero();
        assertThat(told()).containsExactly("on", "off");
    }

    @Test
    void shouldEndAfterItsTime() {
        assertThat(world.run("adapt", "-d", "0.25", "-i", "0.1", "--when", WHEN))
                .isZero();
        assertThat(world.outLines()).isEmpty();
        assertThat(world.errLines())
                .as("what was lost before it began")
                .noneMatch(line -> line.contains(" events were lost:"));
    }

    @Test
    void shouldSayWhenEventsAreLost() throws Exception {
        start("adapt", "-i", "0.1", "--when", WHEN);
        send(0);
        module.lost(12);
        Awaitility.await()
                .until(() -> world.errLines()
                        .contains("magnet: 7 events were lost: values are too low until it is said that they are not;"
                                + " --buffer-size makes more room for them"));
        assertThat(interrupt()).isZero();
        assertThat(world.errLines().get(world.errLines().size() - 1))
                .matches("magnet: 0 changes; 7 events were lost, in 1 of \\d+ intervals?");
    }

    @Test
    void shouldSayWhenTheModuleGoes() throws IOException {
        fifo.close();
        Files.delete(world.data.resolve("cpu0"));
        Files.createFile(world.data.resolve("cpu0"));

        assertThat(world.run("adapt", "--when", WHEN)).isEqualTo(7);

        assertThat(world.errLines()).contains("magnet: the module was unloaded, or somebody else removed the buffer");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --when~magnet_net_drop_rate > 1                  | did you mean 'magnet_net_drops_rate'?
            --when~magnet_top_cpu_1_process > 1               | is a name and no number
            --when~%1$s                                       | METRIC > NUMBER
            --when~%1$s > x                                   | METRIC > NUMBER
            --when~%1$s > 1~--until~%1$s < 2                  | a number of at most 1
            --when~%1$s > 1~--when~%1$s > 1                   | the same condition is given twice
            --when~%1$s > 1~-i~0.01                           | the interval must be
            --when~%1$s > 1~-n~0                              | --count COUNT must be at least 1
            --when~%1$s > 1~--pause~1s                        | --pause and --min-free need --save RECORDER
            --when~%1$s > 1~--hold~long                       | --hold wants a time
            --until~%1$s < 1                                  | --when
            -n~1                                              | --when
            """)
    void shouldSayInOneLineWhatIsWrong(String options, String complaint) {
        List<String> arguments = new ArrayList<>(List.of("adapt"));
        arguments.addAll(List.of(options.formatted(SENDS).split("~", -1)));

        assertThat(world.run(arguments.toArray(String[]::new))).isEqualTo(2);

        assertThat(world.errLines())
                .singleElement()
                .asString()
                .startsWith("magnet: ")
                .contains(complaint);
        assertThat(world.outLines()).isEmpty();
    }

    @Test
    void shouldSayInOneLineWhyItCannot() throws IOException {
        TestWorld unprivileged = new TestWorld(folder.resolve("u"), new FakeModule().unprivileged());
        assertThat(unprivileged.run("adapt", "--when", WHEN)).isEqualTo(6);
        assertThat(unprivileged.errLines()).singleElement().asString().contains("CAP_PERFMON", "run it as root");

        assertThat(world.run("adapt", "--when", "magnet_net_drops_rate > 1")).isEqualTo(1);
        assertThat(world.errLines()).singleElement().asString().contains("magnet_net_drops_rate", "kfree_skb");

        TestWorld without = new TestWorld(folder.resolve("w"), module);
        without.control = FakeModule::openWithout;
        Files.writeString(without.lockdown, "none [integrity] confidentiality\n");
        assertThat(without.run("adapt", "--when", WHEN)).isEqualTo(5);
        assertThat(without.errLines())
                .singleElement()
                .asString()
                .contains("the kernel module is not loaded", "locked down, integrity");
    }
}
