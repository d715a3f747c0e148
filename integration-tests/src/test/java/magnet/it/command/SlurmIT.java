// SPDX-License-Identifier: Apache-2.0
package magnet.it.command;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondXml;
import magnet.it.ganglia.PublishedJob;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.Json;
import magnet.it.service.Magnetd;
import magnet.it.slurm.SlurmNode;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Two jobs of a real Slurm that share a CPU: what they send is counted under their ids, as Slurm gave them. Slurm says which
 * processes are whose, and the kernel how many datagrams were sent in all.
 *
 * <p>Three commands watch the same round, as each JVM takes an emulated guest seconds to start. Then magnetd publishes another
 * round to a real gmond.
 */
@GuestTest(smp = 1)
final class SlurmIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    private static final int OF_BATCH = 1_009;
    private static final int OF_LATER_STEP = 211;
    private static final int OF_OTHER_JOB = 1_013;
    private static final int OF_STRANGER = 7;
    private static final int BURNS = 20_000;

    /** What a job does: it sends, or uses the CPU, as often as it is told. Its process sends itself, so that its id is known. */
    private static final String WORKER = """
            mkdir -p /tmp/jobs && cd /tmp/jobs && mkfifo first.orders second.orders
            cat >send <<'END'
            exec 4>/dev/udp/127.0.0.1/7
            for ((i = 0; i < $1; i++)); do printf x >&4; done
            END
            cat >work <<'END'
            cd /tmp/jobs
            exec 3<>$1.orders
            echo $$ >$1.pid
            while read -r verb count <&3; do
                case $verb in
                    send) . ./send $count ;;
                    step) srun --overlap bash send $count || exit 1 ;;
                    burn) for ((i = 0; i < count; i++)); do :; done ;;
                    end) exit 0 ;;
                esac
                echo $verb >$1.done
            done
            END
            cat >order <<'END'
            cd /tmp/jobs
            order() {
                rm -f $1.done
                echo "$2 $3" >$1.orders
                until [ -e $1.done ]; do sleep 0.1; done
            }
            END
            """;

    private static final String WATCH = """
            . /tmp/jobs/order
            sent() { awk '$1 == "Udp:" && $5 ~ /^[0-9]/ { print $5 }' /proc/net/snmp; }
            readers=()
            begin() {
                local name=$1
                shift
                env --default-signal=INT $MAGNET_ROOT/sensor-java/bin/magnet "$@" >%1$s/$name.txt 2>%1$s/$name.err &
                readers+=($!)
            }
            begin count count --json -p udp_sendmsg by job
            begin read read --json -v -p udp_sendmsg
            begin rule count --json -p udp_sendmsg --filter 'log if job == slurm:%2$d; drop' by job
            until grep -q '^[^ ]* udp_sendmsg .* 3 .*=on' /sys/kernel/debug/magnet/control/events; do
                kill -0 ${readers[@]} || { cat %1$s/*.err >&2; exit 1; }
                sleep 0.1
            done
            before=$(sent)
            order first send %3$d & sends=$!
            order second send %4$d & sends+=" $!"
            bash send %5$d
            wait $sends
            order first step %6$d
            echo $(($(sent) - before)) >%1$s/datagrams
            kill -INT ${readers[@]}
            for reader in ${readers[@]}; do wait $reader || { cat %1$s/*.err >&2; exit 1; }; done
            order first burn %7$d &
            order second burn %7$d
            wait
            """;

    /** They send and then compete for the CPU. */
    private static final String PUBLISHED = """
            . /tmp/jobs/order
            order first send %1$d & orders=$!
            order second send %2$d & orders+=" $!"
            wait $orders
            order first burn %3$d &
            order second burn %3$d
            wait
            """;

    private static final int PUBLISHED_OF_FIRST = 503;
    private static final int PUBLISHED_OF_SECOND = 401;

    private static Path folder = Path.of("");
    /** What gmond told of both jobs, when it told of each datagram. */
    private static Optional<GmondXml> published = Optional.empty();

    private static Optional<SlurmNode> slurm = Optional.empty();
    /** Sends in its batch step, and in a step that begins later. */
    private static long first;
    /** Sends in a step that srun has made. */
    private static long second;

    private final Guest guest;

    SlurmIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeAll
    static void watchOneRound(Guest guest) throws IOException {
        KernelModule.load(guest);
        folder = Files.createTempDirectory(guest.share(), "slurm-");
        guest.sh(WORKER).orFail();
        guest.start("build/tools/udp_stream", "receive", "7", Long.toString(LIMIT.toSeconds()));
        SlurmNode node = SlurmNode.start(guest);
        slurm = Optional.of(node);
        first = node.run("#!/bin/bash\nexec bash /tmp/jobs/work first");
        second = node.run("#!/bin/bash\nsrun bash /tmp/jobs/work second");
        guest.sh(LIMIT, WATCH.formatted(folder, first, OF_BATCH, OF_OTHER_JOB, OF_STRANGER, OF_LATER_STEP, BURNS))
                .orFail();
        publishOneRound(guest);
    }

    /** After the other round, whose datagrams are counted: magnetd sends some, too. */
    private static void publishOneRound(Guest guest) {
        Magnetd.configure(guest, """
                [collector]
                buffer-size = 4M
                [publish]
                interval = 2s
                window = 120s
                [metrics]
                jobs = on
                """);
        try (Gmond gmond = Gmond.start(guest);
                Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            guest.sh(LIMIT, PUBLISHED.formatted(PUBLISHED_OF_FIRST, PUBLISHED_OF_SECOND, BURNS))
                    .orFail();
            Awaitility.await()
                    .atMost(guest.options().scaled(LIMIT))
                    .pollInterval(Duration.ofSeconds(1))
                    .until(() -> {
                        GmondXml xml = gmond.xml();
                        published = Optional.of(xml);
                        return sent(xml, first) == PUBLISHED_OF_FIRST
                                && sent(xml, second) == PUBLISHED_OF_SECOND
                                && published(xml, first)
                                        .flatMap(job -> job.text("waited_for_name"))
                                        .isPresent();
                    });
            magnetd.stop();
        }
    }

    /** How many bytes a job has sent in the window, by what gmond tells; each datagram has one. */
    private static long sent(GmondXml xml, long job) {
        return published(xml, job)
                .map(each -> Math.round(each.overWindow("send_bytes_rate")))
                .orElse(-1L);
    }

    private static Optional<PublishedJob> published(GmondXml xml, long job) {
        return PublishedJob.named(xml, "slurm:" + job);
    }

    @AfterAll
    static void end(Guest guest) {
        slurm.ifPresent(SlurmNode::close);
        KernelModule.remove(guest);
    }

    @Test
    void shouldCountEachJobsDatagramsUnderItsId() throws IOException {
        assertThat(byJob("count"))
                .isEqualTo(Map.of(
                        "slurm:" + first,
                        (long) (OF_BATCH + OF_LATER_STEP),
                        "slurm:" + second,
                        (long) OF_OTHER_JOB,
                        "none",
                        (long) OF_STRANGER));
        assertThat(text("count.err")).contains("none were lost");
        assertThat(text("datagrams"))
                .as("what the kernel has counted")
                .isEqualTo(Integer.toString(OF_BATCH + OF_LATER_STEP + OF_OTHER_JOB + OF_STRANGER));
    }

    @Test
    void shouldCountInTheKernelWhatARuleAsksForAlsoOfALaterStep() throws IOException {
        assertThat(byJob("rule")).isEqualTo(Map.of("slurm:" + first, (long) (OF_BATCH + OF_LATER_STEP)));
        assertThat(text("rule.err")).contains("none were lost");
    }

    @Test
    void shouldTellTheOwnerOfEachEvent() throws IOException {
        Map<String, Long> owners = text("read.txt")
                .lines()
                .map(Json::object)
                .collect(groupingBy(event -> event.get("owner").getAsString(), TreeMap::new, counting()));
        assertThat(owners)
                .isEqualTo(Map.of(
                        "slurm:" + first,
                        (long) (OF_BATCH + OF_LATER_STEP),
                        "slurm:" + second,
                        (long) OF_OTHER_JOB,
                        "/",
                        (long) OF_STRANGER));
        assertThat(text("read.err")).contains("none were lost");
    }

    /** Slurm lists which processes are whose, also those that its daemons have made for the job. */
    @Test
    void shouldTakeTheProcessesOfAJobForItsAsSlurmDoes() throws IOException {
        Map<String, Set<Long>> senders = text("read.txt")
                .lines()
                .map(Json::object)
                .collect(groupingBy(
                        event -> event.get("owner").getAsString(),
                        mapping(event -> event.get("tgid").getAsLong(), toSet())));
        Set<Long> ofFirst = slurm.orElseThrow().processes(first);
        Set<Long> ofSecond = slurm.orElseThrow().processes(second);

        assertThat(senders.get("slurm:" + first)).contains(worker("first")).hasSize(2);
        assertThat(senders.get("slurm:" + second)).containsExactly(worker("second"));
        assertThat(ofFirst).contains(worker("first")).doesNotContain(worker("second"));
        assertThat(ofSecond).contains(worker("second")).doesNotContain(worker("first"));
    }

    /** The cgroup that magnet takes for the job's is where the kernel accounts for its worker's CPU time. */
    @Test
    void shouldFindTheWorkersTimeInTheJobsCgroup() {
        assertThat(guest.read("/proc/" + worker("first") + "/cgroup"))
                .startsWith("0::" + slurm.orElseThrow().cgroup(first) + "/step_batch/");
        assertThat(guest.read("/proc/" + worker("second") + "/cgroup"))
                .startsWith("0::" + slurm.orElseThrow().cgroup(second) + "/step_0/");
        for (String each : new String[] {"first", "second"}) {
            long own = Long.parseLong(
                    guest.read("/proc/" + worker(each) + "/schedstat").split(" ", 2)[0]);
            long job = slurm.orElseThrow().cpuMicros(each.equals("first") ? first : second);
            assertThat(own).isPositive();
            assertThat(job).isGreaterThanOrEqualTo(own / 1000);
        }
    }

    /** There is one CPU, which both want; so do magnetd and Slurm's daemons, for which a job may wait longer than for the other. */
    @Test
    void shouldPublishBothUnderTheirIdsAndWhoMadeThemWait() {
        GmondXml xml = published.orElseThrow();
        PublishedJob ofFirst = published(xml, first).orElseThrow();
        PublishedJob ofSecond = published(xml, second).orElseThrow();

        assertThat(sent(xml, first)).isEqualTo(PUBLISHED_OF_FIRST);
        assertThat(sent(xml, second)).isEqualTo(PUBLISHED_OF_SECOND);
        for (PublishedJob job : List.of(ofFirst, ofSecond)) {
            assertThat(job.number("cpu_percent")).isPositive();
            assertThat(job.number("wait_p99")).isPositive();
            assertThat(job.number("waited_for_percent")).isPositive().isLessThanOrEqualTo(job.number("wait_percent"));
        }
        assertThat(ofFirst.text("waited_for_name").orElseThrow()).isIn("slurm:" + second, "none");
        assertThat(ofSecond.text("waited_for_name").orElseThrow()).isIn("slurm:" + first, "none");
    }

    private long worker(String name) {
        return Long.parseLong(guest.read("/tmp/jobs/" + name + ".pid").strip());
    }

    private static Map<String, Long> byJob(String name) throws IOException {
        Map<String, Long> counts = new TreeMap<>();
        for (JsonElement group : Json.object(text(name + ".txt")).getAsJsonArray("groups")) {
            counts.put(
                    group.getAsJsonObject().getAsJsonObject("by").get("job").getAsString(),
                    group.getAsJsonObject().get("count").getAsLong());
        }
        return counts;
    }

    private static String text(String name) throws IOException {
        return Files.readString(folder.resolve(name)).strip();
    }
}
