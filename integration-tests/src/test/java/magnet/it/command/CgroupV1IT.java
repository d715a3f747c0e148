// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Jobs that cgroups of version 1 name, as Slurm's cgroup/v1 makes them; in the unified hierarchy all of them are slurmd. Each
 * sender has a network of its own, so the kernel's own account of it says how many datagrams it has sent.
 */
@GuestTest
@Tag("long")
final class CgroupV1IT {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String FREEZER = "job_hierarchy=freezer";

    private static final int OF_FIRST = 101;
    private static final int OF_SECOND = 7;
    private static final int OF_LATER_STEP = 11;
    private static final int AFTER_MOVE = 13;

    private static final String WORLD = """
            cd %s
            """ + DatagramSenders.FUNCTIONS + """
            freezer=/tmp/freezer unified=/sys/fs/cgroup jobs=/tmp/freezer/slurm/uid_1000
            mkdir -p $freezer
            mount -t cgroup -o freezer none $freezer || exit 1
            mkdir -p $jobs/job_42/step_0 $jobs/job_43/step_0 $unified/system.slice/slurmd.service
            in_network_of_its_own() { unshare --net bash -c 'ip link set lo up && exec "$@"' bash "$@"; }
            start first in_network_of_its_own; exec 3>first
            start second in_network_of_its_own; exec 4>second
            move() { echo $(<$2.pid) >$1/cgroup.procs || exit 1; }
            magnet=$MAGNET_ROOT/sensor-java/bin/magnet
            move $unified/system.slice/slurmd.service first
            move $unified/system.slice/slurmd.service second
            move $jobs/job_42/step_0 first
            move $jobs/job_43/step_0 second
            """;

    private static final String END = """
            exec 3>&- 4>&-
            wait
            rmdir $jobs/job_4?/step_? $jobs/job_4? $jobs $freezer/slurm $unified/system.slice/slurmd.service $unified/system.slice
            umount $freezer
            """;

    private final Guest guest;
    private Path folder = Path.of("");

    CgroupV1IT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void make() throws IOException {
        folder = Files.createTempDirectory(guest.share(), "v1-");
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @Test
    void shouldLogTheEventsOfAJobOnlyAlsoOfItsLaterSteps() throws IOException {
        KernelModule.load(guest, FREEZER);
        run("""
                begin read --json -p udp_sendmsg -v --filter 'log if job == slurm:42; drop'
                send first %d 3; send second %d 4
                mkdir $jobs/job_42/step_1
                move $jobs/job_42/step_1 first
                send first %d 3
                move $jobs/job_43/step_0 first
                send first %d 3
                end
                """.formatted(OF_FIRST, OF_SECOND, OF_LATER_STEP, AFTER_MOVE));

        assertThat(owners()).isEqualTo(Map.of("first slurm:42", (long) (OF_FIRST + OF_LATER_STEP)));
        assertThat(sent("first")).isEqualTo(OF_FIRST + OF_LATER_STEP + AFTER_MOVE);
        assertThat(text("err.txt")).contains("none were lost", (OF_SECOND + AFTER_MOVE) + " filtered");
    }

    /** A move in the unified hierarchy is none of a job's; nor are the cgroups there, which have the same ids. */
    @Test
    void shouldSplitAProcessWhereItMovesInTheWatchedHierarchy() throws IOException {
        KernelModule.load(guest, FREEZER);
        run("""
                begin read --json -p udp_sendmsg -v
                send first %d 3; send second %d 4
                for i in 1 2 3 4 5 6 7 8; do mkdir $unified/other_$i; done
                move $unified/other_8 first
                send first %d 3
                move $freezer first
                send first %d 3
                move $unified second
                move $jobs/job_42/step_0 second
                send second %d 4
                end
                move $unified first
                rmdir $unified/other_?
                """.formatted(OF_FIRST, OF_SECOND, OF_LATER_STEP, AFTER_MOVE, OF_LATER_STEP));

        assertThat(owners())
                .isEqualTo(Map.of(
                        "first slurm:42", (long) (OF_FIRST + OF_LATER_STEP),
                        "first /", (long) AFTER_MOVE,
                        "second slurm:43", (long) OF_SECOND,
                        "second slurm:42", (long) OF_LATER_STEP));
        assertThat(sent("first")).isEqualTo(OF_FIRST + OF_LATER_STEP + AFTER_MOVE);
        assertThat(sent("second")).isEqualTo(OF_SECOND + OF_LATER_STEP);
        assertThat(text("err.txt")).contains("none were lost");
    }

    @Test
    void shouldTellJobsInSavedTracesAndFlightRecorders() throws IOException {
        KernelModule.load(guest, FREEZER);
        run("""
                begin read -p udp_sendmsg -o trace
                $magnet record start box -p udp_sendmsg --buffer-size 64K 2>box.txt || exit 1
                send first %d 3; send second %d 4
                end
                $magnet report --json --by job --filter 'log if len >= 1; drop' trace >report.json || exit 1
                $magnet record save box -o box >saved.txt || exit 1
                $magnet record stop box 2>stop.txt || exit 1
                $magnet count --json --trace box -p udp_sendmsg by job >count.json || exit 1
                """.formatted(OF_FIRST, OF_SECOND));

        Map<String, Long> reported = new TreeMap<>();
        for (JsonElement row : Json.object(text("report.json")).getAsJsonArray("by_job")) {
            JsonObject job = row.getAsJsonObject();
            reported.put(job.get("job").getAsString(), job.get("events").getAsLong());
        }
        assertThat(reported).isEqualTo(Map.of("slurm:42", (long) OF_FIRST, "slurm:43", (long) OF_SECOND));
        Map<String, Long> counted = new TreeMap<>();
        for (JsonElement row : Json.object(text("count.json")).getAsJsonArray("groups")) {
            JsonObject group = row.getAsJsonObject();
            counted.put(
                    group.getAsJsonObject("by").get("job").getAsString(),
                    group.get("count").getAsLong());
        }
        assertThat(counted).isEqualTo(reported);
    }

    @Test
    void shouldRankJobs() throws IOException {
        KernelModule.load(guest, FREEZER);
        run("""
                bash -c 'echo $$ >'$jobs'/job_42/cgroup.procs; while :; do :; done' & burning=$!
                bash -c 'echo $$ >'$jobs'/job_43/cgroup.procs; while :; do :; done' & burning="$burning $!"
                $magnet top --by job --json -i 2 -n 3 >top.json || exit 1
                kill $burning
                wait $burning
                """);

        List<JsonObject> windows = text("top.json").lines().map(Json::object).toList();
        assertThat(windows).hasSize(3);
        assertThat(windows.get(2).getAsJsonArray("jobs").asList())
                .filteredOn(job -> job.getAsJsonObject().get("cpu_percent").getAsDouble() > 1)
                .extracting(job -> job.getAsJsonObject().get("job").getAsString())
                .contains("slurm:42", "slurm:43")
                .doesNotContain("slurmd.service");
    }

    @Test
    void shouldSayWhichHierarchyToWatch() throws IOException {
        KernelModule.load(guest);
        run("""
                $magnet check --passive >unwatched.txt
                $magnet read -p udp_sendmsg --filter 'log if job == slurm:42; drop' 2>refused.txt && exit 1
                rmmod magnet && insmod %s %s || exit 1
                $magnet check --passive >watched.txt
                """.formatted(KernelModule.file(guest.options().kernel()), FREEZER));

        String where = "slurm:42 and 1 more job are in the version 1 hierarchy of freezer, and the module watches the"
                + " unified hierarchy: ";
        assertThat(text("unwatched.txt"))
                .containsPattern("warning +jobs +" + where)
                .contains("options magnet job_hierarchy=freezer");
        assertThat(text("refused.txt"))
                .contains("no cgroup here is the job 'slurm:42'", "slurmd.service")
                .contains(where + "load it with job_hierarchy=freezer");
        assertThat(text("watched.txt"))
                .containsPattern("ok +jobs +their names come from the version 1 hierarchy of freezer");
    }

    private void run(String script) {
        guest.sh(LIMIT, WORLD.formatted(folder) + script + END).orFail();
    }

    /** How many events of each sender, by owner. */
    private Map<String, Long> owners() throws IOException {
        Map<String, String> names = Map.of(text("first.pid"), "first", text("second.pid"), "second");
        return Files.readString(folder.resolve("events.txt"))
                .lines()
                .map(Json::object)
                .filter(event -> names.containsKey(event.get("tgid").getAsString()))
                .collect(groupingBy(
                        event -> names.get(event.get("tgid").getAsString()) + " "
                                + event.get("owner").getAsString(),
                        TreeMap::new,
                        counting()));
    }

    private int sent(String name) throws IOException {
        return Integer.parseInt(text(name + ".sent"));
    }

    private String text(String name) throws IOException {
        return Files.readString(folder.resolve(name)).strip();
    }
}
