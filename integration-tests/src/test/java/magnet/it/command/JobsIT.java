// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whose events these are, beside what bpftrace says of the cgroup of each. */
@GuestTest
final class JobsIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int OF_JOB = 101;
    private static final int OF_STRANGER = 7;
    private static final int AFTER_MOVE = 13;
    private static final int OF_LATER_STEP = 11;
    /** More than a ring of 64K holds. */
    private static final int OF_FULL_RING = 5_000;

    private static final String OTHER_JOB = "slurm:4712";

    /** A Slurm job with a step as its cgroups are, another cgroup, and two programs that send as many datagrams as they are told. */
    private static final String WORLD = """
            cd %s
            """ + DatagramSenders.FUNCTIONS + """
            root=/sys/fs/cgroup job=/sys/fs/cgroup/system.slice/slurmstepd.scope/job_4711
            mountpoint -q $root || mount -t cgroup2 none $root || exit 1
            mkdir -p $job/step_0 $root/other
            ip link set lo up
            start member; exec 3>member
            start stranger; exec 4>stranger
            move() { echo $(<${2:-member}.pid) >$1/cgroup.procs || exit 1; }
            second_job() {
                mkdir -p $root/system.slice/slurmstepd.scope/job_4712/step_0
                move $root/system.slice/slurmstepd.scope/job_4712/step_0 stranger
            }
            witness() {
                BPFTRACE_KERNEL_SOURCE= bpftrace -e 'BEGIN { printf("there\\n"); }
                    kprobe:udp_sendmsg /comm == "python3"/ { @[cgroup] = count(); }' >witness.txt 2>&1 & witness=$!
                until grep -q there witness.txt; do kill -0 $witness || { cat witness.txt >&2; exit 1; }; sleep 0.1; done
            }
            move $job/step_0
            """;

    private static final String END = """
            exec 3>&- 4>&-
            wait
            rmdir $job/step_* $job $root/system.slice/slurmstepd.scope/job_4712/step_0 \\
                $root/system.slice/slurmstepd.scope/job_4712 $root/system.slice/slurmstepd.scope $root/system.slice $root/other 2>/dev/null
            true
            """;

    private static final Pattern COUNT = Pattern.compile("(?m)^@\\[(\\d+)]: (\\d+)$");

    private final Guest guest;
    private Path folder = Path.of("");

    JobsIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void load() throws IOException {
        KernelModule.load(guest);
        folder = Files.createTempDirectory(guest.share(), "jobs-");
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @Test
    void shouldTellWhoseEachEventIsAlsoAfterAMove() throws IOException {
        run("""
                begin read --json -p udp_sendmsg -v
                witness
                send member %d 3; send stranger %d 4
                move $root/other
                send member %d 3
                kill -INT $witness; wait $witness
                end
                stat -c %%i $job/step_0 $root $root/other >cgroups.txt
                """.formatted(OF_JOB, OF_STRANGER, AFTER_MOVE));

        assertThat(owners())
                .isEqualTo(Map.of(
                        text("member.pid") + " slurm:4711", (long) OF_JOB,
                        text("stranger.pid") + " /", (long) OF_STRANGER,
                        text("member.pid") + " /other", (long) AFTER_MOVE));
        List<String> cgroups = text("cgroups.txt").lines().toList();
        assertThat(witnessed())
                .isEqualTo(
                        Map.of(cgroups.get(0), (long) OF_JOB, cgroups.get(1), (long) OF_STRANGER, cgroups.get(2), (long)
                                AFTER_MOVE));
        assertThat(text("err.txt")).contains("none were lost");
    }

    @Test
    void shouldLogTheEventsOfAJobOnlyAlsoOfItsLaterSteps() throws IOException {
        run("""
                begin read --json -p udp_sendmsg -v --filter 'log if job == slurm:4711; drop'
                send member %d 3; send stranger %d 4
                mkdir $job/step_1
                move $job/step_1
                send member %d 3
                move $root/other
                send member %d 3
                end
                """.formatted(OF_JOB, OF_STRANGER, OF_LATER_STEP, AFTER_MOVE));

        assertThat(owners()).isEqualTo(Map.of(text("member.pid") + " slurm:4711", (long) (OF_JOB + OF_LATER_STEP)));
    }

    @Tag("long")
    @Test
    void shouldCountByJob() throws IOException {
        run("""
                begin count --json -p udp_sendmsg by job
                send member %d 3; send stranger %d 4
                move $root/other
                send member %d 3
                end
                """.formatted(OF_JOB, OF_STRANGER, AFTER_MOVE));

        assertThat(counted("events.txt"))
                .isEqualTo(Map.of("slurm:4711", (long) OF_JOB, "none", (long) (OF_STRANGER + AFTER_MOVE)));
        assertThat(text("err.txt")).contains("none were lost");
    }

    @Test
    void shouldSaveWhoseEventsAreAndTellItInAllThatReadsTheTrace() throws IOException {
        run("""
                second_job
                begin read -p udp_sendmsg -o trace
                witness
                send member %d 3; send stranger %d 4
                move $root/other
                send member %d 3
                kill -INT $witness; wait $witness
                end
                stat -c %%i $job/step_0 $root/system.slice/slurmstepd.scope/job_4712/step_0 $root/other >cgroups.txt
                magnet=$MAGNET_ROOT/sensor-java/bin/magnet sent='log if len >= 1; drop'
                $magnet report --json --by job --filter "$sent" trace >report.json || exit 1
                $magnet report --json trace >all.json || exit 1
                $magnet count --json --trace trace -p udp_sendmsg by job >count.json || exit 1
                $magnet export --filter "$sent" trace -o node.perfetto-trace 2>export.txt || exit 1
                """.formatted(OF_JOB, OF_STRANGER, AFTER_MOVE));

        Map<String, Long> sent =
                Map.of("slurm:4711", (long) OF_JOB, OTHER_JOB, (long) OF_STRANGER, "none", (long) AFTER_MOVE);
        Map<String, Long> reported = new TreeMap<>();
        for (JsonElement row : Json.object(text("report.json")).getAsJsonArray("by_job")) {
            reported.put(
                    row.getAsJsonObject().get("job").getAsString(),
                    row.getAsJsonObject().get("events").getAsLong());
        }
        assertThat(reported).isEqualTo(sent);
        assertThat(counted("count.json")).isEqualTo(sent);
        List<String> cgroups = text("cgroups.txt").lines().toList();
        assertThat(witnessed())
                .isEqualTo(
                        Map.of(cgroups.get(0), (long) OF_JOB, cgroups.get(1), (long) OF_STRANGER, cgroups.get(2), (long)
                                AFTER_MOVE));
        assertThat(text("err.txt")).contains("none were lost", "that say whose they are");
        assertThat(Json.object(text("all.json")).getAsJsonObject("by_event").keySet())
                .contains("udp_sendmsg")
                .doesNotContain("task_attach", "cgroup_mkdir", "cgroup_rmdir");
        assertThat(text("export.txt")).contains((OF_JOB + OF_STRANGER + AFTER_MOVE) + " events exported, 0 lost");
        assertThat(Files.readString(folder.resolve("node.perfetto-trace"), StandardCharsets.ISO_8859_1))
                .contains("slurm:4711", OTHER_JOB, "/other", "moved");
    }

    /** What told the recorder who was there has been overwritten. */
    @Tag("long")
    @Test
    void shouldKnowOwnersInTheTraceOfAFlightRecorder() throws IOException {
        run("""
                second_job
                for each in member stranger; do taskset -p -c 0 $(<$each.pid) >taskset.txt || exit 1; done
                magnet=$MAGNET_ROOT/sensor-java/bin/magnet
                taskset -c 0 $magnet record start box -p udp_sendmsg --buffer-size 64K 2>err.txt || exit 1
                send member %d 3; send stranger %d 4
                $magnet record ls >list.txt || exit 1
                $magnet record save box -o trace >saved.txt || exit 1
                $magnet record stop box 2>stop.txt || exit 1
                $magnet count --json --trace trace -p udp_sendmsg by job >count.json || exit 1
                $magnet count --json --trace trace -p task_attach by abstract_id >told.json || exit 1
                """.formatted(OF_FULL_RING, OF_STRANGER));

        Map<String, Long> counts = counted("count.json");
        assertThat(counts.keySet()).containsExactlyInAnyOrder("slurm:4711", OTHER_JOB);
        assertThat(counts.get(OTHER_JOB)).isEqualTo(OF_STRANGER);
        assertThat(counts.get("slurm:4711")).isBetween(500L, OF_FULL_RING - 1L);
        assertThat(Json.object(text("told.json")).getAsJsonArray("groups"))
                .extracting(group -> group.getAsJsonObject()
                        .getAsJsonObject("by")
                        .get("abstract_id")
                        .getAsString())
                .doesNotContain(text("member.pid"), text("stranger.pid"));
        assertThat(text("list.txt")).contains("udp_sendmsg").doesNotContain("task_attach");
    }

    @Tag("long")
    @Test
    void shouldTellWhosePacketsAre() throws IOException {
        run("""
                second_job
                env --default-signal=INT $MAGNET_ROOT/sensor-java/bin/magnet dump --json -v -i lo udp and dst port 7 \
                    >events.txt 2>err.txt &
                reader=$!
                until grep -q capturing err.txt; do kill -0 $reader || { cat err.txt >&2; exit 1; }; sleep 0.1; done
                send member %d 3; send stranger %d 4
                move $root/other
                send member %d 3
                end
                """.formatted(OF_JOB, OF_STRANGER, AFTER_MOVE));

        Map<String, Long> owners = Files.readString(folder.resolve("events.txt"))
                .lines()
                .map(Json::object)
                .flatMap(packet ->
                        StreamSupport.stream(packet.getAsJsonArray("journey").spliterator(), false))
                .map(JsonElement::getAsJsonObject)
                .filter(step -> step.get("point").getAsString().equals("udp_sendmsg"))
                .collect(groupingBy(step -> owner(step.get("owner")), TreeMap::new, counting()));
        assertThat(owners).isEqualTo(Map.of("slurm:4711", (long) OF_JOB, OTHER_JOB, (long) OF_STRANGER, "/other", (long)
                AFTER_MOVE));
    }

    @Tag("long")
    @Test
    void shouldRefuseAJobThatIsNotHereAndSayWhichAre() throws IOException {
        GuestResult refused = guest.sh(LIMIT, WORLD.formatted(folder) + """
                $MAGNET_ROOT/sensor-java/bin/magnet read -p udp_sendmsg --filter 'log if job == slurm:1; drop'; status=$?
                grep 'udp_sendmsg .*=on' /sys/kernel/debug/magnet/control/events
                """ + END + "exit $status\n");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.stderr()).contains("no cgroup here is the job 'slurm:1'", "slurm:4711");
        assertThat(refused.stdout()).isEmpty();
    }

    private void run(String script) {
        guest.sh(LIMIT, WORLD.formatted(folder) + script + END).orFail();
    }

    /** How many of the senders' datagrams, by process and owner. */
    private Map<String, Long> owners() throws IOException {
        return Files.readString(folder.resolve("events.txt"))
                .lines()
                .map(Json::object)
                .filter(event -> !event.get("tgid").getAsString().equals("0"))
                .collect(groupingBy(
                        event -> event.get("tgid").getAsString() + " " + owner(event.get("owner")),
                        TreeMap::new,
                        counting()));
    }

    private static String owner(@Nullable JsonElement owner) {
        return owner == null ? "nobody" : owner.getAsString();
    }

    /** Events by job, as count has written them. */
    private Map<String, Long> counted(String file) throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        for (JsonElement group : Json.object(text(file)).getAsJsonArray("groups")) {
            counts.put(
                    group.getAsJsonObject().getAsJsonObject("by").get("job").getAsString(),
                    group.getAsJsonObject().get("count").getAsLong());
        }
        return counts;
    }

    private Map<String, Long> witnessed() throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        COUNT.matcher(text("witness.txt"))
                .results()
                .forEach(found -> counts.put(found.group(1), Long.parseLong(found.group(2))));
        return counts;
    }

    private String text(String name) throws IOException {
        return Files.readString(folder.resolve(name)).strip();
    }
}
