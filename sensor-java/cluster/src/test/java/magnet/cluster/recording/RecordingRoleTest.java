// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import magnet.agent.AgentHealth;
import magnet.cluster.config.ClusterConfig;
import magnet.cluster.wire.Id;
import magnet.cluster.wire.Kind;
import magnet.cluster.wire.Message;
import magnet.config.ConfigException;
import magnet.control.ControlSource;
import magnet.os.ClockQuality;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Without a module: what is refused, and what a restart finds. Recordings themselves are made in guests. */
final class RecordingRoleTest {
    private static final long SECOND = 1_000_000_000;

    @TempDir
    private Path folder;

    private long now;
    private boolean synchronised = true;
    private ControlSource control = () -> {
        throw new IOException("the magnet module is not loaded");
    };

    private RecordingRole role(String config) throws IOException, ConfigException {
        Path file = folder.resolve("magnet.conf");
        Files.writeString(
                file, config.replace("RECORDINGS", folder.resolve("runs").toString()));
        Machine machine = new Machine(
                "n1",
                () -> control.open(),
                buffer -> {
                    throw new IOException("there is none");
                },
                folder,
                folder.resolve("format"),
                () -> now,
                System::nanoTime,
                () -> new ClockQuality(synchronised, 100, 10, 0));
        return new RecordingRole(ClusterConfig.read(file), machine, AgentHealth.unheard());
    }

    private static final String ON = """
            [cluster]
            record = on
            [recording default]
            directory = RECORDINGS
            min-free = 0
            longest = 60s
            """;

    private RecordingRole role;

    @BeforeEach
    void begin() throws IOException, ConfigException {
        now = Machine.wallNow();
        role = role(ON);
    }

    @AfterEach
    void end() {
        role.close();
    }

    private static Message start(long id, long at, long duration, String text) {
        return new Message(Kind.START, Id.NONE, 1, new Id(id, 0), at, duration, text);
    }

    private void assertRefused(Message order, String why) {
        Map<String, String> answer = role.start(order);
        assertThat(answer).containsEntry("node", "n1").containsEntry("state", "refused");
        assertThat(answer.get("reason")).contains(why);
    }

    @Test
    void shouldRefuseWhatItsOwnConfigurationDoesNotAllow() throws IOException, ConfigException {
        assertRefused(start(1, now + 5 * SECOND, SECOND, "other"), "its magnet.conf has no [recording other]");
        assertRefused(start(2, now + 5 * SECOND, 61 * SECOND, "default"), "allows 60 s at most (longest)");
        assertRefused(start(3, now + 5 * SECOND, 0, "default"), "allows 60 s at most (longest)");
        assertRefused(start(4, now + 5 * SECOND, -SECOND, "default"), "allows 60 s at most (longest)");

        role = role("[cluster]\nrecord = off\n");
        assertRefused(start(5, now + 5 * SECOND, SECOND, "default"), "record = off");
    }

    @Test
    void shouldRefuseInstantsThatCannotBe() {
        assertRefused(start(1, now + 3601 * SECOND, SECOND, "default"), "more than an hour ahead");
        assertRefused(start(2, now - 2 * SECOND, SECOND, "default"), "the end is over already");
        assertRefused(start(3, Long.MAX_VALUE, SECOND, "default"), "more than an hour ahead");
        assertRefused(start(4, Long.MIN_VALUE, SECOND, "default"), "the end is over already");
    }

    @Test
    void shouldRefuseWhereNobodyDisciplinesTheClockUnlessAllowed() {
        synchronised = false;

        assertRefused(start(1, now + 5 * SECOND, SECOND, "default"), "nobody disciplines its clock");
        assertRefused(start(2, now + 5 * SECOND, SECOND, "default\nallow-unsynchronised"), "not loaded");
    }

    @Test
    void shouldRefuseWithoutAModule() {
        assertRefused(start(1, now + 5 * SECOND, SECOND, "default"), "the magnet module is not loaded");
    }

    @Test
    void shouldRefuseWhereTheDiskHasNoRoom() throws IOException, ConfigException {
        role = role(ON.replace("min-free = 0", "min-free = 1024G"));

        assertRefused(start(1, now + 5 * SECOND, SECOND, "default"), "less is free");
    }

    @Test
    void shouldAnswerARefusedOrderInTheSameWayWhenItComesAgain() {
        Message order = start(1, now + 5 * SECOND, SECOND, "other");
        Map<String, String> first = role.start(order);
        now += 7 * SECOND;

        assertThat(role.start(order)).isEqualTo(first);
    }

    @Test
    void shouldSayHowItIs() {
        assertThat(role.status())
                .containsEntry("node", "n1")
                .containsEntry("state", "idle")
                .containsEntry("clock", "synchronised")
                .containsEntry("clock_max_error_us", "100");
    }

    @Test
    void shouldSayOfARunThatEndedWhileNobodyWasThereThatItFailed() throws IOException {
        Run run = new Run(new Id(7, 7), "default", now - 60 * SECOND, 30 * SECOND);
        Path its = folder.resolve("runs").resolve(run.name());
        Files.createDirectories(its);
        Progress progress = new Progress(
                RecordingState.RECORDING,
                run.endNs(),
                run.atNs(),
                4711,
                0,
                100,
                1,
                0,
                Optional.empty(),
                Optional.empty(),
                java.util.List.of(),
                "");
        new RunFile(run, progress, run.atNs() + 10 * SECOND).write(RunFile.in(its, "n1"), "n1");

        role.goOn();

        RunFile after = RunFile.read(RunFile.in(its, "n1"));
        assertThat(after.progress().state()).isEqualTo(RecordingState.FAILED);
        assertThat(after.progress().events()).isEqualTo(4711);
        assertThat(after.progress().reason()).contains("magnet-node was not running at its end");
        assertThat(after.writtenNs()).isEqualTo(run.atNs() + 10 * SECOND);
        assertThat(role.list()).containsEntry(run.name(), "failed 4711 100");
    }
}
