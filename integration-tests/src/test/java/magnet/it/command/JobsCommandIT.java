// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.StreamSupport;
import magnet.it.ganglia.Gmond;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import magnet.it.service.Magnetd;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A job of 20 processes is listed, stopped, continued and killed. The kernel's own files and ps say who is in it, and a counter in
 * each process whether it goes on. The guest has one CPU, so that two jobs wait for each other.
 */
@GuestTest(smp = 1)
final class JobsCommandIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    /** Nine programs, five of them JVMs, beside two busy loops and magnetd on one emulated processor. */
    private static final Duration LIMIT_OF_SLOW = Duration.ofMinutes(20);

    private static final int PROCESSES = 20;
    private static final String JOB = "slurm:4711";

    /** The job: a process, its 3 children, and theirs, 16 in all. Each counts as long as it runs. */
    private static final String WORLD = """
        rm -rf /tmp/jobs-command && mkdir -m 755 /tmp/jobs-command && cd /tmp/jobs-command || exit 1
        trap 'cp *.txt *.json %s 2>/dev/null' EXIT
        magnet=$MAGNET_ROOT/sensor-java/bin/magnet
        root=/sys/fs/cgroup slurm=/sys/fs/cgroup/system.slice/slurmstepd.scope
        job=$slurm/job_4711/step_0/user
        mountpoint -q $root || mount -t cgroup2 none $root || exit 1
        for above in $root $root/system.slice $slurm $slurm/job_4711 $slurm/job_4711/step_0; do
            mkdir -p $above
            echo "+memory +cpu" >$above/cgroup.subtree_control || exit 1
        done
        mkdir -p $job
        as() { setpriv --reuid=$1 --regid=$1 --clear-groups "${@:2}"; }
        cat >tree.py <<'END'
        import os, time
        def count():
            n, own = 0, os.open("count/%%d" %% os.getpid(), os.O_WRONLY | os.O_CREAT)
            while True:
                n += 1
                os.pwrite(own, b"%%d" %% n, 0)
                time.sleep(0.02)
        def parent(children):
            for make in children:
                if os.fork() == 0:
                    make()
            count()
        parent([lambda n=n: parent([count] * n) for n in (6, 5, 5)])
        END
        install -d -m 777 count
        begin() {
            rm -f count/*
            bash -c 'echo $$ >'$job'/cgroup.procs && exec setpriv --reuid=65534 --regid=65534 --clear-groups \\
                python3 tree.py' & leader=$!
            until [ "$(ls count | wc -l)" = 20 ]; do kill -0 $leader || exit 1; sleep 0.1; done
        }
        sum() { local each sum=0; for each in count/*; do sum=$((sum + $(<$each))); done; echo $sum; }
        all_go_on() {
            local each before
            for each in count/*; do
                before=$(<$each)
                until [ "$(<$each)" -gt $before ]; do sleep 0.1; done
            done
        }
        states() { sort -n $job/cgroup.procs | while read -r pid; do awk '/^State:/ { print $2 }' /proc/$pid/status; done; }
        run() { "$@" >>out.txt 2>>err.txt; local status=$?; echo $status >>status.txt; return $status; }
        """;

    private final Guest guest;
    private Path folder = Path.of("");

    JobsCommandIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createTempDirectory(guest.share(), "jobs-command-");
    }

    private GuestResult run(String script) {
        return guest.sh(LIMIT, WORLD.formatted(folder) + script).orFail();
    }

    private String text(String file) throws IOException {
        return Files.readString(folder.resolve(file)).strip();
    }

    private List<String> lines(String file) throws IOException {
        return Files.readAllLines(folder.resolve(file));
    }

    private JsonObject job(String file, String name) throws IOException {
        return StreamSupport.stream(
                        Json.object(text(file)).getAsJsonArray("jobs").spliterator(), false)
                .map(JsonElement::getAsJsonObject)
                .filter(each -> each.get("job").getAsString().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not in " + file));
    }

    @Test
    void shouldListAJobAndItsTreeAsTheKernelHasThem() throws IOException {
        run("""
            begin
            awk '/^usage_usec/ { print $2 }' $slurm/job_4711/cpu.stat >cpu.txt
            run $magnet jobs
            $magnet jobs --json >list.json 2>/dev/null || exit 1
            awk '/^usage_usec/ { print $2 }' $slurm/job_4711/cpu.stat >>cpu.txt
            $magnet jobs tree --json %1$s >tree.json || exit 1
            $magnet jobs tree %1$s >tree.txt || exit 1
            sort -n $job/cgroup.procs >procs.txt
            while read -r pid; do ps -o pid= -o ppid= -p $pid; done <procs.txt >ps.txt
            echo 1 >$slurm/job_4711/cgroup.kill
            """.formatted(JOB));

        JsonObject listed = job("list.json", JOB);
        assertThat(lines("procs.txt")).hasSize(PROCESSES);
        assertThat(listed.get("processes").getAsInt()).isEqualTo(PROCESSES);
        assertThat(listed.getAsJsonArray("users").toString()).isEqualTo("[\"nobody\"]");
        assertThat(listed.get("state").getAsString()).isEqualTo("running");
        assertThat(listed.get("memory_bytes").getAsLong()).isPositive();
        assertThat(listed.get("cpu_seconds").getAsDouble())
                .isBetween(
                        Long.parseLong(lines("cpu.txt").get(0)) / 1e6,
                        Long.parseLong(lines("cpu.txt").get(1)) / 1e6);
        assertThat(text("err.txt")).contains("no figures from magnetd: it does not run");

        Map<Integer, Integer> parents = new TreeMap<>();
        JsonElement cgroups = job("tree.json", JOB).get("cgroups");
        for (JsonElement cgroup : cgroups.getAsJsonArray()) {
            for (JsonElement process : cgroup.getAsJsonObject().getAsJsonArray("processes")) {
                parents.put(
                        process.getAsJsonObject().get("pid").getAsInt(),
                        process.getAsJsonObject().get("parent").getAsInt());
            }
        }
        Map<Integer, Integer> witnessed = lines("ps.txt").stream()
                .map(line -> line.strip().split(" +"))
                .collect(toMap(pair -> Integer.valueOf(pair[0]), pair -> Integer.valueOf(pair[1])));
        assertThat(parents).isEqualTo(witnessed);
        assertThat(text("tree.txt"))
                .startsWith(JOB + ": 20 processes, running\n  /system.slice/slurmstepd.scope/job_4711\n    step_0\n"
                        + "      user\n")
                .contains("\n            " + lastLeaf(witnessed) + " python3");
    }

    /** Whoever has two of the job above it. */
    private static int lastLeaf(Map<Integer, Integer> parents) {
        return parents.keySet().stream()
                .filter(pid ->
                        parents.containsKey(parents.get(pid)) && parents.containsKey(parents.get(parents.get(pid))))
                .max(Integer::compare)
                .orElseThrow();
    }

    @Test
    void shouldFreezeContinueAndKillAJobByItsCgroups() throws IOException {
        run("""
            begin
            run $magnet jobs stop %1$s || exit 1
            cat $slurm/job_4711/cgroup.events >frozen.txt
            sum >sums.txt; sleep 2; sum >>sums.txt
            $magnet jobs --json >list.json 2>/dev/null
            run $magnet jobs cont %1$s || exit 1
            cat $slurm/job_4711/cgroup.events >thawed.txt
            all_go_on
            run $magnet jobs stop %1$s || exit 1
            run $magnet jobs kill %1$s || exit 1
            cat $job/cgroup.procs >left.txt
            echo 0 >$slurm/job_4711/cgroup.freeze
            """.formatted(JOB));

        assertThat(lines("frozen.txt")).contains("frozen 1");
        assertThat(lines("sums.txt").get(1)).isEqualTo(lines("sums.txt").get(0));
        assertThat(job("list.json", JOB).get("state").getAsString()).isEqualTo("frozen");
        assertThat(lines("thawed.txt")).contains("frozen 0");
        assertThat(text("left.txt")).isEmpty();
        assertThat(lines("out.txt"))
                .containsExactly(
                        "stopped 20 processes of " + JOB,
                        "continued 20 processes of " + JOB,
                        "stopped 20 processes of " + JOB,
                        "killed 20 processes of " + JOB);
        assertThat(lines("status.txt")).containsOnly("0");
    }

    /** The processes are nobody's, who may signal them, and may not write to their cgroups. */
    @Test
    @Tag("long")
    void shouldDoTheSameBySignals() throws IOException {
        run("""
            begin
            run as 65534 $magnet jobs stop %1$s
            run as 65534 $magnet jobs stop --signals %1$s || exit 1
            states >stopped.txt
            sum >sums.txt; sleep 2; sum >>sums.txt
            $magnet jobs --json >list.json 2>/dev/null
            run $magnet jobs cont %1$s || exit 1
            states >still.txt
            run as 65534 $magnet jobs cont --signals %1$s || exit 1
            all_go_on
            run as 65533 $magnet jobs kill --signals %1$s
            run as 65534 $magnet jobs kill --signals %1$s || exit 1
            cat $job/cgroup.procs >left.txt
            """.formatted(JOB));

        assertThat(lines("stopped.txt")).hasSize(PROCESSES).containsOnly("T");
        assertThat(lines("still.txt")).hasSize(PROCESSES).containsOnly("T");
        assertThat(lines("sums.txt").get(1)).isEqualTo(lines("sums.txt").get(0));
        assertThat(job("list.json", JOB).get("state").getAsString()).isEqualTo("stopped");
        assertThat(text("left.txt")).isEmpty();
        assertThat(lines("out.txt"))
                .containsExactly(
                        "stopped 20 processes of " + JOB,
                        "continued 20 processes of " + JOB,
                        "continued 20 processes of " + JOB,
                        "killed 20 processes of " + JOB);
        assertThat(lines("status.txt")).containsExactly("1", "0", "0", "0", "1", "0");
        assertThat(text("err.txt"))
                .contains(
                        "magnet: only root and the owner of /sys/fs/cgroup/system.slice/slurmstepd.scope/job_4711 may"
                                + " stop what is in it; --signals reaches your own processes",
                        "magnet: a signal or a debugger still stops 20 processes of " + JOB,
                        "cannot be killed: Operation not permitted (EPERM); run it as root");
    }

    @Test
    @Tag("long")
    void shouldRefuseWhatIsNotThereAndWhatItIsIn() throws IOException {
        run("""
            begin
            run $magnet jobs kill 4711
            run $magnet jobs stop slurm:99
            run $magnet jobs kill
            mkdir -p $root/system.slice/own.service
            run bash -c 'echo $$ >'$root'/system.slice/own.service/cgroup.procs
                exec '$magnet' jobs kill %1$s own.service'
            all_go_on
            echo 1 >$slurm/job_4711/cgroup.kill
            """.formatted(JOB));

        assertThat(lines("status.txt")).containsExactly("1", "1", "2", "1");
        assertThat(text("err.txt"))
                .contains(
                        "magnet: no job here is called '4711'; did you mean " + JOB + "?",
                        "magnet: no job here is called 'slurm:99'; there are: ",
                        "magnet: NAME is missing",
                        "magnet: own.service is not killed: this command itself is in it");
    }

    /** Two users' jobs wait for each other, and one has a cgroup that nobody but root may look into. What is told is looked at as it comes from the socket. */
    private static final String TWO_USERS = """
        burn() {
            mkdir -p $slurm/job_$1/step_0
            bash -c 'echo $$ >'$slurm/job_$1'/step_0/cgroup.procs && exec setpriv --reuid='$2' --regid='$2' --clear-groups \\
                bash -c "while :; do :; done"' & burners+=" $!"
        }
        burn 1 1001
        burn 2 1002
        mkdir $slurm/job_2/step_0/hidden && chmod 0 $slurm/job_2/step_0/hidden || exit 1
        cat >ask.py <<'END'
        import socket, sys
        to = socket.socket(socket.AF_UNIX)
        to.connect(sys.argv[1])
        to.sendall(b"jobs\\n")
        print(to.makefile().readline(), end="")
        END
        own=/run/magnet/jobs all=/run/magnet/jobs-all
        """;

    private static final String ASKED = """
        until as 1001 python3 ask.py $own 2>/dev/null | grep -q '"slurm:1".*"others"'; do sleep 0.5; done
        as 1001 python3 ask.py $own >first.json || exit 1
        as 1002 python3 ask.py $own >second.json || exit 1
        as 1003 python3 ask.py $own >stranger.json || exit 1
        as 1001 python3 ask.py $all 2>refused.txt && exit 1
        python3 ask.py $all >root.json || exit 1
        setpriv --reuid=1003 --regid=1003 --groups=%1$s python3 ask.py $all >member.json || exit 1
        $magnet jobs >list.txt 2>err.txt || exit 1
        as 1001 $magnet jobs --json >user.json 2>>err.txt || exit 1
        as 1001 $magnet jobs >user.txt 2>>err.txt || exit 1
        $magnet jobs watch -n 2 -i 0.5s --json >watch.json 2>>err.txt || exit 1
        kill $burners
        """;

    @Tag("long")
    @Test
    void shouldTellUsersTheirOwnJobsAndRootAll() throws IOException {
        KernelModule.load(guest, "gid=" + Magnetd.GROUP);
        guest.run("install", "-D", "integration-tests/ganglia/gmond.conf", Gmond.CONFIG)
                .orFail();
        Magnetd.configure(guest, """
            [collector]
            buffer-size = 4M
            [publish]
            interval = 1s
            window = 10s
            [metrics]
            jobs = on
            """);
        String jobs = WORLD.formatted(folder) + TWO_USERS + ASKED.formatted(Magnetd.GROUP);
        guest.sh(LIMIT, "install -d -m 2755 -o 65534 -g " + Magnetd.GROUP + " /run/magnet")
                .orFail();
        try (Magnetd magnetd = Magnetd.startUnprivileged(guest)) {
            magnetd.awaitLog("publishing ");
            guest.sh(LIMIT_OF_SLOW, jobs).orFail();
            magnetd.stop().orFail();
        }
        KernelModule.remove(guest);

        assertThat(names("first.json")).containsExactly("slurm:1");
        assertThat(text("first.json")).contains("\"others\"").doesNotContain("slurm:2", "magnetd");
        assertThat(job("first.json", "slurm:1").get("wait_percent").getAsDouble())
                .isPositive();
        assertThat(names("second.json")).containsExactly("slurm:2");
        assertThat(names("stranger.json")).isEmpty();
        assertThat(text("refused.txt")).contains("PermissionError");
        for (String file : List.of("root.json", "member.json")) {
            assertThat(names(file)).contains("slurm:1", "slurm:2");
            assertThat(job(file, "slurm:1").get("waited_for").toString()).contains("slurm:2");
        }
        assertThat(lines("list.txt").stream().filter(line -> line.matches("slurm:[12] .*")))
                .hasSize(2)
                .allSatisfy(line -> assertThat(Arrays.asList(line.split(" +"))).doesNotContain("-"));
        assertThat(job("user.json", "slurm:1").has("cpu_percent")).isTrue();
        assertThat(job("user.json", "slurm:2").has("cpu_percent")).isFalse();
        assertThat(lines("watch.json"))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("wait_percent"));
        assertThat(text("err.txt")).isEmpty();
    }

    private List<String> names(String file) throws IOException {
        return StreamSupport.stream(
                        Json.object(text(file)).getAsJsonArray("jobs").spliterator(), false)
                .map(each -> each.getAsJsonObject().get("job").getAsString())
                .filter(name -> name.startsWith("slurm:"))
                .sorted()
                .toList();
    }
}
