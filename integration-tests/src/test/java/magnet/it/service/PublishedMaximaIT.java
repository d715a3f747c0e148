// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Interval.Kind;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The maxima that magnetd publishes are those of the very records that it read. */
@GuestTest
final class PublishedMaximaIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String WINDOW = "magnet_sensor_window_length";
    private static final int FEWEST_WINDOWS = 8;
    /** Windows overlap: with a short one and many of them, times also leave it during the test. */
    private static final String CONFIG = """
            [collector]
            buffer-size = 8M
            [publish]
            interval = 1s
            window = 3s
            [service]
            tee-directory = /tmp/tee
            """;

    private static double ticksPerMicro;
    private static List<Interval> intervals = List.of();
    private static List<TeeWindow> windows = List.of();
    private static GmondXml published = GmondXml.parse("<GANGLIA_XML/>");

    @BeforeAll
    static void runEverythingUnderTee(Guest guest, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
        KernelModule.load(guest);
        ticksPerMicro = new ModuleState(guest).ticksPerMicro();
        Magnetd.configure(guest, CONFIG);
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            for (Kind kind : Kind.values()) {
                gmond.await(kind.maximum(), LIMIT);
            }
            gmond.await(WINDOW, LIMIT);
            work(guest);
            guest.sh(LIMIT, "until (($(wc -l </tmp/tee/windows.jsonl) > " + FEWEST_WINDOWS + ")); do sleep 0.2; done")
                    .orFail();
            magnetd.stop().orFail();
            published = gmond.xml();
        }
        windows = TeeWindow.in(guest.fetch("/tmp/tee/windows.jsonl", folder.resolve("windows.jsonl")));
        intervals = Intervals.of(RawRecord.in(guest.fetch("/tmp/tee/records.raw", folder.resolve("records.raw"))));
    }

    private static void work(Guest guest) {
        GuestProcess burner = guest.start("taskset", "-c", "1", "build/tools/burner", "2000", "100000", "6");
        GuestProcess other = guest.start("taskset", "-c", "1", "build/tools/burner", "7000", "20000", "4");
        GuestProcess receiver = guest.start("build/tools/udp_stream", "receive", "5001", "6");
        guest.run(LIMIT, "build/tools/udp_stream", "send", "127.0.0.1", "5001", "500", "200", "3")
                .orFail();
        guest.run(LIMIT, "build/tools/udp_stream", "send", "::1", "5001", "500", "200", "2")
                .orFail();
        List.of(burner, other, receiver)
                .forEach(process -> process.waitFor(LIMIT).orFail());
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void shouldPublishTheMaximumOfTheRecordsWhenAWindowEnds(Kind kind) {
        assertThat(intervals)
                .as("the workload has such times")
                .anyMatch(each -> each.kind() == kind && each.ticks() > 0);
        for (TeeWindow window : windows) {
            long ticks = Interval.max(intervals, kind, window.fromByte(), window.toByte());

            assertThat(window.value(kind.maximum()))
                    .as("%s in %s", kind, window)
                    .isCloseTo(ticks / ticksPerMicro, Offset.offset(0.0005));
        }
    }

    @Test
    void shouldGiveGangliaWhatItComputed() {
        double length = published.metric(WINDOW).orElseThrow().number();
        TeeWindow window = TeeWindow.published(windows, length);

        for (Kind kind : Kind.values()) {
            assertThat(published.metric(kind.maximum()).orElseThrow().number())
                    .as(kind.maximum())
                    .isCloseTo(window.value(kind.maximum()), Offset.offset(0.0006));
        }
    }
}
