// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.StreamSupport;
import magnet.it.ganglia.Gmond;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import magnet.it.service.Magnetd;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * "magnet check --fleet" of what Debian's gmetad has of Debian's gmond: of a node with a real magnetd that stood still until its
 * ring was full, and of hosts that gmetric tells of. The module's own counters say how many events were lost.
 *
 * <p>One window grows over the whole test, so that what was lost stays in it.
 */
@GuestTest
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("long")
final class FleetIT {
    private static final String FLEET = "sensor-java/bin/magnet check --fleet ";
    private static final Duration LIMIT = Duration.ofMinutes(3);
    /** A host is silent after 80 s. */
    private static final Duration SILENCE_LIMIT = Duration.ofMinutes(6);

    /** Each asking starts a Java machine, on processors that others need as well. */
    private static final Duration BETWEEN_ASKING = Duration.ofSeconds(3);

    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int WINDOW_INTERVALS = 60;
    /** Two events each, of 48 bytes and more: far more than two rings of 64 KiB hold. */
    private static final int PROCESSES = 4_003;

    private static final String CONFIG = """
            [collector]
            buffer-size = 64K
            [publish]
            interval = %ds
            window = %ds
            [metrics]
            level = heartbeat
            """;
    private static final String GMETAD = """
            mkdir -p /tmp/fleet-rrds
            cat >/tmp/fleet-gmetad.conf <<'END'
            data_source "magnet test" 1 127.0.0.1:8649
            gridname "test"
            rrd_rootdir "/tmp/fleet-rrds"
            RRAs "RRA:AVERAGE:0.5:1:1000"
            setuid off
            xml_port 8651
            interactive_port 8652
            END
            """;
    private static final String TELL = "gmetric -c " + Gmond.CONFIG + " -S %2$s:%1$s ";
    private static final String MAGNETD = "$(pgrep -f 'magnet[.]service[.]Magnetd')";

    private static Optional<Gmond> gmond = Optional.empty();
    private static Optional<Magnetd> magnetd = Optional.empty();
    private static Optional<GuestProcess> gmetad = Optional.empty();

    private final Guest guest;

    FleetIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeAll
    static void start(Guest guest) {
        KernelModule.load(guest);
        long interval = guest.options().scaled(INTERVAL).toSeconds();
        Magnetd.configure(guest, CONFIG.formatted(interval, WINDOW_INTERVALS * interval));
        guest.sh(GMETAD).orFail();
        gmond = Optional.of(Gmond.start(guest));
        gmetad = Optional.of(guest.start("gmetad", "-c", "/tmp/fleet-gmetad.conf", "-d", "1"));
    }

    @AfterAll
    static void end() {
        magnetd.ifPresent(Magnetd::close);
        gmetad.ifPresent(GuestProcess::kill);
        gmond.ifPresent(Gmond::close);
    }

    /** The only object that it prints, as soon as there is one. */
    private JsonObject fleet() {
        GuestResult result = guest.sh(LIMIT, FLEET + "--json");
        assertThat(result.stdout()).as(result.toString()).startsWith("{");
        return Json.object(result.stdout());
    }

    private static Optional<JsonObject> attention(JsonObject fleet, String problem) {
        return StreamSupport.stream(fleet.getAsJsonArray("attention").spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .filter(node -> node.getAsJsonArray("problems").toString().contains(problem))
                .findFirst();
    }

    /** The node of the very answer that has the problem: the next one may have it no more. */
    private JsonObject awaitProblem(String problem, Duration limit) {
        AtomicReference<JsonObject> node = new AtomicReference<>();
        Awaitility.await()
                .atMost(guest.options().scaled(limit))
                .pollInterval(BETWEEN_ASKING)
                .untilAsserted(() -> {
                    Optional<JsonObject> its = attention(fleet(), problem);
                    assertThat(its).isPresent();
                    node.set(its.get());
                });
        return node.get();
    }

    /** What the module counted for the service's buffer. */
    private long lostByTheModule() {
        String told = guest.run(LIMIT, "sensor-java/bin/magnet", "buffers", "--json")
                .orFail()
                .stdout();
        return StreamSupport.stream(Json.object(told).getAsJsonArray("buffers").spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .filter(buffer -> buffer.get("name").getAsString().equals("magnetd"))
                .mapToLong(buffer -> buffer.get("lost").getAsLong())
                .sum();
    }

    private void nagios(int exitCode, String text) {
        GuestResult result = guest.sh(LIMIT, FLEET + "--nagios");
        assertThat(result.exitCode()).as(result.toString()).isEqualTo(exitCode);
        assertThat(result.stdout()).matches(text + "\n");
        assertThat(result.stderr()).isEmpty();
    }

    @Test
    @Order(0)
    void shouldSayThatGmetadHasNothingOfMagnet() {
        Awaitility.await().atMost(guest.options().scaled(LIMIT)).untilAsserted(() -> {
            GuestResult result = guest.sh(LIMIT, FLEET);
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.stdout()).contains("failed: cluster magnet test: 1 node, and nothing of magnet: ");
            assertThat(result.stderr()).isEmpty();
        });
        nagios(2, "MAGNET CRITICAL: 0 nodes, .*; nothing of magnet in cluster .*magnet test .* clusters_failed=1;;0;0");
    }

    @Test
    @Order(1)
    void shouldTellTheVersionsOfANodeThatIsWell() {
        magnetd = Optional.of(Magnetd.startAndAwait(guest));
        gmond.orElseThrow().await("magnet_sensor_software_version", LIMIT);
        Awaitility.await().atMost(guest.options().scaled(LIMIT)).untilAsserted(() -> {
            GuestResult result = guest.sh(LIMIT, FLEET);
            assertThat(result.stdout())
                    .as(result.toString())
                    .startsWith("1 node, 1 ok, 0 warnings, 0 failed; 1 cluster; no events lost\n");
        });
        JsonObject versions = fleet().getAsJsonObject("versions");
        String module = Json.object(guest.run(LIMIT, "sensor-java/bin/magnet", "status", "--json")
                        .orFail()
                        .stdout())
                .getAsJsonObject("module")
                .get("version")
                .getAsString();
        assertThat(versions.keySet()).singleElement().asString().startsWith(module);
        nagios(
                0,
                "MAGNET OK: 1 node, 1 ok, .* \\| nodes=1;;;0 ok=1;;;0 warnings=0;0;;0 failed=0;;0;0 lost=0;0;;0"
                        + " clusters_without=0;0;;0 clusters_failed=0;;0;0");
    }

    @Test
    @Order(2)
    void shouldTellExactlyHowManyEventsANodeLost() {
        guest.sh(LIMIT, "kill -STOP " + MAGNETD).orFail();
        guest.sh(LIMIT, "for ((i = 0; i < " + PROCESSES + "; i++)); do (:); done")
                .orFail();
        guest.sh(LIMIT, "kill -CONT " + MAGNETD).orFail();
        // The ring tells of a loss when an event finds room behind it.
        guest.sh(LIMIT, "for cpu in 0 1; do taskset -c $cpu true; done").orFail();
        JsonObject node = awaitProblem("lost ", LIMIT);

        long lost = lostByTheModule();
        assertThat(lost).isGreaterThan(PROCESSES / 2);
        assertThat(node.get("state").getAsString()).isEqualTo("warning");
        Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .untilAsserted(() -> assertThat(fleet().get("lost").getAsLong()).isEqualTo(lostByTheModule()));
        assertThat(lostByTheModule()).as("nothing more was lost").isEqualTo(lost);
        assertThat(guest.sh(LIMIT, FLEET).orFail().stdout())
                .containsPattern("(?m)^\\S+ +warning +magnet test +\\S+ +" + lost + "  lost " + lost + " events in ")
                .contains("\n1 node, 0 ok, 1 warning, 0 failed; 1 cluster; " + lost + " events lost\n");
        nagios(
                1,
                "MAGNET WARNING: 1 node, 0 ok, 1 warning, 0 failed: .*\\(lost " + lost + " events .* lost=" + lost
                        + ";0;;0 .*");
    }

    /** A host that is heard of once, one that goes on without magnet, and one whose magnetd ended: they wait together. */
    @Test
    @Order(3)
    void shouldSayWhoIsSilent() {
        guest.sh(LIMIT, TELL.formatted("gone", "10.7.0.1") + "-H").orFail();
        GuestProcess other =
                guest.start("bash", "-c", "while :; do " + TELL.formatted("plain", "10.7.0.2") + "-H; sleep 2; done");
        magnetd.orElseThrow().stop().orFail();
        JsonObject gone = awaitProblem("silent for ", SILENCE_LIMIT);
        assertThat(gone.get("node").getAsString()).isEqualTo("gone");
        JsonObject plain = awaitProblem("publishes nothing of magnet", LIMIT);
        assertThat(plain.get("node").getAsString()).isEqualTo("plain");
        JsonObject ended = awaitProblem("magnetd has published nothing for ", SILENCE_LIMIT);
        assertThat(List.of(gone, plain, ended))
                .extracting(node -> node.get("state").getAsString())
                .containsOnly("failed");
        assertThat(fleet().get("failed").getAsInt()).isEqualTo(3);
        assertThat(guest.sh(LIMIT, FLEET).exitCode()).isEqualTo(1);
        nagios(2, "MAGNET CRITICAL: 3 nodes, .*, 3 failed: .*gone \\(silent .* failed=3;;0;0 .*");
        other.kill();
    }

    @Test
    @Order(4)
    void shouldAskAGmondAsWell() {
        GuestResult result = guest.sh(LIMIT, FLEET + "--gmetad localhost:8649 --json");

        assertThat(Json.object(result.stdout()).get("nodes").getAsInt()).isEqualTo(3);
    }

    @Test
    @Order(5)
    void shouldSayInOneLineThatThereIsNoGmetad() {
        gmetad.orElseThrow().kill();
        GuestResult result = guest.sh(LIMIT, FLEET);

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.stdout()).isEmpty();
        assertThat(result.stderr()).matches("magnet: no gmetad answers at 127.0.0.1:8651: .*\n");
        nagios(3, "MAGNET UNKNOWN: no gmetad answers at 127.0.0.1:8651: .*");
    }
}
