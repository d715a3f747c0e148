// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import magnet.cli.world.Failure;
import magnet.publish.supermon.SupermonConcentrator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Timeout(60)
final class SupermonCommandTest extends WorldFixture {
    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void shouldAnswerUntilTheUserInterrupts() throws Exception {
        int port = freePort();
        int[] exitCode = {-1};
        Thread command = new Thread(() ->
                exitCode[0] = world.run("supermon", "--listen", "127.0.0.1:" + port, "127.0.0.1:1", "localhost:1"));
        command.start();
        await().until(() ->
                world.errLines().contains("magnet: supermon at 127.0.0.1:" + port + " answers for 2 servers"));
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write("0x10000000SQ".getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(answer).startsWith("((D supermon 0x10000000 ").contains("((nodes 2) (up 0) (late 0)");
        }
        assertThat(world.interruption.interrupt()).isTrue();
        command.join();
        assertThat(exitCode[0]).isZero();
    }

    /** A server that is none at all lets the concentrator's thread end. */
    @Test
    void shouldFailWhenTheConcentratorHas() throws Exception {
        List<InetSocketAddress> nobody = new ArrayList<>();
        nobody.add(null);
        SupermonCommand command = new SupermonCommand(
                world.world(),
                (settings, children, deadline, onFailure) ->
                        SupermonConcentrator.open(settings, nobody, deadline, onFailure));
        new CommandLine(command).parseArgs("--listen", "127.0.0.1:" + freePort(), "127.0.0.1:1");
        assertThatThrownBy(command::call)
                .isInstanceOf(Failure.class)
                .hasMessageStartingWith(
                        "nobody is answered any more, by a fault of magnet's own: java.lang.NullPointer");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "supermon|SERVER is missing",
                "supermon --listen here a|--listen wants an address of this machine",
                "supermon --allow 10.0.0.0/40 a|--allow wants addresses and networks, such as 10.0.0.0/8, not"
                        + " '10.0.0.0/40'",
                "supermon --clients 0 a|--clients wants a number from 1 to 1024, not '0'",
                "supermon --format odd a|--format wants one of lanl, linuxlabs, not 'odd'",
                "supermon --timeout 0 a|--timeout wants a time such as",
                "supermon a:b|SERVER wants a name or an address, with a port or without",
                "supermon a:65536|SERVER wants a name or an address, with a port or without",
            })
    void shouldSayWhatIsWrongWithTheCommandLine(String line, String complaint) {
        assertThat(world.run(line.split(" ", -1))).isEqualTo(2);
        assertThat(world.errLines()).singleElement().asString().startsWith("magnet: " + complaint);
    }

    @Test
    void shouldSayWhichServerIsNotKnown() {
        assertThat(world.run("supermon", "no-such-node.invalid")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: no address is known for no-such-node.invalid;" + " mend its name, or give an address");
    }

    @Test
    void shouldSayWhenItCannotListen() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(world.run("supermon", "-l", "127.0.0.1:" + taken.getLocalPort(), "127.0.0.1"))
                    .isEqualTo(1);
            assertThat(world.errLines())
                    .singleElement()
                    .asString()
                    .startsWith("magnet: cannot listen for supermon at 127.0.0.1:" + taken.getLocalPort())
                    .contains("give another address");
        }
    }
}
