// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import magnet.agent.AgentHealth;
import magnet.publish.server.SelectorServer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client that asks for 1,000 samples, one after the other, of this machine's own /proc. To the server they are a millisecond
 * apart, by a clock of the test's, so that it reads as much as it would at 1,000/s, and how fast the machine is does not count.
 */
@Timeout(120)
final class SampleRateTest {
    private static final int SAMPLES = 1_000;
    /** Some ten times what it was: 65 to 132 ms. */
    private static final long MOST_CPU_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** What each machine has; disks for fsinfo it may lack. */
    private static final Set<String> EVERYWHERE =
            Set.of("cpuinfo", "avenrun", "paging", "switch", "time", "netinfo", "meminfo", "swapinfo");

    private final AtomicLong now = new AtomicLong();

    @Test
    void shouldGiveAThousandSamplesForLittleProcessorTime() throws Exception {
        Set<Long> others = threads();
        SupermonSettings settings = new SupermonSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                InetAddress::isLoopbackAddress,
                1,
                ReplyFormat.LANL);
        Samples samples = new Samples(
                ReplyFormat.LANL,
                new SampledHost("n-1", 1),
                new ProcCategories(Path.of("/proc"), InstantSource.system()),
                Optional::empty,
                now::get);
        try (SelectorServer server =
                        SelectorServer.open(new MonProtocol(settings, samples), now::get, AgentHealth.unheard());
                TestClient client = new TestClient(server.address())) {
            long thread = threads().stream()
                    .filter(id -> !others.contains(id) && isServer(THREADS.getThreadInfo(id)))
                    .findFirst()
                    .orElseThrow();
            ask(client);
            long before = THREADS.getThreadCpuTime(thread);
            List<Long> switches = ask(client);
            long spent = THREADS.getThreadCpuTime(thread) - before;
            assertThat(switches).hasSize(SAMPLES).isSorted();
            assertThat(switches.get(SAMPLES - 1)).isGreaterThan(switches.get(0));
            assertThat(spent).isPositive().isLessThan(MOST_CPU_NANOS);
        }
    }

    /** Checks that each sample is whole; gives the count of context switches of each. */
    private List<Long> ask(TestClient client) throws Exception {
        List<Long> switches = new ArrayList<>();
        for (int i = 0; i < SAMPLES; i++) {
            now.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
            List<Object> records = client.ask("S");
            assertThat(records.stream().map(each -> part(each, 1))).containsAll(EVERYWHERE);
            Object data = records.stream()
                    .filter(each -> part(each, 1).equals("switch"))
                    .map(each -> part(each, 4))
                    .findFirst()
                    .orElseThrow();
            switches.add(Long.parseLong((String) part(data, 1)));
        }
        return switches;
    }

    /** One that has ended meanwhile has no information. */
    private static boolean isServer(@Nullable ThreadInfo thread) {
        return thread != null && thread.getThreadName().equals("magnet-supermon-server");
    }

    private static Object part(Object list, int index) {
        return ((List<?>) list).get(index);
    }

    private static Set<Long> threads() {
        return Arrays.stream(THREADS.getAllThreadIds()).boxed().collect(Collectors.toSet());
    }
}
