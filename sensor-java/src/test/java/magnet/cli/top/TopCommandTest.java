// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import magnet.cli.LiveFixture;
import magnet.cli.TestWorld;
import magnet.cli.world.World;
import magnet.control.FakeModule;
import magnet.os.TerminalSize;
import magnet.record.EventType;
import magnet.record.RecordWriter;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The made-up module has udp_sendmsg and sched_switch, of which it loses 5 of 25 each; 2.5 ticks are a nanosecond. */
@Timeout(60)
final class TopCommandTest extends LiveFixture {
    private static final long TIMER = 5_000;
    private static final long TICKS_PER_MILLI = 2_500_000;
    private static final Pattern LATE = Pattern.compile("(?m)^LOST .* late (?!0\\.0/s)[0-9.]+/s");

    private interface Writing {
        void write() throws IOException;
    }

    /** As soon as all points are hooked, and what came before has been read: the clock is asked when the first window begins. */
    private void whenTheFirstWindowBegins(Writing writing) {
        boolean[] written = {false};
        world.clock = () -> {
            if (!written[0] && module.subscriptions().size() >= 2) {
                written[0] = true;
                try {
                    writing.write();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return System.nanoTime();
        };
    }

    /** Process 70 runs for 10 ms, and three datagrams are sent. */
    private void write() throws IOException {
        second.write(new RecordWriter()
                .record(EventType.SCHED_SWITCH, 1, 0, 0, 77, TIMER, 0, 70)
                .record(EventType.SCHED_SWITCH, 1, 70, 77, 0, TIMER + 10 * TICKS_PER_MILLI, 1, 0)
                .bytes());
        RecordWriter sends = new RecordWriter();
        for (int i = 1; i <= 3; i++) {
            sends.record(EventType.UDP_SENDMSG, 0, 70, 77, 5, TIMER + i, 1_400, 2, 17);
        }
        first.write(sends.bytes());
    }

    private String printed() {
        return world.out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldPrintBlocksWhereThereIsNoTerminal() throws IOException {
        world.addProcess(70, "evil\033[2J", "evil");
        whenTheFirstWindowBegins(() -> {
            write();
            module.lost(15);
        });

        assertThat(world.run("top", "-n", "2", "-i", "300ms")).isZero();

        assertThat(world.outLines().stream().filter(line -> line.startsWith("magnet top")))
                .hasSize(2)
                .allMatch(
                        line -> line.startsWith("magnet top  14:13:20  window ") && line.endsWith(" 2 CPUs, 2 points"));
        assertThat(world.outLines())
                .anyMatch(line -> line.startsWith("LOST 20 (20 since start)  events "))
                .anyMatch(line -> line.startsWith("LOST 0 (20 since start)  events 0.0/s"))
                .anyMatch(line -> line.matches("udp_sendmsg +[0-9.]+ +3"))
                .anyMatch(line -> line.matches("sched_switch +[0-9.]+ +2"))
                .anyMatch(line -> line.matches("sched_switch +10 +0 +0 +0 +0 +0"))
                .anyMatch(line -> line.matches(" *70 +[0-9.]+ +0.0 +[0-9.]+  evil\\\\x1b\\[2J"));
        assertThat(printed()).doesNotContain("\033");
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 5 events read; of 52 hits 30 were lost",
                        "magnet: of the lost 30 found the buffer full (use more than --buffer-size 256K, fewer points,"
                                + " or a rule that drops what is not wanted)");
        assertThat(world.bufferAsked).isEqualTo("top-" + ProcessHandle.current().pid());
        assertThat(module.wasAskedTo("BUFFER_DEL")).isTrue();
    }

    /** To hook all points takes longer than a window of some machines. */
    @Test
    void shouldHaveInNoWindowWhatCameWhilePointsWereHooked() throws IOException {
        write();

        assertThat(world.run("top", "-n", "1", "-i", "0.3")).isZero();

        assertThat(world.outLines())
                .anyMatch(line -> line.startsWith("LOST 0 (0 since start)  events 0.0/s"))
                .noneMatch(line -> line.startsWith("udp_sendmsg ") && !line.contains(" 25"))
                .noneMatch(line -> line.matches(" *70 .*"));
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 5 events read; of 52 hits 10 were lost",
                        "magnet: of the lost 10 found the buffer full (use more than --buffer-size 256K, fewer points,"
                                + " or a rule that drops what is not wanted)");
    }

    /** The other CPU's record is older than one that has been shown. */
    @Test
    void shouldTellOfEventsThatCameLate() throws Exception {
        whenTheFirstWindowBegins(() -> first.write(new RecordWriter()
                .record(EventType.UDP_SENDMSG, 0, 70, 77, 5, TIMER + 10 * TICKS_PER_MILLI, 1_400, 2, 17)
                .bytes()));
        Thread command = new Thread(() -> world.run("top", "-i", "0.2"));
        command.start();
        Awaitility.await().until(() -> printed().contains("\nudp_sendmsg "));
        assertThat(printed()).doesNotContainPattern(LATE);
        second.write(new RecordWriter()
                .record(EventType.SCHED_SWITCH, 1, 0, 0, 77, TIMER, 0, 70)
                .bytes());
        Awaitility.await().until(() -> LATE.matcher(printed()).find());
        world.interruption.interrupt();
        command.join();
    }

    @Test
    void shouldSayWhichPointsThisKernelLacks() {
        assertThat(world.run("top", "-n", "1", "-i", "0.1")).isZero();
        assertThat(world.outLines())
                .anySatisfy(line ->
                        assertThat(line).startsWith("without ").contains("see \"magnet check\"", " tcp_sendmsg"));
        assertThat(module.subscriptions()).containsOnlyOnce("udp_sendmsg", "sched_switch");
    }

    @Test
    void shouldCountOtherPointsOnceWhenAsked() throws IOException {
        EventType halfThere = Objects.requireNonNull(EventType.ofId(0x20));
        whenTheFirstWindowBegins(() -> {
            first.write(
                    new RecordWriter().record(halfThere, 0, 1, 1, 0, TIMER + 1).bytes());
            second.write(new RecordWriter()
                    .record(EventType.CLOCK, 1, 0, 0, 0, TIMER + 100)
                    .bytes());
        });

        assertThat(world.run("top", "-n", "1", "-i", "0.3", "-p", "half_there", "-p", "sched_switch"))
                .isZero();

        assertThat(module.subscriptions()).containsOnlyOnce("half_there").containsOnlyOnce("sched_switch");
        assertThat(world.outLines()).anyMatch(line -> line.endsWith("3 points"));
        assertThat(world.outLines()).anyMatch(line -> line.matches("half_there +[0-9.]+ +1"));
        assertThat(world.run("top", "-n", "1", "-p", "no_such")).isEqualTo(1);
    }

    @Test
    void shouldDrawInPlaceAndLeaveTheTerminalAsItWas() {
        world.screen = Optional.of(new TerminalSize(60, 12));

        assertThat(world.run("top", "-n", "2", "-i", "0.1")).isZero();

        String text = printed();
        assertThat(text)
                .startsWith("\033[?1049h\033[?25l\033[Hmagnet top")
                .endsWith("\033[?25h\033[?1049l")
                .containsOnlyOnce("\033[?1049h");
        assertThat(text.split("\033\\[Hmagnet top", -1)).as("frames").hasSize(3);
        assertThat(text.split("\r\n", -1)).as("lines of two frames").hasSizeLessThanOrEqualTo(2 * 12 - 1);
    }

    @Test
    void shouldPrintBlocksToATerminalWhenAsked() {
        world.screen = Optional.of(TerminalSize.USUAL);

        assertThat(world.run("top", "--batch", "-n", "1", "-i", "0.1")).isZero();

        assertThat(printed()).startsWith("magnet top").doesNotContain("\033", "\r");
    }

    @Test
    void shouldLeaveTheTerminalAsItWasWhenInterrupted() throws Exception {
        world.screen = Optional.of(TerminalSize.USUAL);
        CountDownLatch drawn = new CountDownLatch(1);
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) {
                world.out.write(b);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                world.out.write(bytes, offset, length);
                drawn.countDown();
            }
        };
        int[] exitCode = {-1};
        Thread command = new Thread(() -> exitCode[0] = world.run("top", "-i", "0.1"));
        command.start();
        drawn.await();
        assertThat(world.interruption.interrupt()).isTrue();
        command.join();

        assertThat(exitCode[0]).isZero();
        assertThat(printed()).endsWith("\033[?25h\033[?1049l").containsOnlyOnce("\033[?1049l");
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 0 events read; of 52 hits 10 were lost",
                        "magnet: of the lost 10 found the buffer full (use more than --buffer-size 256K, fewer points,"
                                + " or a rule that drops what is not wanted)");
    }

    /** Gives key after key, each when what the one before brings about is on the screen. */
    private final class PressedKeys implements World.Keys {
        private final Iterator<String> keysAndAnswers;
        private String awaited = "*CPU %";
        private volatile boolean closed;
        private volatile boolean paused;
        private volatile boolean othersHaveTheTerminal;

        PressedKeys(String... keysAndAnswers) {
            this.keysAndAnswers = List.of(keysAndAnswers).iterator();
        }

        @Override
        public int read() {
            Awaitility.await().until(() -> printed().contains(awaited));
            int key = keysAndAnswers.next().charAt(0);
            awaited = keysAndAnswers.next();
            return key;
        }

        @Override
        public void pause() {
            paused = true;
        }

        @Override
        public boolean goOn() {
            paused &= othersHaveTheTerminal;
            return !paused;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @Test
    void shouldObeyKeysAndLeaveTheTerminalAsItWas() {
        world.screen = Optional.of(TerminalSize.USUAL);
        PressedKeys keys =
                new PressedKeys("w", "*WAIT %", "x", "", "s", "*SWITCHES/S", " ", "HELD", "q", "never awaited");
        world.keys = Optional.of(keys);

        assertThat(world.run("top", "-i", "0.1")).isZero();

        assertThat(printed())
                .contains(TopKeys.HELP.substring(0, 60), "HELD, space goes on   q quit")
                .endsWith("\033[?25h\033[?1049l");
        assertThat(keys.closed).isTrue();
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 0 events read; of 52 hits 10 were lost",
                        "magnet: of the lost 10 found the buffer full (use more than --buffer-size 256K, fewer points,"
                                + " or a rule that drops what is not wanted)");
    }

    /** Ctrl-Z, bg, fg. */
    @Test
    void shouldLeaveTheTerminalAsItWasWhileItIsStopped() throws Exception {
        world.screen = Optional.of(TerminalSize.USUAL);
        PressedKeys keys = new PressedKeys("x", "until it is on the screen again", "q", "never awaited");
        world.keys = Optional.of(keys);
        Thread command = new Thread(() -> world.run("top", "-i", "0.1"));
        command.start();
        Awaitility.await().until(() -> printed().contains("*CPU %"));

        world.stop.run();
        String stopped = printed();
        assertThat(stopped).endsWith("\033[?25h\033[?1049l");
        assertThat(keys.paused).isTrue();

        keys.othersHaveTheTerminal = true;
        world.goOn.run();
        Awaitility.await().during(Duration.ofMillis(300)).until(() -> printed().equals(stopped));

        keys.othersHaveTheTerminal = false;
        world.goOn.run();
        assertThat(printed().substring(stopped.length())).startsWith("\033[?1049h\033[?25l\033[Hmagnet top");
        world.interruption.interrupt();
        command.join();
        assertThat(printed()).endsWith("\033[?25h\033[?1049l");
    }

    @Test
    void shouldLookAtNoKeysWhereThereIsNoScreen() {
        world.keys = Optional.of(new PressedKeys("q", ""));

        assertThat(world.run("top", "-n", "2", "-i", "0.1")).isZero();

        assertThat(printed()).doesNotContain(TopKeys.HELP);
        assertThat(world.outLines().stream().filter(line -> line.startsWith("magnet top")))
                .hasSize(2);
    }

    @Test
    void shouldEndQuietlyWhenNobodyReadsItsOutput() {
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        assertThat(world.run("top", "-i", "0.1")).isZero();
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldSayWhenTheBufferWasRemoved() throws IOException {
        first.close();
        second.close();
        Files.delete(world.data.resolve("cpu0"));
        Files.delete(world.data.resolve("cpu1"));
        Files.createFile(world.data.resolve("cpu0"));

        assertThat(world.run("top")).isZero();

        assertThat(world.errLines()).containsExactly("magnet: 0 events read, then somebody else removed the buffer");
    }

    @Test
    void shouldSayInOneLineWhyItCannot() throws IOException {
        TestWorld unprivileged = new TestWorld(folder.resolve("u"), new FakeModule().unprivileged());
        assertThat(unprivileged.run("top")).isEqualTo(1);
        assertThat(unprivileged.errLines()).singleElement().asString().contains("CAP_PERFMON", "run it as root");

        world.control = FakeModule::openWithout;
        Files.writeString(world.lockdown, "none [integrity] confidentiality\n");
        assertThat(world.run("top")).isEqualTo(1);
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .contains("the kernel module is not loaded", "locked down, integrity");
        assertThat(printed()).isEmpty();
    }

    @Test
    void shouldShowTheKeysAndGoBack() {
        world.screen = Optional.of(new TerminalSize(90, 30));
        world.keys =
                Optional.of(new PressedKeys("?", "any key goes back", "x", "", "w", "*WAIT %", "q", "never awaited"));

        assertThat(world.run("top", "-i", "0.1")).isZero();

        assertThat(printed()).contains("scroll processes down by a line");
    }

    /** The screen says what is typed, and then shows it only. */
    @Test
    void shouldFilterByANameThatIsTyped() {
        world.screen = Optional.of(new TerminalSize(90, 30));
        world.keys = Optional.of(new PressedKeys(
                "f",
                "name: _",
                "a",
                "name: a_",
                "b",
                "name: ab_",
                "\177",
                "name: a_",
                "\r",
                "only name a",
                "q",
                "never awaited"));

        assertThat(world.run("top", "-i", "0.1")).isZero();

        assertThat(printed()).doesNotContain("only name ab");
    }

    /** As pairs for {@link PressedKeys}, with what is awaited after the last byte. */
    private static List<String> bytes(String sequence, String awaited) {
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < sequence.length(); i++) {
            pairs.add(sequence.substring(i, i + 1));
            pairs.add(i == sequence.length() - 1 ? awaited : "");
        }
        return pairs;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\033",
                "\033\033",
                "\033[[A",
                "\033OP",
                "\033[15~",
                "\033[1;5C",
                "\033[200~",
                "?\033",
                "f\033",
                "f\033[A"
            })
    void shouldQuitAfterEscapeAndAfterEachKeyThatDoesNothing(String sequence) {
        world.screen = Optional.of(new TerminalSize(90, 30));
        world.keys = Optional.of(
                new PressedKeys(bytes(sequence + "q", "never awaited").toArray(String[]::new)));

        assertThat(world.run("top", "-i", "0.1")).isZero();
    }

    /** The last byte of an arrow to the right is a letter that ranks by CPU time elsewhere. */
    @Test
    void shouldTakeAnArrowForOneKeyOnThePageOfKeys() {
        world.screen = Optional.of(new TerminalSize(90, 30));
        List<String> keys = new ArrayList<>(List.of("w", "*WAIT %", "?", "any key goes back"));
        keys.addAll(bytes("\033[C", ""));
        keys.addAll(bytes(" q", "never awaited"));
        keys.set(keys.size() - 3, "HELD");
        world.keys = Optional.of(new PressedKeys(keys.toArray(String[]::new)));

        assertThat(world.run("top", "-i", "0.1")).isZero();

        String afterwards = printed().substring(printed().lastIndexOf("any key goes back"));
        assertThat(afterwards).contains("*WAIT %").doesNotContain("*CPU %");
    }

    @Test
    void shouldObeyArrowsThatHaveNothingToScroll() {
        world.screen = Optional.of(new TerminalSize(90, 30));
        world.keys = Optional.of(new PressedKeys(
                "\033",
                "",
                "[",
                "",
                "B",
                "",
                "\033",
                "",
                "[",
                "",
                "5",
                "",
                "j",
                "",
                "k",
                "",
                "g",
                "",
                "q",
                "never awaited"));

        assertThat(world.run("top", "-i", "0.1")).isZero();

        assertThat(printed()).doesNotContain("from 2 of");
    }

    @Test
    void shouldShowOnlyTheProcessesThatAreAskedFor() throws IOException {
        world.addProcess(70, "server", "server");
        whenTheFirstWindowBegins(this::write);
        assertThat(world.run("top", "-n", "1", "-i", "0.3", "--pid", "71,70", "--name", "serv"))
                .isZero();
        assertThat(world.outLines())
                .contains("only pid 70,71, name serv")
                .anyMatch(line -> line.matches(" *70 .*  server"));

        world.out.reset();
        whenTheFirstWindowBegins(this::write);
        assertThat(world.run("top", "-n", "1", "-i", "0.3", "--name", "client")).isZero();
        assertThat(world.outLines()).contains("only name client").noneMatch(line -> line.matches(" *70 .*"));
    }

    @Test
    void shouldPrintAnObjectForEachWindow() throws IOException {
        world.addProcess(70, "evil\033[2J", "evil");
        world.screen = Optional.of(TerminalSize.USUAL);
        whenTheFirstWindowBegins(() -> {
            write();
            module.lost(15);
        });

        assertThat(world.run("top", "--json", "-n", "2", "-i", "300ms")).isZero();

        assertThat(world.outLines()).hasSize(2);
        JsonObject firstWindow = JsonParser.parseString(world.outLines().get(0)).getAsJsonObject();
        JsonObject secondWindow =
                JsonParser.parseString(world.outLines().get(1)).getAsJsonObject();
        assertThat(firstWindow.get("time").getAsString()).isEqualTo("2026-09-21T14:13:20.125Z");
        assertThat(firstWindow.get("cpus").getAsInt()).isEqualTo(2);
        assertThat(secondWindow.get("lost_since_start").getAsLong()).isEqualTo(20);
        assertThat(secondWindow.getAsJsonArray("events").asList())
                .extracting(event -> event.getAsJsonObject().get("event").getAsString() + " "
                        + event.getAsJsonObject().get("total").getAsLong())
                .contains("udp_sendmsg 3", "sched_switch 2");
        assertThat(List.of(firstWindow, secondWindow))
                .flatExtracting(window -> window.getAsJsonArray("processes").asList())
                .extracting(process -> process.getAsJsonObject().get("pid").getAsInt() + " "
                        + process.getAsJsonObject().get("name").getAsString() + " "
                        + process.getAsJsonObject().get("own").getAsBoolean())
                .contains("70 evil\033[2J false");
        assertThat(firstWindow.get("latencies_us").isJsonObject()).isTrue();
        assertThat(firstWindow.get("order").getAsString()).isEqualTo("cpu");
    }

    /** The kernel leaves the other devices' events out. */
    @Test
    void shouldLetTheKernelLogOneDeviceAlone() throws IOException {
        Path device = Files.createDirectories(folder.resolve("sys/class/net/eth0"));
        Files.writeString(device.resolve("ifindex"), "3\n");
        assertThat(world.run("top", "-n", "1", "-i", "0.1", "--device", "eth0")).isZero();
        assertThat(world.outLines()).contains("only device eth0");

        assertThat(world.run("top", "--device", "eth9")).isEqualTo(1);
        assertThat(world.run("top", "--device", "../eth0")).isEqualTo(1);
        assertThat(world.run("top", "--pid", "0")).isEqualTo(2);
        assertThat(world.errLines())
                .filteredOn(line -> line.contains("there is no device"))
                .hasSize(2);
    }

    @Test
    void shouldFitATerminalInBlocks() {
        world.screen = Optional.of(new TerminalSize(40, 24));

        assertThat(world.run("top", "--batch", "-n", "1", "-i", "0.1")).isZero();

        assertThat(world.outLines()).allMatch(line -> line.length() <= 40);
    }
}
