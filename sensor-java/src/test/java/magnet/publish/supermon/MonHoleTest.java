// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.AgentHealth;
import magnet.publish.server.SelectorServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
final class MonHoleTest {
    @TempDir
    private Path folder;

    private final AtomicLong now = new AtomicLong();
    private Path hole;
    private SelectorServer server;
    private TestClient client;

    @BeforeEach
    void open() throws IOException {
        hole = folder.resolve("monhole");
        server = server(hole);
        client = new TestClient(server.address());
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
    }

    private SelectorServer server(Path path) throws IOException {
        Samples samples = new Samples(
                ReplyFormat.LANL,
                new SampledHost("n-1", 1),
                new ProcCategories(Path.of("/proc"), InstantSource.system()),
                Optional::empty,
                Optional.of(path),
                now::get);
        return SelectorServer.open(
                new MonProtocol(
                        new SupermonSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                InetAddress::isLoopbackAddress,
                                64,
                                ReplyFormat.LANL),
                        samples),
                now::get,
                AgentHealth.unheard());
    }

    private SocketChannel program() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(hole));
    }

    private static void send(SocketChannel to, String text) throws IOException {
        to.write(StandardCharsets.UTF_8.encode(text));
    }

    /** What it is told until it is closed. */
    private static String rest(SocketChannel from) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(1_000);
        try {
            while (from.read(bytes) >= 0) {
                assertThat(bytes.hasRemaining()).isTrue();
            }
        } catch (IOException e) {
            // Closed while more was on its way to it.
        }
        return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
    }

    private String sample() throws IOException {
        client.send("0x80000S");
        return client.answer();
    }

    @Test
    void shouldGiveWhatProgramsHandInUntilItIsOld() throws Exception {
        assertThat(sample()).isEqualTo("()\n\n");
        try (SocketChannel program = program()) {
            send(program, "(profile 12 1.5)(st");
            send(program, "ate \"half \\\"way\\\"\")\n(profile 13 -2)\n");
            await().until(() ->
                    sample().equals("((D monhole 0x80000 0x1 ((profile 13 -2) (state \"half \\\"way\\\"\"))))\n\n"));
        }
        client.send("#");
        assertThat(client.answer()).isEqualTo("((monhole 0x80000 0 ((F profile) (S state))) (nodes 1))\n\n");
        now.addAndGet(TimeUnit.SECONDS.toNanos(HandedIn.KEEP_SECONDS));
        assertThat(sample()).contains("profile");
        now.incrementAndGet();
        assertThat(sample()).isEqualTo("()\n\n");
    }

    @Test
    void shouldTakeTextsAsUtf8() throws Exception {
        try (SocketChannel program = program()) {
            send(program, "(state \"gr\u00f6\u00dfer \\\u20ac\" \u00e9)");
            program.write(ByteBuffer.wrap(new byte[] {'(', 'x', ' ', (byte) 0xff, 'y', ')'}));
            await().until(() -> sample().contains("(x "));
        }
        assertThat(new String(sample().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8))
                .isEqualTo("((D monhole 0x80000 0x1 ((state \"gr\u00f6\u00dfer \u20ac\" \"\u00e9\") (x \"?y\"))))\n\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "(x)|give (NAME VALUE ...), 1 to 64 values",
                "x|give (NAME VALUE ...), 1 to 64 values",
                "(1x 1)|a name begins with a letter",
                "(x (1))|more than 1 lists in each other",
                ")|a ) without its (",
            })
    void shouldSayWhyAnExpressionIsNotTakenAndEndTheConnection(String expression, String why) throws Exception {
        try (SocketChannel program = program()) {
            send(program, "(good 1)" + expression + "\n");
            assertThat(rest(program)).startsWith("error: " + why);
        }
        assertThat(sample()).isEqualTo("((D monhole 0x80000 0x1 (good 1)))\n\n");
    }

    @Test
    void shouldTakeNoMoreThanALineAndNoMoreNamesThanAUserMayHave() throws Exception {
        try (SocketChannel program = program()) {
            send(program, "(long " + "x".repeat(MonHoleConversation.MOST_BYTES));
            assertThat(rest(program)).startsWith("error: more than 4096 bytes in one expression");
        }
        try (SocketChannel program = program()) {
            for (int i = 0; i <= HandedIn.NAMES_OF_USER; i++) {
                send(program, "(n" + i + " 1)");
            }
            assertThat(rest(program)).isEqualTo("error: too many names: a user may have 64, all together 1024\n");
        }
        assertThat(sample()).contains("(n63 1)").doesNotContain("(n64 1)");
    }

    @Test
    void shouldNotLetAUserTakeAnothersName() throws Exception {
        HandedIn values = new HandedIn(now::get);
        values.take("ada", "(x 1)");
        assertThatThrownBy(() -> values.take("eve", "(x 2)")).hasMessage("x is another user's");
        values.take("ada", "(x 3)");
        now.addAndGet(TimeUnit.SECONDS.toNanos(HandedIn.KEEP_SECONDS) + 1);
        values.take("eve", "(x 4)");
        assertThat(values.category().orElseThrow().variables().get(0).values()).containsExactly("4");
    }

    /** One person has as many users as there are numbers under its name. */
    @Test
    void shouldKeepNoMoreBytesThanAllMayHaveHoweverManyUsersHandThemIn() throws Exception {
        HandedIn values = new HandedIn(now::get);
        String value = " " + "x".repeat(4_000) + ")";
        int kept = 0;
        for (int user = 0; user < 100; user++) {
            try {
                for (int i = 0; i < HandedIn.NAMES_OF_USER; i++) {
                    values.take("user" + user, "(n" + user + "-" + i + value);
                    kept++;
                }
            } catch (IOException e) {
                assertThat(e).hasMessage("too many bytes: a user may have 16384, all together 65536");
            }
            assertThat(kept).isEqualTo(Math.min(16, 4 * (user + 1)));
        }
        values.take("user0", "(n0-0 1)");
        values.take("user0", "(n0-0" + value);
        values.take("user0", "(n0-0 1)");
        now.addAndGet(TimeUnit.SECONDS.toNanos(HandedIn.KEEP_SECONDS) + 1);
        for (int i = 0; i < 16; i++) {
            values.take("again" + i / 4, "(n0-" + i + value);
        }
        assertThat(values.category().orElseThrow().variables()).hasSize(16);
    }

    /** Whoever sends many expressions does not make the thread look at all names for each. */
    @Test
    void shouldLookForOldNamesOnceASecondButNeverKeepOneFromAnother() throws Exception {
        HandedIn values = new HandedIn(now::get);
        for (int i = 0; i < HandedIn.NAMES_OF_USER; i++) {
            values.take("ada", "(n" + i + " 1)");
        }
        now.addAndGet(TimeUnit.SECONDS.toNanos(HandedIn.KEEP_SECONDS));
        values.take("ada", "(n0 2)");
        now.incrementAndGet();
        assertThatThrownBy(() -> values.take("ada", "(more 1)")).hasMessageStartingWith("too many names");
        values.take("eve", "(n1 3)");
        values.take("ada", "(more 1)");
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        for (int i = 2; i < HandedIn.NAMES_OF_USER; i++) {
            values.take("ada", "(m" + i + " 1)");
        }
        assertThat(values.category().orElseThrow().variables()).hasSize(HandedIn.NAMES_OF_USER + 1);
    }

    @Test
    void shouldCloseOneConnectionTooManyOfAUser() throws Exception {
        List<SocketChannel> programs = new ArrayList<>();
        for (int i = 0; i < MonHole.CONNECTIONS_OF_USER; i++) {
            programs.add(program());
        }
        try (SocketChannel oneMore = program()) {
            assertThat(rest(oneMore)).isEmpty();
        }
        programs.remove(0).close();
        await().ignoreExceptionsInstanceOf(ClosedChannelException.class).until(() -> {
            try (SocketChannel program = program()) {
                send(program, "(again 1)");
                return sample().contains("again");
            } catch (IOException e) {
                return false;
            }
        });
        for (SocketChannel each : programs) {
            each.close();
        }
    }

    @Test
    void shouldBeForAllUsersAndLeaveNothing() throws Exception {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(hole)))
                .isEqualTo("rw-rw-rw-");
        server.close();
        assertThat(hole).doesNotExist();
    }

    @Test
    void shouldTryEachSecondToOpenWhatItCouldNot() throws Exception {
        Path missing = folder.resolve("missing");
        Path late = missing.resolve("monhole");
        try (SelectorServer other = server(late);
                TestClient turns = new TestClient(other.address())) {
            Files.createDirectory(missing);
            now.addAndGet(TimeUnit.SECONDS.toNanos(1) - 1);
            for (int i = 0; i < 10; i++) {
                turns.ask("0x0S");
            }
            assertThat(late).doesNotExist();
            now.incrementAndGet();
            turns.ask("S");
            await().until(() -> Files.exists(late));
        }
    }

    @Test
    void shouldReplaceWhatAKilledOneHasLeftButNotOneThatListensNorAnotherFile() throws Exception {
        Path left = folder.resolve("left");
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(left));
        }
        assertThat(left).exists();
        server(left).close();
        assertThat(left).doesNotExist();

        server(hole).close();
        assertThat(hole).exists();

        Path file = Files.writeString(folder.resolve("file"), "mine");
        server(file).close();
        assertThat(file).hasContent("mine");
    }
}
