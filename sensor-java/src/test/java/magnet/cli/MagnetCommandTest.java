// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import magnet.control.FakeModule;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class MagnetCommandTest {
    @TempDir
    private Path folder;

    private TestWorld world;

    @BeforeEach
    void makeWorld() throws IOException {
        world = new TestWorld(folder, new FakeModule());
    }

    @Test
    void shouldHelpWhenAsked() {
        assertThat(world.run("--help")).isZero();
        assertThat(world.outLines()).contains("Exit codes:").anyMatch(line -> line.contains("unload"));
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldTellItsVersion() {
        assertThat(world.run("--version")).isZero();
        assertThat(world.outLines()).singleElement().asString().startsWith("magnet ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"status", "points", "read", "unload"})
    void shouldHelpWithEachCommand(String command) {
        assertThat(world.run(command, "--help")).isZero();
        assertThat(world.outLines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }

    @Test
    void shouldExitWith2AndOneLineWhenMisused() {
        assertThat(world.run()).isEqualTo(2);
        assertThat(world.run("sttus")).isEqualTo(2);
        assertThat(world.run("points", "--bogus")).isEqualTo(2);
        assertThat(world.run("read", "-n", "many")).isEqualTo(2);
        assertThat(world.run("read", "-n", "0")).isEqualTo(2);
        assertThat(world.run("read", "-d", "0")).isEqualTo(2);
        assertThat(world.run("read", "-d", "NaN")).isEqualTo(2);
        assertThat(world.errLines())
                .hasSize(7)
                .allSatisfy(line -> assertThat(line).startsWith("magnet: ").endsWith("--help)"))
                .anySatisfy(line -> assertThat(line).contains("did you mean"));
        assertThat(world.outLines()).isEmpty();
    }

    @Test
    void shouldExitWith1AndOneLineWhenItFails() {
        world.control = () -> {
            throw new IOException("the sky fell");
        };
        assertThat(world.run("points")).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: the sky fell");
    }

    @Test
    void shouldNotHideAnErrorOfItsOwn() {
        world.control = () -> {
            throw new IllegalStateException("impossible");
        };
        assertThat(world.run("points")).isEqualTo(1);
        assertThat(world.errLines())
                .startsWith("magnet: internal error: java.lang.IllegalStateException: impossible")
                .hasSizeGreaterThan(2);
    }

    @Test
    void shouldEndQuietlyWhenNobodyReads() {
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        assertThat(world.run("points")).isZero();
        assertThat(world.run("--help")).isZero();
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldDescribeEveryOption() throws IOException {
        CommandLine commandLine = MagnetCommand.commandLine(World.real(new Interruption()));
        assertThat(commandLine.getSubcommands()).containsOnlyKeys("status", "points", "read", "unload");
        assertThat(commandLine.getSubcommands().values()).allSatisfy(command -> {
            assertThat(command.getCommandSpec().usageMessage().header()).isNotEmpty();
            assertThat(command.getCommandSpec().options())
                    .allSatisfy(option -> assertThat(option.description()).isNotEmpty());
        });
    }
}
