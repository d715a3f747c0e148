// SPDX-License-Identifier: Apache-2.0
package magnet.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import magnet.cluster.sync.ClockPair;
import magnet.cluster.sync.ClusterClocks;
import magnet.cluster.sync.NodeClock;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestOptions;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.HostShell;
import magnet.it.guest.KernelComplaints;
import magnet.it.service.Json;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two guests whose clocks differ by seconds, and a witness on their cable: what {@code magnet cluster sync} finds is no further from
 * what the witness says than it claims.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClusterSyncIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final int SIZE = 2;
    private static final int FIRST_CABLE = 20_000;
    private static final int LAST_CABLE = 60_000;
    private static final int MEMORY = 1024;

    private static final String START =
            "sensor-java/bin/magnet cluster start default --nodes node1,node2 --at +90s --for 20s --allow-unsynchronised --json";

    private static final int DATAGRAMS_PER_SECOND = 100;
    /** They begin before the order and end after the recording. */
    private static final int SECONDS = 200;

    private final List<Guest> guests = new ArrayList<>();
    private boolean complete;
    private int cable;

    @TempDir
    private Path folder;

    @RegisterExtension
    final AfterTestExecutionCallback keeper = context -> {
        if (context.getExecutionException().isPresent()) {
            guests.forEach(Guest::keep);
        }
    };

    @BeforeAll
    void boot() throws IOException {
        cable = ThreadLocalRandom.current().nextInt(FIRST_CABLE, LAST_CABLE);
        byte[] key = new byte[64];
        new Random(cable).nextBytes(key);
        List<GuestProcess> nodes = new ArrayList<>();
        for (int number = 1; number <= SIZE; number++) {
            Guest guest = Guest.boot(
                    GuestOptions.defaults().withSmp(1).withMemory(MEMORY).withCable(cable, number));
            guests.add(guest);
            Files.write(guest.share().resolve("key"), key);
            nodes.add(guest.start(
                    "integration-tests/cluster/node",
                    "" + number,
                    guest.share().resolve("key").toString()));
        }
        nodes.forEach(node -> node.awaitOutput("listens", LIMIT));
        complete = true;
    }

    @AfterAll
    void end() throws IOException, InterruptedException {
        if (!complete) {
            guests.forEach(Guest::keep);
        }
        try {
            for (Guest guest : guests) {
                KernelComplaints.failIfAny(guest);
            }
        } finally {
            guests.forEach(Guest::close);
        }
    }

    @Test
    void shouldBeAsCloseToTheWitnessAsItSays() throws IOException {
        guests.get(1).sh(LIMIT, "date -s @$(($(date +%s) + 3))").orFail();
        Path run = Files.createDirectory(folder.resolve("run"));
        CableWitness witness = CableWitness.start(cable, folder.resolve("frames"));
        try {
            record(run);
        } finally {
            witness.end();
        }

        GuestResult result = HostShell.run(folder, LIMIT, "$MAGNET cluster sync run");
        assertThat(result.exitCode()).as(result.stdout()).isZero();

        ClusterClocks clocks = ClusterClocks.read(run);
        assertThat(clocks.violations()).isZero();
        assertThat(clocks.pairs()).hasSize(1);
        ClockPair pair = clocks.pairs().get(0);
        assertThat(pair.bounded()).as(result.stdout()).isTrue();
        // Each way some are lost where an emulated machine stands still, and some are answered.
        assertThat(Math.min(pair.matchedForth(), pair.matchedBack())).isGreaterThan(500);
        assertSlope(clocks, pair);
        assertOffset(
                clocks,
                witness.ticksAhead(run.resolve("node1")),
                witness.ticksAhead(run.resolve("node2")),
                result.stdout());
    }

    /** The counters advance alike: what differs is how fast each kernel takes its own to be. */
    private static void assertSlope(ClusterClocks clocks, ClockPair pair) {
        double first = clocks.nodes().get("node1").clock().ticksPerSecond();
        double second = clocks.nodes().get("node2").clock().ticksPerSecond();
        assertThat(first / second).isBetween(pair.slopeMin(), pair.slopeMax());
    }

    private static void assertOffset(ClusterClocks clocks, long firstAhead, long secondAhead, String printed) {
        NodeClock first = clocks.nodes().get("node1");
        NodeClock second = clocks.nodes().get("node2");
        for (int part = 0; part <= 10; part++) {
            long firstNs = first.fromNs() + (first.toNs() - first.fromNs()) / 10 * part;
            long timer = timer(first, firstNs);
            long secondNs = second.clock().realtimeNs(timer + firstAhead - secondAhead);
            double apart = Math.abs(first.toReferenceNs(firstNs) - second.toReferenceNs(secondNs));
            assertThat(apart)
                    .as("at part %d of 10:\n%s", part, printed)
                    .isLessThanOrEqualTo(clocks.halfWidthNs("node1", "node2", firstNs));
        }
    }

    private static long timer(NodeClock clock, long ns) {
        double ticksPerNano = clock.clock().ticksPerSecond() / 1e9;
        return Math.round((ns - clock.clock().realtimeNs(0)) * ticksPerNano);
    }

    /** Both nodes record while datagrams go both ways; their traces are brought together. */
    private void record(Path run) throws IOException {
        List<GuestProcess> talking = new ArrayList<>();
        for (int node = 0; node < SIZE; node++) {
            Guest guest = guests.get(node);
            talking.add(guest.start("build/tools/udp_stream", "receive", "7000", "" + SECONDS));
            talking.add(guest.start(
                    "build/tools/udp_stream",
                    "send",
                    "10.9.8." + (SIZE - node),
                    "7000",
                    "100",
                    "" + DATAGRAMS_PER_SECOND,
                    "" + SECONDS));
        }
        JsonObject started =
                Json.object(guests.get(0).sh(LIMIT, START).orFail().stdout().strip());
        String name = started.get("run").getAsString();
        for (int node = 0; node < SIZE; node++) {
            Guest guest = guests.get(node);
            Path copy = guest.share().resolve("copy");
            guest.sh(
                            LIMIT,
                            "cd /var/lib/magnet/recordings/%1$s && until grep -q '\"state\": \"\\(done\\|failed\\)\"' node%2$d.json; do sleep 1; done; grep -q '\"state\": \"done\"' node%2$d.json && cp -r . %3$s"
                                    .formatted(name, node + 1, copy))
                    .orFail();
            GuestResult copied = HostShell.run(folder, LIMIT, "cp -r %s/. %s/".formatted(copy, run));
            assertThat(copied.exitCode()).as(copied.stdout()).isZero();
        }
        talking.forEach(each -> each.signal("KILL"));
    }
}
