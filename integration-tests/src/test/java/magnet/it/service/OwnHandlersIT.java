// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondMetric;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Handlers that the installation adds, on real points: what they publish is exactly what the workload did, be their rules
 * asked in the kernel or in the service; and none of them can stop the others.
 */
@GuestTest(smp = 1)
final class OwnHandlersIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration INTERVAL = Duration.ofSeconds(3);
    private static final String SUMMARY = "/tmp/summary.json";
    private static final String JARS = "/tmp/handlers";
    private static final int CONFIGURATION = 4;
    private static final int MARKERS = 1_009;
    private static final int EARLY = 400;
    private static final int PRIVATE = 53;
    private static final int SHARED = 31;
    /** Of struct pt_regs: the third argument of a system call, of fchmodat the mode. */
    private static final String CHMOD = "f:__x64_sys_fchmodat mode=+96($arg1):u32";

    private static final String BASE = """
            [collector]
            buffer-size = 4M
            [publish]
            interval = %1$ds
            window = %2$ds
            [metrics]
            level = heartbeat
            """;

    private static final String MARKS = """
            [handler late_marks]
            kind = count
            point = marker
            where = drop if id <= %d
            level = heartbeat
            """.formatted(EARLY);
    private static final String CHMODS = """
            [handler private_files]
            kind = count
            point = %1$s
            where = log if mode == 0600; drop
            title = Files made private
            group = files
            level = heartbeat
            [handler modes]
            kind = distribution
            point = %1$s
            field = mode
            where = drop if mode != 0600 and mode != 0640
            level = heartbeat
            """.formatted(CHMOD);
    private static final String MORE_MARKS = """
            [handler all_marks]
            kind = count
            point = marker
            level = heartbeat
            [handler gap]
            kind = interval
            point = marker
            by = tgid
            level = heartbeat
            """;

    /** Counts what the declared handler counts, or throws; as an installation would write it. */
    private static final String SOURCE = """
            import java.util.List;
            import magnet.spi.Count;
            import magnet.spi.Description;
            import magnet.spi.Event;
            import magnet.spi.Field;
            import magnet.spi.Handler;
            import magnet.spi.HandlerSetup;
            import magnet.spi.Point;

            public final class %1$s implements Handler {
                private Field mode;
                private Count count;

                @Override
                public String name() {
                    return "own_" + "%1$s".toLowerCase(java.util.Locale.ROOT);
                }

                @Override
                public List<Point> points() {
                    return List.of(new Point("f:__x64_sys_fchmodat mode=+96($arg1):u32", "drop if mode < 0600"));
                }

                @Override
                public void begin(HandlerSetup setup) {
                    mode = setup.fields(0).field("mode");
                    count = setup.count(new Description("private", "files", "Private files", "Files made private"));
                }

                @Override
                public void onEvent(Event event) {
                    if (event.number(mode) == 0600) {
                        count.add(1);
                    }
                    if ("%1$s".equals("Breaks")) {
                        throw new IllegalStateException("as it is meant to");
                    }
                }
            }
            """;

    private final Guest guest;
    private final ModuleState module;

    OwnHandlersIT(Guest guest) {
        this.guest = guest;
        this.module = new ModuleState(guest);
    }

    @BeforeAll
    static void load(Guest guest) {
        KernelModule.load(guest);
    }

    @AfterEach
    void awaitEnd() {
        module.awaitNothingOn();
        assertThat(guest.read("/sys/kernel/debug/magnet/control/events"))
                .as("dynamic points went with their socket")
                .doesNotContain("magnetd_");
    }

    @Test
    void shouldCountTheSameInTheKernelAndInTheServiceWhenHandlersComeAndGo() {
        configure(MARKS + CHMODS);
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            magnetd.awaitLog("handler late_marks: marker with 'drop if id <= " + EARLY + "' in the kernel; publishes"
                            + " magnet_late_marks_events_count")
                    .awaitLog("handler private_files: " + CHMOD + " with 'log if mode == 0600; drop' in the kernel")
                    .awaitLog("handler modes: ");
            assertThat(module.pointsOn()).contains("marker");
            work();
            awaitValue(gmond, "magnet_late_marks_events_count", MARKERS - EARLY);
            awaitValue(gmond, "magnet_private_files_events_count", PRIVATE);
            awaitValue(gmond, "magnet_modes_mode_max", 0640);
            assertThat(metric(gmond, "magnet_private_files_events_count")).hasValueSatisfying(metric -> {
                assertThat(metric.groups()).containsExactly("files");
                assertThat(metric.title()).isEqualTo("Files made private");
            });
            assertThat(Magnet.run(guest, "filters").orFail().stdout())
                    .as("what the kernel was given")
                    .contains("drop if id <= " + EARLY);

            configure(MARKS + CHMODS + MORE_MARKS);
            hangup(magnetd);
            magnetd.awaitLog("the rules 'drop if id <= " + EARLY
                            + "' of late_marks are asked in the service from now on")
                    .awaitLog("handler all_marks: marker; publishes")
                    .awaitLog("handler gap: ");
            work();
            awaitValue(gmond, "magnet_late_marks_events_count", 2 * (MARKERS - EARLY));
            awaitValue(gmond, "magnet_all_marks_events_count", MARKERS);
            awaitValue(gmond, "magnet_private_files_events_count", 2 * PRIVATE);
            awaitValue(gmond, "magnet_handlers_off_count", 0);

            configure(MARKS + CHMODS.replace("point = f:", "point = g:"));
            hangup(magnetd);
            magnetd.awaitLog("[handler private_files] point 'g:__x64_sys_fchmodat mode=+96($arg1):u32': a definition is"
                            + " p:, r:, f: or t:")
                    .awaitLog("what was read before goes on to count");

            configure(MARKS);
            hangup(magnetd);
            magnetd.awaitLog("handler all_marks has ended").awaitLog("handler private_files has ended");
            work();
            awaitValue(gmond, "magnet_late_marks_events_count", 3 * (MARKERS - EARLY));
            magnetd.stop().orFail();
        }
        JsonObject summary = Json.object(guest.read(SUMMARY));
        assertThat(summary.get("handler_events_lost").getAsLong()).isZero();
        assertThat(total(summary, "late_marks", "sum")).isEqualTo(3L * (MARKERS - EARLY));
        assertThat(total(summary, "private_files", "sum")).isEqualTo(2L * PRIVATE);
        assertThat(total(summary, "modes", "count")).isEqualTo(2L * (PRIVATE + SHARED));
        assertThat(total(summary, "all_marks", "sum")).isEqualTo(MARKERS);
        assertThat(total(summary, "gap", "count")).isEqualTo(MARKERS - 1L);
        JsonObject marker = subscription(summary, "marker");
        assertThat(number(marker, "hits")).isEqualTo(3L * MARKERS);
        assertThat(number(marker, "filtered"))
                .as("in the kernel, while the point was not shared")
                .isEqualTo(EARLY);
        assertThat(number(marker, "delivered")).isEqualTo(number(marker, "committed"));
        JsonObject late =
                handler(summary, "late_marks").getAsJsonArray("points").get(0).getAsJsonObject();
        assertThat(number(late, "filtered")).as("in the service, from then on").isEqualTo(2L * EARLY);
    }

    @Test
    void shouldLoadHandlersOfJarsAndGoOnWithoutThoseThatFail(@TempDir(cleanup = CleanupMode.ON_SUCCESS) Path folder) {
        Path jar = HandlerJar.make(folder, SOURCE, List.of("Works", "Breaks"), "Works\nBreaks\nMissing\n");
        guest.sh("mkdir -p " + JARS + " && echo no jar >" + JARS + "/broken.jar")
                .orFail();
        guest.push(jar, JARS + "/own.jar");
        configure("level = summary\n[service]\nhandler-directory = " + JARS + "\n" + CHMODS);
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            magnetd.awaitLog("handler own_works: " + CHMOD + " with 'drop if mode < 0600' in the kernel; publishes"
                            + " magnet_own_works_private_count")
                    .awaitLog("handler own_breaks: ")
                    .awaitLog(JARS + "/broken.jar: cannot be read as a jar")
                    .awaitLog("Provider Missing not found; running without it");
            work();
            magnetd.awaitLog("handler own_breaks is switched off, it failed in onEvent:"
                    + " java.lang.IllegalStateException: as it is meant to at Breaks.onEvent");
            awaitValue(gmond, "magnet_own_works_private_count", PRIVATE);
            awaitValue(gmond, "magnet_private_files_events_count", PRIVATE);
            awaitValue(gmond, "magnet_handlers_off_count", 3);
            work();
            awaitValue(gmond, "magnet_own_works_private_count", 2 * PRIVATE);
            assertThat(magnetd.log().lines().filter(line -> line.contains("is switched off")))
                    .hasSize(1);

            guest.run("rm", "-r", JARS + "/own.jar").orFail();
            hangup(magnetd);
            magnetd.awaitLog("handler own_works has ended");
            magnetd.stop().orFail();
        }
        JsonObject summary = Json.object(guest.read(SUMMARY));
        assertThat(total(summary, "own_works", "sum")).isEqualTo(2L * PRIVATE);
        assertThat(total(summary, "private_files", "sum")).isEqualTo(2L * PRIVATE);
        assertThat(handler(summary, "own_breaks").get("off").getAsString()).contains("as it is meant to");
        assertThat(summary.get("lost").getAsLong()).isZero();
    }

    @Test
    @Tag("long")
    void shouldHaveNoBufferForHandlersWhenThereAreNone() {
        configure("");
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startAndAwait(guest, "--summary", SUMMARY)) {
            gmond.await("magnet_sensor_window_length", LIMIT);
            assertThat(module.buffers()).singleElement().asString().startsWith("magnetd ");
            magnetd.stop().orFail();
        }
        assertThat(guest.read(SUMMARY)).doesNotContain("\"handlers\"");
    }

    @Test
    @Tag("long")
    void shouldRefuseBadSectionsAtTheStartWithFileAndLine() {
        configure("[handler x]\nkind = count\npoint = markr\n");
        GuestResult result = Magnetd.start(guest).await();

        assertThat(result.exitCode()).as("%s", result).isEqualTo(CONFIGURATION);
        assertThat(result.stderr())
                .contains(Magnetd.CONFIG + ":10: [handler x] there is no point 'markr'; did you mean");
    }

    /** A window so long that it still grows when the test is over: all events since the start are in it. */
    private void configure(String more) {
        long interval = guest.options().scaled(INTERVAL).toSeconds();
        String base = BASE.formatted(interval, 60 * interval);
        boolean otherLevel = more.startsWith("level");
        Magnetd.configure(guest, (otherLevel ? base.replace("level = heartbeat\n", "") : base) + more);
    }

    private void hangup(Magnetd magnetd) {
        guest.run("kill", "-HUP", String.valueOf(magnetd.pid())).orFail();
    }

    private void work() {
        guest.sh(LIMIT, """
                touch /tmp/file
                for ((i = 1; i <= %d; i++)); do echo "$i mark" >/sys/kernel/debug/magnet/marker; done
                for ((i = 0; i < %d; i++)); do chmod 0600 /tmp/file; done
                for ((i = 0; i < %d; i++)); do chmod 0640 /tmp/file; done
                """.formatted(MARKERS, PRIVATE, SHARED)).orFail();
    }

    private void awaitValue(Gmond gmond, String name, double value) {
        Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .untilAsserted(() -> assertThat(metric(gmond, name).map(GmondMetric::number))
                        .as(name)
                        .hasValue(value));
    }

    private static Optional<GmondMetric> metric(Gmond gmond, String name) {
        return gmond.xml().metric(name);
    }

    private static long total(JsonObject summary, String handler, String what) {
        JsonObject totals = handler(summary, handler).getAsJsonObject("totals");
        return totals.entrySet()
                .iterator()
                .next()
                .getValue()
                .getAsJsonObject()
                .get(what)
                .getAsLong();
    }

    private static JsonObject handler(JsonObject summary, String name) {
        return find(summary, "handlers", "name", name);
    }

    private static JsonObject subscription(JsonObject summary, String point) {
        return find(summary, "handler_subscriptions", "point", point);
    }

    private static JsonObject find(JsonObject summary, String list, String key, String value) {
        for (JsonElement each : summary.getAsJsonArray(list)) {
            if (each.getAsJsonObject().get(key).getAsString().equals(value)) {
                return each.getAsJsonObject();
            }
        }
        throw new AssertionError("no " + value + " in " + list + ": " + summary);
    }

    private static long number(JsonObject object, String key) {
        return object.get(key).getAsLong();
    }
}
