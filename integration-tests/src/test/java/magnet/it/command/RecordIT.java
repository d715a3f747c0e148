// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static magnet.it.command.Refusals.assertOneLine;
import static magnet.it.command.Refusals.assertOnlyOneLine;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Magnetd;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * "magnet record" against the real module: a flight recorder goes on without any process, has the newest events and no others
 * when it is saved, as babeltrace2 reads them, and is saved by itself when something happens.
 */
@GuestTest
final class RecordIT {
    private static final String MAGNET = "sensor-java/bin/magnet";
    /** Without a right, but with the group of /dev/magnet. */
    private static final String MEMBER =
            "setpriv --reuid=65534 --regid=65534 --groups=" + Magnetd.GROUP + " --inh-caps=-all --bounding-set=-all ";

    private static final String SERVICE = "setpriv --reuid=65534 --regid=65534 --groups=" + Magnetd.GROUP
            + " --inh-caps=-all,+perfmon --ambient-caps=+perfmon --bounding-set=-all,+perfmon --no-new-privs ";
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int MARKERS = 10_007;
    private static final long RARE = 777;
    private static final Pattern MARKER = Pattern.compile(" marker: .*\\babstract_id = (\\d+)");
    private static final String CONFIG = """
            [ganglia]
            gmond-conf = /tmp/gmond.conf
            [publish]
            interval = 1s
            window = 3s
            [metrics]
            level = heartbeat
            raise-when = magnet_process_forks_rate > 20
            raise-to = summary
            raise-for = 30s
            [record]
            recorder = box
            directory = /tmp/recorded
            save-when = raised, urgent
            keep-size = 16M
            min-free = 0
            pause = 0s
            """;

    private final Guest guest;

    RecordIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() {
        KernelModule.load(guest, "gid=" + Magnetd.GROUP);
    }

    @AfterEach
    void unload() {
        guest.sh(LIMIT, MAGNET + " unload; rm -rf /tmp/trace* /tmp/urgent /tmp/recorded");
        assertThat(KernelModule.isLoaded(guest)).isFalse();
    }

    private GuestResult magnet(String arguments) {
        return guest.sh(LIMIT, MAGNET + " " + arguments);
    }

    private JsonObject json(String arguments) {
        return JsonParser.parseString(magnet(arguments).orFail().stdout()).getAsJsonObject();
    }

    /** By one process on one CPU. */
    private void mark(long from, long to) {
        guest.sh(
                        LIMIT,
                        "taskset -c 0 bash -c 'for ((i = %d; i <= %d; i++)); do echo $i >/dev/magnet/marker; done'"
                                .formatted(from, to))
                .orFail();
    }

    private static List<Long> upTo(long last, long from) {
        return LongStream.rangeClosed(from, last).boxed().toList();
    }

    private List<String> events(String trace) {
        GuestResult read = guest.sh(LIMIT, "babeltrace2 " + trace).orFail();
        assertThat(read.stderr()).as("warnings of losses and damage").isEmpty();
        return read.stdout().lines().toList();
    }

    private static List<Long> markers(List<String> events) {
        return events.stream()
                .map(MARKER::matcher)
                .filter(Matcher::find)
                .map(match -> Long.valueOf(match.group(1)))
                .toList();
    }

    private static long sum(JsonArray array, String key) {
        long sum = 0;
        for (JsonElement each : array) {
            sum += each.getAsJsonObject().get(key).getAsLong();
        }
        return sum;
    }

    @Test
    void shouldSaveExactlyTheNewestEventsAndCountTheOthers() {
        GuestResult started =
                magnet("record start box -p marker --flight-recorder 64K").orFail();
        assertThat(started.stderr())
                .contains("keeps the newest 64K of each CPU's events of 1 point, without this command");
        mark(1, MARKERS);
        JsonObject recorder =
                json("record ls --json").getAsJsonArray("recorders").get(0).getAsJsonObject();
        assertThat(recorder.get("hits").getAsLong()).isEqualTo(MARKERS);
        assertThat(recorder.get("lost").getAsLong()).isZero();
        assertThat(magnet("record ls").orFail().stdout())
                .containsPattern("(?m)^box +64 +\\d+ +\\d+ +0 +20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d +marker$");

        JsonObject saved = json("record save box -o /tmp/trace --json");
        List<String> events = events("/tmp/trace");
        List<Long> markers = markers(events);
        long overwrittenMarkers = MARKERS - (long) markers.size();
        assertThat(markers).hasSizeBetween(500, 2_000);
        assertThat(markers).as("the newest").isEqualTo(upTo(MARKERS, overwrittenMarkers + 1));
        assertThat(saved.get("events").getAsLong()).isEqualTo(markers.size());

        long overwritten = saved.get("records_overwritten").getAsLong();
        JsonObject buffers =
                json("buffers --json").getAsJsonArray("buffers").get(0).getAsJsonObject();
        JsonObject ended = json("record stop box --json");
        assertThat(ended.get("hits").getAsLong()).isEqualTo(MARKERS);
        assertThat(ended.get("lost").getAsLong()).isZero();
        assertThat(ended.get("records_saved").getAsLong())
                .as("all that babeltrace2 has")
                .isEqualTo(events.size());
        assertThat(ended.get("records_overwritten").getAsLong()).isEqualTo(overwritten);
        long written = sum(buffers.getAsJsonArray("cpus"), "records");
        assertThat(overwritten)
                .as("the markers that are not in the trace, and of what else was written no more than there was")
                .isBetween(overwrittenMarkers, overwrittenMarkers + written - MARKERS);
        assertThat(overwritten + events.size()).as("overwritten and saved").isLessThanOrEqualTo(written);
        assertThat(magnet("record ls").orFail().stdout()).isEqualTo("no flight recorders\n");
        assertThat(magnet("buffers").orFail().stdout()).isEqualTo("no buffers\n");

        assertThat(magnet("report /tmp/trace").orFail().stdout())
                .contains("recorder   box, which had overwritten " + overwritten + " older records")
                .containsPattern("(?m)^marker +" + markers.size() + " ");
        assertThat(magnet("count --trace /tmp/trace -p marker").orFail().stdout())
                .contains("" + markers.size());
        magnet("export /tmp/trace -o /tmp/trace.perfetto-trace").orFail();
        assertThat(guest.sh(LIMIT, "grep -h 'recorder\\|overwritten' /tmp/trace/metadata")
                        .orFail()
                        .stdout())
                .isEqualTo("\trecorder = \"box\";\n\toverwritten = " + overwritten + ";\n");
    }

    @Tag("long")
    @Test
    void shouldGoOnWhileItIsSaved() {
        magnet("record start box -p marker").orFail();
        mark(1, 100);
        magnet("record save box -o /tmp/trace1").orFail();
        mark(101, 150);
        magnet("record save box -o /tmp/trace2").orFail();
        assertThat(markers(events("/tmp/trace1"))).isEqualTo(upTo(100, 1));
        assertThat(markers(events("/tmp/trace2"))).isEqualTo(upTo(150, 101));
        assertThat(magnet("record stop box").orFail().stdout())
                .contains("flight recorder box has ended: of 150 hits none were lost; 0 records were overwritten, ");
    }

    @Tag("long")
    @Test
    void shouldSayInOneLineWhatCannotBe() {
        magnet("record start box -p marker").orFail();
        mark(1, 10);
        assertOnlyOneLine(magnet("record start box -p marker"), 1, "there is already a buffer or flight recorder box");
        assertOnlyOneLine(magnet("record start a/b -p marker"), 2, "NAME wants letters");
        assertOnlyOneLine(magnet("record start mine -p marker --filter 'drop if'"), 2, "a test is FIELD OP VALUE");
        assertOnlyOneLine(magnet("record stop bax"), 1, "there is no flight recorder bax; did you mean box?");
        assertOnlyOneLine(magnet("record save none -o /tmp/trace"), 1, "there is no flight recorder none");
        assertOnlyOneLine(magnet("record save box -o /etc"), 1, "a trace wants a folder of its own");
        assertOneLine(
                guest.sh(
                        LIMIT,
                        "mount -t tmpfs -o size=64k none /mnt; " + MAGNET
                                + " record save box -o /mnt/trace; code=$?; umount /mnt; exit $code"),
                1,
                "free, and the trace may take",
                "flight recorder box still has all");
        magnet("buffers --snapshot box --to box.save").orFail();
        assertOnlyOneLine(
                magnet("record save box -o /tmp/trace"),
                1,
                "flight recorder box cannot be saved while there is a buffer box.save",
                "magnet buffers --remove box.save");
        assertOnlyOneLine(magnet("record start box.save -p marker"), 2, "NAME must not end with '.save'");
        magnet("buffers --remove box.save").orFail();
        assertThat(guest.sh(LIMIT, "ls -d /tmp/trace").exitCode())
                .as("nothing left")
                .isNotZero();

        assertOneLine(guest.sh(LIMIT, MEMBER + MAGNET + " record start mine -p marker"), 1, "CAP_PERFMON");
        assertOneLine(guest.sh(LIMIT, MEMBER + MAGNET + " record save box -o /tmp/trace"), 1, "CAP_PERFMON");
        assertOneLine(guest.sh(LIMIT, MEMBER + MAGNET + " record stop box"), 1, "CAP_PERFMON");
        assertThat(guest.sh(LIMIT, MEMBER + MAGNET + " record ls").orFail().stdout())
                .containsPattern("(?m)^box +256 ");
        mark(11, 20);
        guest.sh(LIMIT, SERVICE + MAGNET + " record save box -o /tmp/trace").orFail();
        assertThat(markers(events("/tmp/trace")))
                .as("what the snapshot above took is gone; without debugfs the ABI describes the records")
                .isEqualTo(upTo(20, 11));

        magnet("unload").orFail();
        assertOnlyOneLine(magnet("record ls"), 1, "the kernel module is not loaded");
        assertOnlyOneLine(magnet("record save box -o /tmp/trace2"), 1, "the kernel module is not loaded");
    }

    @Test
    void shouldSaveWhatWasBeforeAnUrgentEvent() {
        magnet("record start box -p marker --filter 'urgent if id == " + RARE + "'")
                .orFail();
        GuestProcess saver = guest.start(
                "bash",
                "-c",
                "exec " + MAGNET + " record save box -o /tmp/urgent --when-urgent -n 1 --min-free 0 2>&1");
        saver.awaitOutput("waiting for urgent events in flight recorder box", LIMIT);
        mark(1, RARE);
        GuestResult saved = saver.waitFor(LIMIT).orFail();
        assertThat(saved.stdout()).contains(" saved in /tmp/urgent/box-", "1 trace saved");
        assertThat(markers(events("/tmp/urgent/box-*"))).isEqualTo(upTo(RARE, 1));
    }

    @Tag("long")
    @Test
    void shouldSaveWhatWasBeforeAConditionBegan() {
        magnet("record start box -p marker").orFail();
        GuestProcess adapt = guest.start(
                "bash",
                "-c",
                "exec " + MAGNET
                        + " adapt --when 'magnet_process_forks_rate > 20' --save box -o /tmp/urgent --min-free 0 -n 1"
                        + " --then 'echo trace: $MAGNET_TRACE' --json 2>&1");
        adapt.awaitOutput("watching ", LIMIT);
        mark(1, 100);
        guest.sh(LIMIT, "for ((i = 0; i < 400; i++)); do (:); done").orFail();
        GuestResult adapted = adapt.waitFor(LIMIT).orFail();
        assertThat(adapted.stdout()).contains("\"trace\": \"/tmp/urgent/box-", "trace: /tmp/urgent/box-");
        assertThat(markers(events("/tmp/urgent/box-*"))).isEqualTo(upTo(100, 1));
    }

    @Test
    void shouldBeSavedByTheServiceWhenItRaisesTheLevelAndAtUrgentEvents() {
        magnet("record start box -p marker --filter 'urgent if id == " + RARE + "'")
                .orFail();
        guest.sh(
                        LIMIT,
                        "printf 'udp_send_channel {\\n  host = 127.0.0.1\\n  port = 8649\\n}\\n' >/tmp/gmond.conf;"
                                + " install -d -m 777 /tmp/recorded")
                .orFail();
        Magnetd.configure(guest, CONFIG);
        try (Magnetd magnetd = Magnetd.startUnprivileged(guest)) {
            magnetd.awaitLog("publishing ");
            mark(1, 100);
            guest.sh(LIMIT, "for ((i = 0; i < 400; i++)); do (:); done").orFail();
            magnetd.awaitLog("the level was raised: flight recorder box: ");
            assertThat(markers(events("$(ls -d /tmp/recorded/box-* | tail -n 1)")))
                    .isEqualTo(upTo(100, 1));
            mark(101, 200);
            mark(RARE, RARE);
            magnetd.awaitLog("an urgent event of marker: flight recorder box: ");
            List<Long> urgent = markers(events("$(ls -d /tmp/recorded/box-* | tail -n 1)"));
            assertThat(urgent).hasSize(101).startsWith(101L).endsWith(200L, RARE);
            magnetd.stop().orFail();
        }
        assertThat(magnet("record ls").orFail().stdout()).as("it goes on").containsPattern("(?m)^box ");
    }
}
