// SPDX-License-Identifier: Apache-2.0
package magnet.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestOptions;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.KernelComplaints;
import magnet.it.service.Json;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Three guests on one cable: orders by multicast, each node's trace by its own clock, and what goes wrong with nodes. */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClusterRecordIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final int SIZE = 3;
    private static final int FIRST_CABLE = 20_000;
    private static final int LAST_CABLE = 60_000;
    private static final int MEMORY = 1024;

    /** Three emulated machines on two processors: guests whose clocks nobody disciplines, seconds after each other. */
    private static final String START = "%s cluster start %s --at +90s --for %s --allow-unsynchronised --json";

    private static final String MAGNET = "sensor-java/bin/magnet";
    /** How often a buffer is read (period), and how finely the moments are told apart. */
    private static final int SLOT_MS = 250;

    private static final int PHASE_MS = 10;

    private final List<Guest> guests = new ArrayList<>();
    private final List<GuestProcess> nodes = new ArrayList<>();
    private boolean complete;

    @RegisterExtension
    final AfterTestExecutionCallback keeper = context -> {
        if (context.getExecutionException().isPresent()) {
            guests.forEach(Guest::keep);
        }
    };

    @BeforeAll
    void boot() throws IOException {
        int cable = ThreadLocalRandom.current().nextInt(FIRST_CABLE, LAST_CABLE);
        byte[] key = new byte[64];
        new Random(cable).nextBytes(key);
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

    private GuestResult give(String order) {
        return guests.get(0).sh(LIMIT, order);
    }

    private static JsonObject json(GuestResult result) {
        return Json.object(result.stdout().strip());
    }

    /** What a node wrote of a run, when that has ended there. */
    private JsonObject ended(int node, String folder, JsonObject started) throws IOException {
        String run = started.get("run").getAsString();
        String file = "%s/%s/node%d.json".formatted(folder, run, node + 1);
        return Json.object(guests.get(node)
                .sh(
                        LIMIT,
                        "until grep -q '\"state\": \"\\(done\\|failed\\)\"' %1$s; do sleep 1; done; cat %1$s"
                                .formatted(file))
                .orFail()
                .stdout()
                .strip());
    }

    @Test
    void shouldHaveTheMarkersOfTheInstantOnEachNodeExactlyOnce() throws IOException {
        JsonObject started =
                json(give(START.formatted(MAGNET, "default", "10s")).orFail());
        List<String> loggers = guests.stream().map(ClusterRecordIT::logger).toList();
        int[] phases = new int[SLOT_MS / PHASE_MS];
        long begin = Long.parseLong(started.get("at_ns").getAsString());
        long end = begin + Long.parseLong(started.get("duration_ns").getAsString());
        assertThat(started.getAsJsonObject("nodes").keySet()).containsExactly("node1", "node2", "node3");

        List<GuestProcess> marking = guests.stream()
                .map(guest -> guest.start("integration-tests/cluster/mark.py", "" + begin, "" + end))
                .toList();
        for (int node = 0; node < SIZE; node++) {
            String written = marking.get(node).waitFor(LIMIT).orFail().stdout();
            JsonObject run = ended(node, "/var/lib/magnet/recordings", started);
            assertThat(run.get("state").getAsString()).as("%s", run).isEqualTo("done");
            assertThat(run.get("reason").getAsString()).isEmpty();
            String printed = guests.get(node)
                    .sh(
                            LIMIT,
                            "babeltrace2 /var/lib/magnet/recordings/%s/node%d"
                                    .formatted(started.get("run").getAsString(), node + 1))
                    .orFail()
                    .stdout();
            Markers.assertCut(written.lines().toList(), printed.lines().toList(), begin, end);
            count(printed, loggers.get(node), phases);
        }
        assertThat(IntStream.of(phases).skip(1).max().orElseThrow())
                .as("phases in which loggers were woken, in units of %s ms: %s", PHASE_MS, Arrays.toString(phases))
                .isLessThan(phases[0]);
    }

    /** The thread that reads the buffer, as the kernel numbers it. */
    private static String logger(Guest guest) {
        return guest.sh("grep -l magnet-recorder /proc/$(</run/node.pid)/task/*/comm | cut -d / -f 5")
                .orFail()
                .stdout()
                .strip();
    }

    /** In which part of a slot of the wall clock a thread was woken, each time; the first part is around its beginning. */
    private static void count(String printed, String thread, int[] phases) {
        Pattern.compile("(?m)^\\[\\d+:\\d+:(\\d+)\\.(\\d{3})\\d*\\] .* sched_wakeup: .* abstract_id = " + thread
                        + " \\}")
                .matcher(printed)
                .results()
                .map(match -> Integer.parseInt(match.group(1)) * 1000 + Integer.parseInt(match.group(2)))
                // It wakes up a little before, and sleeps for the rest.
                .forEach(ms -> phases[(ms + PHASE_MS / 2) % SLOT_MS / PHASE_MS]++);
    }

    @Test
    void shouldNameANodeThatIsDownAndRecordOnTheOthers() throws IOException {
        Guest third = guests.get(2);
        third.sh(LIMIT, "kill $(</run/node.pid); while kill -0 $(</run/node.pid) 2>/dev/null; do sleep 0.2; done")
                .orFail();

        GuestResult result = give(START.formatted(MAGNET, "default", "1s"));

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.stderr()).contains("no answer from node3;");
        JsonObject started = json(result);
        assertThat(started.getAsJsonObject("nodes").keySet()).containsExactly("node1", "node2");
        for (int node = 0; node < 2; node++) {
            assertThat(ended(node, "/var/lib/magnet/recordings", started)
                            .get("state")
                            .getAsString())
                    .isEqualTo("done");
        }
        start(third, nodes.get(2));
    }

    private static void start(Guest guest, GuestProcess node) {
        long before = node.stdout().lines().filter("listens"::equals).count();
        guest.sh(LIMIT, "touch /run/again").orFail();
        guest.sh(LIMIT, "until grep -q 'hears orders' /run/node.log; do sleep 0.5; done")
                .orFail();
        Awaitility.await()
                .atMost(LIMIT)
                .until(() -> node.stdout().lines().filter("listens"::equals).count() > before);
    }

    @Test
    void shouldGoOnWithARunAfterARestart() throws IOException {
        JsonObject started =
                json(give(START.formatted(MAGNET, "default", "120s")).orFail());
        String run = started.get("run").getAsString();
        Guest second = guests.get(1);
        second.sh(
                        LIMIT,
                        "until grep -q '\"state\": \"recording\"' /var/lib/magnet/recordings/%s/node2.json; do sleep 1; done; sleep 3; kill -9 $(</run/node.pid)"
                                .formatted(run))
                .orFail();
        start(second, nodes.get(1));

        JsonObject ended = ended(1, "/var/lib/magnet/recordings", started);

        assertThat(ended.get("state").getAsString()).as("%s", ended).isEqualTo("done");
        assertThat(ended.getAsJsonArray("gaps")).hasSize(1);
        assertThat(ended.get("parts").getAsInt()).isGreaterThan(1);
        String events = second.sh(
                        LIMIT, "babeltrace2 /var/lib/magnet/recordings/%s/node2 | grep -c sched_switch".formatted(run))
                .orFail()
                .stdout();
        assertThat(Integer.parseInt(events.strip())).isPositive();
    }

    @Test
    void shouldKeepWhatItHasWhenTheDiskIsFull() throws IOException {
        JsonObject started = json(give(START.formatted(MAGNET, "small", "60s")).orFail());
        Guest first = guests.get(0);
        GuestProcess busy =
                first.start("bash", "-c", "for ((;;)); do head -c 1000000 /dev/zero | wc -c >/dev/null; done");

        JsonObject ended = ended(0, "/run/small", started);
        busy.signal("KILL");

        assertThat(ended.get("state").getAsString()).as("%s", ended).isEqualTo("failed");
        assertThat(ended.get("reason").getAsString()).contains("No space left on device");
        first.sh(
                        LIMIT,
                        "babeltrace2 /run/small/%s/node1 >/dev/null"
                                .formatted(started.get("run").getAsString()))
                .orFail();
        // The others end by themselves.
        assertThat(give(MAGNET + " cluster stop").exitCode()).isZero();
    }
}
