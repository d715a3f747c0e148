// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import magnet.config.ConfigReader;
import magnet.config.MagnetConfig;
import magnet.json.Json;
import magnet.metric.Metrics;
import magnet.publish.ganglia.FakeGmond;
import magnet.publish.ganglia.GangliaSink;
import magnet.publish.ganglia.GmondConfig;
import magnet.record.EventType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hours of events at 1,000 a second, as fast as they can be read: through the service's own loop, collector, summaries and
 * sink, to a gmond that looks at each snapshot. Each number that is published and each total is exact, and the memory
 * in use does not grow.
 */
class ReplayTest {
    /** An event that left a byte behind would be seen in the long run, eight bytes in the short one. */
    private static final long MOST_GROWTH = 1 << 20;

    private static final int WINDOW_SLOTS = 5;
    private static final long FIRST_PUBLICATION_NANOS = 1_000_000_000;
    private static final long INTERVAL_NANOS = 5_000_000_000L;

    @TempDir
    private Path folder;

    private final List<Long> heap = new ArrayList<>();
    /** Events that had been handed on at each publication. */
    private final List<Long> handed = new ArrayList<>(List.of(0L));

    private FakeGmond gmond;
    private ReplayKernel kernel;
    private MagnetService service;
    private long published;
    private long events;

    @Test
    @Timeout(120)
    void shouldCountEachOfAMillionEventsInFlatMemory() throws Exception {
        replay(1_000_003);
    }

    /** 43 million events: twelve hours. */
    @Test
    @Tag("long")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void shouldCountEachEventOfTwelveHoursInFlatMemory() throws Exception {
        replay(43_000_003);
    }

    private void replay(long count) throws Exception {
        events = count;
        Path report = folder.resolve("report.json");
        Path conf = Files.writeString(folder.resolve("magnet.conf"), "");
        Path files = Files.createDirectory(folder.resolve("buffer"));
        try (FakeGmond listening = new FakeGmond()) {
            gmond = listening;
            kernel = new ReplayKernel(files, count, this::onSecond);
            Path gmondConf = Files.writeString(
                    folder.resolve("gmond.conf"),
                    "udp_send_channel { host = 127.0.0.1 port = %d }".formatted(gmond.port()));
            MagnetConfig config = ConfigReader.read(conf, List.of(), ConfigReader.Extensions.NONE);
            service = new MagnetService(
                    config,
                    kernel,
                    GangliaSink.of(GmondConfig.read(gmondConf), 5),
                    new MagnetService.Clocks(kernel::now, () -> Instant.ofEpochSecond(0, kernel.now()), Instant.EPOCH),
                    ServiceManager.none(kernel::now),
                    new PidFile(Optional.empty()),
                    Optional.of(report));
            service.run();
        }
        assertTotals(Files.readString(report));
        assertThat(published).isEqualTo(handed.size() - 1L).isBetween(count / 5_100, count / 4_900);
        assertThat(heap).hasSize(3);
        System.out.printf("%d events; heap after a full collection at 10, 50 and 100 %%: %s bytes%n", count, heap);
        assertThat(heap.get(1) - heap.get(0)).as("%s", heap).isLessThan(MOST_GROWTH);
        assertThat(heap.get(2) - heap.get(0)).as("%s", heap).isLessThan(MOST_GROWTH);
    }

    private void assertTotals(String report) {
        SortedMap<String, Long> byId = new TreeMap<>();
        SortedMap<Integer, Long> byCpu = new TreeMap<>();
        for (int cpu = 0; cpu < ReplayKernel.CPUS; cpu++) {
            for (EventType type : EventType.values()) {
                long number = kernel.expected()[cpu][type.id()];
                if (number > 0 && type != EventType.LOST) {
                    byId.merge(type.label(), number, Long::sum);
                    byCpu.merge(cpu, number, Long::sum);
                }
            }
        }
        assertThat(byCpu.values().stream().mapToLong(n -> n).sum()).isEqualTo(events);
        assertThat(kernel.lost()).isPositive();
        assertThat(report)
                .contains("\"events\": " + events + ", \"lost\": " + kernel.lost() + ",")
                .contains("\"late\": 0,")
                .contains("\"events_by_cpu\": " + Json.of(byCpu))
                .contains("\"events_by_id\": " + Json.of(byId))
                // The last one may have come before its sender has counted it.
                .containsPattern("\"snapshots_published\": (%d|%d), \"snapshots_dropped\": 0,"
                        .formatted(published - 1, published))
                .contains("\"snapshots_failed\": 0, \"send_errors\": 0");
    }

    /** What was logged in a second has been read, and a window may be about to end. */
    private void onSecond(long written) {
        try {
            awaitLastPublication();
            measure(written);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        if (isPublicationDue()) {
            handed.add(kernel.handed());
        } else if (written == events) {
            assertThat(kernel.handed()).isEqualTo(events);
            assertThat(published).isEqualTo(handed.size() - 1L);
            service.stop();
        }
    }

    private boolean isPublicationDue() {
        long due = handed.size() == 1 ? FIRST_PUBLICATION_NANOS : (handed.size() - 1) * INTERVAL_NANOS;
        return kernel.now() >= due;
    }

    /** The sink sends at its own pace, and here the records wait for it. */
    private void awaitLastPublication() throws IOException {
        while (published < handed.size() - 1) {
            Map<String, String> values = new HashMap<>();
            while (values.size() < Metrics.DEFAULT.size()) {
                FakeGmond.Packet packet = gmond.next(10_000).orElseThrow();
                if (!packet.isMetadata()) {
                    values.put(packet.name(), packet.value());
                }
            }
            published++;
            int last = (int) published;
            double inWindow = Double.parseDouble(values.get("magnet_sensor_events_rate"))
                    * Double.parseDouble(values.get("magnet_sensor_window_length"));
            long expected = handed.get(last) - handed.get(Math.max(0, last - WINDOW_SLOTS));
            assertThat(inWindow).as("window %d", last).isCloseTo((double) expected, within(0.5));
        }
    }

    private void measure(long written) {
        int[] percents = {10, 50, 100};
        if (heap.size() < percents.length && written >= events / 100 * percents[heap.size()]) {
            long allocated = kernel.takeAllocated();
            // Up to the first mark the code is warming up.
            assertThat(heap.isEmpty() ? 0 : allocated)
                    .as("bytes allocated for events")
                    .isLessThan(events / 100);
            System.gc();
            System.gc();
            heap.add(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
    }
}
