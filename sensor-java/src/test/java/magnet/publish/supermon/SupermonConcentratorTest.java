// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.AgentHealth;
import magnet.publish.server.Connection;
import magnet.publish.server.Ports;
import magnet.publish.server.Reception;
import magnet.publish.server.SelectorServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whole trees on the loopback address, down to mons that read this machine's /proc. Time stands still but where a test lets it
 * pass, so that nobody who is waited for is ever too late by chance.
 */
@Timeout(120)
final class SupermonConcentratorTest {
    private static final long DEADLINE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final String RECORD = "((D avenrun 0x40 0x7 (avenrun 1 2 3)))\n\n";

    private static final int MOST_BYTES = 256 * 1024;

    private final AtomicLong now = new AtomicLong();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    private <T extends AutoCloseable> T opened(T what) {
        open.push(what);
        return what;
    }

    private static SupermonSettings settings(ReplyFormat format) {
        return new SupermonSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), InetAddress::isLoopbackAddress, 64, format);
    }

    private InetSocketAddress mon(int node, ReplyFormat format) throws IOException {
        Samples samples = new Samples(
                format,
                new SampledHost("n-" + node, node),
                new ProcCategories(Path.of("/proc"), InstantSource.system()),
                Optional::empty,
                System::nanoTime);
        return opened(SelectorServer.open(
                        new MonProtocol(settings(format), samples), System::nanoTime, AgentHealth.unheard()))
                .address();
    }

    private InetSocketAddress mon(int node) throws IOException {
        return mon(node, ReplyFormat.LANL);
    }

    private InetSocketAddress concentrator(ReplyFormat format, InetSocketAddress... children) throws IOException {
        Concentrator source = source(format, children);
        return opened(SelectorServer.open(new MonProtocol(settings(format), source), now::get, AgentHealth.unheard()))
                .address();
    }

    private Concentrator source(ReplyFormat format, InetSocketAddress... children) {
        return new Concentrator(
                List.of(children),
                MOST_BYTES,
                format,
                new SampledHost("head", 0xff),
                DEADLINE_NANOS,
                now::get,
                new SplittableRandom(1));
    }

    /** A client of a concentrator that has as many of its children. */
    private TestClient client(InetSocketAddress address, int up) throws IOException {
        TestClient client = opened(new TestClient(address));
        await().until(() -> own(client.ask("0x10000000S")).get("up").equals(String.valueOf(up)));
        return client;
    }

    private TestClient clientOf(int up, InetSocketAddress... children) throws IOException {
        return client(concentrator(ReplyFormat.LANL, children), up);
    }

    private ScriptedMon scripted(ScriptedMon.Script script) throws IOException {
        return opened(new ScriptedMon(script));
    }

    /** One that knows the load, and describes itself so. */
    private ScriptedMon scripted(String description, String sample) throws IOException {
        return scripted(line -> line.endsWith("#") ? description : sample);
    }

    /** Nodes of the records of a category. */
    private static List<String> nodes(List<Object> sample, String category) {
        List<String> nodes = new ArrayList<>();
        for (Object each : sample) {
            if (((List<?>) each).get(1).equals(category)) {
                nodes.add((String) ((List<?>) each).get(3));
            }
        }
        return nodes;
    }

    /** What a concentrator says of its children; the first record. */
    private static Map<String, String> own(List<Object> sample) {
        Map<String, String> values = new HashMap<>();
        for (Object variable : (List<?>) ((List<?>) sample.get(0)).get(4)) {
            values.put((String) ((List<?>) variable).get(0), (String) ((List<?>) variable).get(1));
        }
        return values;
    }

    @Test
    void shouldGiveRecordsOfAllLeavesInTheirOrderWhenTheTreeHasTwoLevels() throws Exception {
        InetSocketAddress left = concentrator(ReplyFormat.LANL, mon(1), mon(2));
        InetSocketAddress right = concentrator(ReplyFormat.LANL, mon(3), mon(4));
        client(left, 2);
        client(right, 2);
        TestClient client = clientOf(2, left, right);

        List<Object> sample = client.ask("0x41S");

        assertThat(nodes(sample, "cpuinfo")).containsExactly("0x1", "0x2", "0x3", "0x4");
        assertThat(nodes(sample, "avenrun")).containsExactly("0x1", "0x2", "0x3", "0x4");
        assertThat(sample).hasSize(8);
        assertThat(nodes(client.ask("0x10000000S"), "supermon")).hasSize(3);
        List<Object> description = client.ask("0x41#");
        assertThat(description).hasSize(3).endsWith(List.of("nodes", "4"));
        assertThat(description.get(0).toString()).startsWith("[cpuinfo, 0x1, 0, [[U, user, [cpu0, 0, 0]");
    }

    @Test
    void shouldHandOnRecordsAsTheyCameButForBlanksAndComments() throws Exception {
        ScriptedMon child = scripted(
                "((nodes 1))\n\n",
                "(\n (D  avenrun 0x40 0x7 (avenrun 1 \"a b\\\"\n\\\\\" 3)) ; twelve\n\n(D odd 0x40 0x7 x)(strange))");
        TestClient client = clientOf(1, child.address());
        client.send("0x40S");
        assertThat(client.answer())
                .isEqualTo("((D avenrun 0x40 0x7 (avenrun 1 \"a b\\\"?\\\\\" 3)) (D odd 0x40 0x7 x))\n\n");
    }

    @Test
    void shouldAskByTheBitThatAChildHasForACategory() throws Exception {
        ScriptedMon child = scripted(
                "((avenrun 0x2 0 ((U avenrun))) (own 0x400000000 0 ((U x))) (nodes 1))\n\n",
                "((D avenrun 0x2 0x7 (avenrun 1 2 3)) (D meminfo 0x40 0x7 (x 1)))\n\n");
        TestClient client = clientOf(1, child.address());
        assertThat(client.ask("0x40#").toString()).isEqualTo("[[avenrun, 0x40, 0, [[U, avenrun]]], [nodes, 1]]");
        assertThat(nodes(client.ask("S"), "avenrun")).containsExactly("0x7");
        assertThat(child.asked()).endsWith("0x2S");
        assertThat(client.ask("0x2S").toString()).startsWith("[[D, meminfo, 0x40,");
        assertThat(client.ask("0x400000000S")).isEmpty();
        assertThat(child.asked()).endsWith("0x400000000S");
    }

    @Test
    void shouldAskForAllAndChooseByNameWhenAChildDoesNotDescribeItself() throws Exception {
        ScriptedMon child = scripted(null, "((D avenrun 0x2 0x7 (avenrun 1 2 3)) (D meminfo 0x40 0x7 (x 1)))\n\n");
        TestClient client = clientOf(1, child.address());
        assertThat(nodes(client.ask("0x40S"), "avenrun")).containsExactly("0x7");
        assertThat(child.asked()).containsOnly("#", "S");
        assertThat(client.ask("#").toString()).endsWith("[nodes, 1]]").doesNotContain("avenrun");
    }

    @Test
    void shouldWaitForASlowChildOnceAndThenNotBeforeItHasAnswered() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        ScriptedMon slow = scripted(line -> {
            if (line.equals("0x40S")) {
                gate.await();
            }
            return line.endsWith("#") ? "((avenrun 0x40 0 ((U avenrun))) (nodes 1))\n\n" : RECORD;
        });
        TestClient client = clientOf(2, slow.address(), mon(1));
        await().until(() -> own(client.ask("0x10000000S")).get("late").equals("0"));
        client.send("0x40S");
        await().until(() -> slow.asked().contains("0x40S"));
        assertThat(client.hasAnswer()).isFalse();
        now.addAndGet(DEADLINE_NANOS);
        assertThat(nodes(SexpParser.list(client.answer()), "avenrun")).containsExactly("0x1");

        for (int i = 0; i < 1_000; i++) {
            assertThat(nodes(client.ask("S"), "avenrun")).containsExactly("0x1");
        }
        assertThat(own(client.ask("0x10000000S"))).containsEntry("up", "2").containsEntry("late", "1");
        assertThat(slow.asked()).containsOnlyOnce("0x40S");

        gate.countDown();
        await().until(() -> nodes(client.ask("0x40S"), "avenrun").equals(List.of("0x7", "0x1")));
    }

    @Test
    void shouldWaitForASilentChildsDescriptionOnce() throws Exception {
        ScriptedMon silent = scripted(line -> null);
        TestClient client = opened(new TestClient(concentrator(ReplyFormat.LANL, silent.address())));
        await().until(() -> silent.asked().contains("#"));
        client.send("#");
        await().during(Duration.ofMillis(100)).until(() -> !client.hasAnswer());
        now.addAndGet(DEADLINE_NANOS);
        assertThat(client.answer()).contains("(nodes ");

        // The clock stands: whoever waited would do so for ever.
        for (int i = 0; i < 100; i++) {
            assertThat(client.ask("#")).isNotEmpty();
        }
        assertThat(silent.asked()).containsExactly("#");
    }

    @Test
    void shouldGiveWhatTheOthersHaveWhenAChildIsDeadAndHaveItAgainWhenItIsBack() throws Exception {
        ServerSocket nobody = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        InetSocketAddress dead = new InetSocketAddress(nobody.getInetAddress(), nobody.getLocalPort());
        nobody.close();
        TestClient client = clientOf(1, dead, mon(1));
        assertThat(nodes(client.ask("0x40S"), "avenrun")).containsExactly("0x1");
        assertThat(own(client.ask("0x10000000S"))).containsEntry("nodes", "2").containsEntry("late", "0");

        opened(new ScriptedMon(
                new ServerSocket(dead.getPort(), 50, dead.getAddress()),
                line -> line.endsWith("#") ? "((nodes 1))\n\n" : RECORD));
        now.addAndGet(TimeUnit.SECONDS.toNanos(2 * Child.LAST_SECONDS));
        await().until(() -> nodes(client.ask("0x40S"), "avenrun").equals(List.of("0x7", "0x1")));
    }

    @Test
    void shouldLeaveOutAChildWhoseAddressThisMachineCannotConnectTo() throws Exception {
        TestClient client = clientOf(1, InetSocketAddress.createUnresolved("nowhere", 1), mon(1));
        assertThat(nodes(client.ask("0x40S"), "avenrun")).containsExactly("0x1");
        now.addAndGet(TimeUnit.SECONDS.toNanos(2 * Child.LAST_SECONDS));
        assertThat(own(client.ask("0x10000000S"))).containsEntry("nodes", "2").containsEntry("up", "1");
    }

    @Test
    void shouldConnectAnewWhenAChildHasEndedAndCountIt() throws Exception {
        ScriptedMon child = scripted(line -> {
            if (line.equals("0x8S")) {
                throw new InterruptedException("closes the connection");
            }
            return line.endsWith("#") ? "((avenrun 0x40 0 ((U avenrun))) (nodes 1))\n\n" : RECORD;
        });
        TestClient client = clientOf(1, child.address());
        client.ask("#");
        assertThat(client.ask("0x8S")).isEmpty();
        await().until(() -> own(client.ask("0x10000000S")).get("up").equals("0"));
        now.addAndGet(TimeUnit.SECONDS.toNanos(2 * Child.FIRST_SECONDS));
        await().until(() -> own(client.ask("0x10000000S")).get("up").equals("1"));
        assertThat(own(client.ask("0x10000000S"))).containsEntry("reconnects", "1");
    }

    /** By itself it would be tried again after 22 s at the soonest, by a clock that moves as this says. */
    @Test
    void shouldTryAgainSoonWhenAClientWantsItTo() throws Exception {
        AtomicBoolean willing = new AtomicBoolean();
        AtomicInteger refused = new AtomicInteger();
        ScriptedMon child = scripted(line -> {
            if (!willing.get()) {
                refused.incrementAndGet();
                throw new InterruptedException("closes the connection");
            }
            return RECORD;
        });
        TestClient client = opened(new TestClient(concentrator(ReplyFormat.LANL, child.address())));
        await().until(() -> refused.get() == 1 && up(client) == 0);
        for (int i = 2; i <= 8; i++) {
            now.addAndGet(TimeUnit.SECONDS.toNanos(2 * Child.LAST_SECONDS));
            int tries = i;
            await().until(() -> refused.get() == tries && up(client) == 0);
        }
        int before = child.connections();
        willing.set(true);
        client.send("R");
        assertThat(up(client)).isZero();
        for (int i = 0; i < 20; i++) {
            now.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
            up(client);
        }
        await().until(() -> child.connections() > before && up(client) == 1);
    }

    private static int up(TestClient client) throws IOException {
        return Integer.parseInt(own(client.ask("0x10000000S")).get("up"));
    }

    @Test
    void shouldCloseAChildThatSendsNoSexpressionsAndKeepTheOthers() throws Exception {
        ScriptedMon unbalanced = scripted("((nodes 1))\n\n", ")(");
        ScriptedMon deep = scripted("((nodes 1))\n\n", "(".repeat(10_000));
        TestClient client =
                opened(new TestClient(concentrator(ReplyFormat.LANL, unbalanced.address(), mon(1), deep.address())));
        await().until(() -> own(client.ask("0x10000000S")).get("up").equals("1")
                && unbalanced.connections() == 1
                && deep.connections() == 1);
        assertThat(nodes(client.ask("0x40S"), "avenrun")).containsExactly("0x1");
    }

    /** Each of its millions of elements would be an object. */
    @Test
    void shouldCloseAChildWhoseAnswerHasTooManyElementsAndTakeALongOneThatHasFewer() throws Exception {
        String many = "(" + " a".repeat(MOST_BYTES / 16) + ")\n\n";
        String text = "x".repeat(MOST_BYTES - 100);
        String description = "((odd 0x40 0 ((S odd))) (nodes 1))\n\n";
        ScriptedMon greedy = scripted(line -> line.endsWith("#") ? description : line.equals("0x40S") ? many : RECORD);
        ScriptedMon big = scripted("((nodes 1))\n\n", "((D odd 0x40 0x7 " + text + "))\n\n");
        TestClient client = clientOf(2, greedy.address(), big.address());
        client.send("0x40S");
        assertThat(client.answer()).isEqualTo("((D odd 0x40 0x7 " + text + "))\n\n");
        await().until(() -> own(client.ask("0x10000000S")).get("up").equals("1"));
    }

    @Test
    void shouldShareAPartOfTheMemoryAmongServers() {
        assertThat(Concentrator.mostBytes(512 << 20, 32)).isEqualTo(1 << 20);
        assertThat(Concentrator.mostBytes(512 << 20, 1_024)).isEqualTo(128 << 10);
        assertThat(Concentrator.mostBytes(1L << 40, 1)).isEqualTo(Integer.MAX_VALUE / 4);
    }

    /** Those of a server that never has a turn. */
    private static final class NoPorts implements Ports {
        @Override
        public void listen(InetSocketAddress address, Reception reception) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void listen(Path path, String permissions, Reception reception) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void watch(SocketChannel channel, int operations, Connection connection) {}

        @Override
        public void drop(SocketChannel channel) {}

        @Override
        public int clients() {
            return 0;
        }
    }

    @Test
    void shouldMakeAnAnswerOnceForAllWhoGetTheSame() throws Exception {
        Concentrator source = source(ReplyFormat.LANL, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
        source.start(new NoPorts());
        List<byte[]> answers = new ArrayList<>();
        for (long mask : new long[] {CategoryBits.SUPERMON, CategoryBits.SUPERMON | 1L << 40, 1L << 41, 0}) {
            source.sample(mask, answers::add);
        }
        source.work(0);
        assertThat(answers).hasSize(4);
        assertThat(answers.get(1)).isSameAs(answers.get(0)).startsWith("((D supermon".getBytes(US_ASCII));
        assertThat(answers.get(3)).isSameAs(answers.get(2)).isEqualTo("()\n\n".getBytes(US_ASCII));
        answers.clear();
        source.describe(~0L, answers::add);
        source.describe(CategoryBits.SUPERMON, answers::add);
        source.work(0);
        assertThat(answers.get(1)).isSameAs(answers.get(0));
    }

    @Test
    void shouldKeepAMaskForEachOfManyClients() throws Exception {
        InetSocketAddress address = concentrator(ReplyFormat.LANL, mon(1), mon(2));
        List<TestClient> clients = new ArrayList<>();
        TestClient first = client(address, 2);
        clients.add(first);
        for (int i = 1; i < 64; i++) {
            clients.add(opened(new TestClient(address)));
        }
        for (int i = 0; i < 64; i++) {
            clients.get(i).send("0x" + Integer.toHexString(i) + "S");
        }
        for (int i = 0; i < 64; i++) {
            assertThat(SexpParser.list(clients.get(i).answer())).hasSize(2 * Integer.bitCount(i));
        }
    }

    @Test
    void shouldGiveAThousandSamplesThatWereAskedForAtOnce() throws Exception {
        TestClient client = clientOf(2, mon(1), mon(2));
        client.send("0x3" + "S".repeat(1_000) + "Q");
        assertThat(SexpParser.parse(client.rest()))
                .hasSize(1_000)
                .allSatisfy(sample -> assertThat((List<?>) sample).hasSize(4));
    }

    @Test
    void shouldKeepTheShapeOfLinuxLabs() throws Exception {
        InetSocketAddress address =
                concentrator(ReplyFormat.LINUXLABS, mon(1, ReplyFormat.LINUXLABS), mon(2, ReplyFormat.LINUXLABS));
        TestClient client = opened(new TestClient(address));
        await().until(() -> client.ask("0x12S").size() == 2);
        assertThat(client.ask("0x2S").toString())
                .startsWith("[[n-1, [[avenrun, [mask, 0x2], [node, 0x1], [avenrun, ")
                .contains("]]]], [n-2, [[avenrun, ");
        assertThat(client.ask("0x10000000S").toString())
                .startsWith("[[head, [[supermon, [mask, 0x10000000], [node, 0xff], [nodes, 2], [up, 2], [late, 0]");
    }

    @Test
    void shouldGoOnWhenAClientLeavesThatWaits() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        ScriptedMon slow = scripted(line -> {
            gate.await();
            return RECORD;
        });
        InetSocketAddress address = concentrator(ReplyFormat.LANL, slow.address());
        TestClient leaving = opened(new TestClient(address));
        await().until(() -> slow.asked().contains("#"));
        leaving.send("S");
        leaving.close();
        gate.countDown();
        TestClient client = opened(new TestClient(address));
        await().until(() -> nodes(client.ask("0x40S"), "avenrun").equals(List.of("0x7")));
    }

    @Test
    void shouldSayWhoCannotListen() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            SupermonSettings settings = new SupermonSettings(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort()),
                    any -> true,
                    1,
                    ReplyFormat.LANL);
            assertThatThrownBy(() -> SupermonConcentrator.open(
                            settings,
                            List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)),
                            Duration.ofSeconds(1),
                            () -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("cannot listen for supermon at 127.0.0.1:" + taken.getLocalPort() + ": ");
        }
    }
}
