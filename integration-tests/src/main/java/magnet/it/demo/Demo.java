// SPDX-License-Identifier: Apache-2.0
package magnet.it.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestException;
import magnet.it.guest.GuestOptions;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.KernelModule;
import magnet.metric.Metrics;

/**
 * Boots a guest with the module, a real gmond and magnetd in it, gives it three workloads one after the other, and shows
 * side by side what gmond's own /proc metrics and what magnet's say of them, both taken from gmond's XML.
 *
 * <p>Arguments: seconds of workload, folder for the results: gmond.xml, gmond-burner.xml and gmond-jobs.xml, each with what gmond
 * said at the workload's end beside it (gmond-end.xml), summary.json, magnetd.log. Exit code 0 only if magnet's metrics arrived
 * at gmond.
 */
public final class Demo {
    /** What a reader has to know of every figure here; pages of the demo of the web front end say the same. */
    public static final String EMULATED =
            "This is an emulated machine. Everything takes many times as long here as on a node, the sensor included:\n"
                    + "its costs here are not a node's.";

    private static final List<String> BURNER_PROC =
            List.of("cpu_user", "cpu_system", "cpu_idle", "load_one", "proc_run");
    private static final List<String> BURNER_EVENTS = List.of(
            "magnet_sched_time_slice_p50",
            "magnet_sched_time_slice_p99",
            "magnet_sched_time_slice_max",
            "magnet_sched_run_queue_wait_p50",
            "magnet_sched_run_queue_wait_p99",
            "magnet_sched_run_queue_wait_max",
            "magnet_sched_idle_gap_max",
            "magnet_sched_context_switches_rate");
    private static final List<String> STREAM_PROC =
            List.of("pkts_out", "bytes_out", "pkts_in", "bytes_in", "cpu_system");
    private static final List<String> STREAM_EVENTS = List.of(
            "magnet_net_udp_send_packets_rate",
            "magnet_net_udp_send_bytes_rate",
            "magnet_net_udp_receive_packets_rate",
            "magnet_net_udp_interarrival_p50",
            "magnet_net_udp_interarrival_p99",
            "magnet_net_udp_interarrival_max",
            "magnet_journey_socket_to_device_p50",
            "magnet_journey_socket_to_device_p99",
            "magnet_journey_socket_to_device_max",
            "magnet_irq_soft_time_percent");

    private static final List<String> JOBS_PROC = List.of("cpu_user", "cpu_nice", "cpu_idle", "load_one", "proc_run");
    private static final List<String> JOBS_EVENTS = List.of(
            "magnet_job1_cpu_percent",
            "magnet_job1_wait_percent",
            "magnet_job1_wait_p99",
            "magnet_job1_waited_for_percent",
            "magnet_job2_cpu_percent",
            "magnet_job2_wait_percent",
            "magnet_job2_wait_p99",
            "magnet_job2_waited_for_percent");

    /**
     * What gmond said of a workload.
     *
     * @param end when it ended, with what gmond had last seen in /proc
     * @param published later, when magnetd had published a window with all of it
     */
    private record Part(GmondXml end, GmondXml published) {
        String columns(List<String> proc, List<String> events) {
            return Columns.of(end, proc, published, events);
        }

        void save(Path results, String name) throws IOException {
            Files.writeString(results.resolve(name + "-end.xml"), end.text(), StandardCharsets.ISO_8859_1);
            Files.writeString(results.resolve(name + ".xml"), published.text(), StandardCharsets.ISO_8859_1);
        }
    }

    private static final Duration FIRST_METRIC_LIMIT = Duration.ofSeconds(60);
    /** The window that each value describes. */
    private static final int WINDOW_SECONDS = 25;

    /** gmond looks into /proc so often, and its values describe the time since it last looked. */
    private static final int SAMPLED_SECONDS = 5;

    /** A value describes the 25 s before it was published, and one is published every 5 s. */
    private static final Duration UNTIL_PUBLISHED = Duration.ofSeconds(6);

    private static final int PACKET_BYTES = 1000;
    private static final int PACKETS_PER_SECOND = 1000;

    private final Guest guest;
    private final Path results;
    private final int phaseSeconds;
    private final PrintStream out;
    private final CompetingJobs jobs;

    private Demo(Guest guest, Path results, int phaseSeconds, PrintStream out) {
        this.guest = guest;
        this.results = results;
        this.phaseSeconds = phaseSeconds;
        this.out = out;
        this.jobs = new CompetingJobs(guest);
    }

    @SuppressWarnings("SystemOut")
    public static void main(String[] args) throws IOException, InterruptedException {
        int seconds = Integer.parseInt(args[0]);
        Path results = Files.createDirectories(Path.of(args[1]));
        System.out.println("booting the guest");
        System.out.println(EMULATED);
        try (Guest guest = Guest.boot(GuestOptions.defaults())) {
            new Demo(guest, results, Math.max(1, seconds / 3), System.out).run();
        } catch (GuestException | IllegalStateException | AssertionError e) {
            System.err.println("demo: " + e.getMessage());
            System.exit(1);
        }
    }

    private void run() throws IOException, InterruptedException {
        step("loading the module: " + KernelModule.load(guest));
        try (Gmond gmond = Gmond.start(guest)) {
            step("gmond runs");
            GuestProcess magnetd = startService();
            double seconds = awaitFirstMetric(magnetd);
            step("magnetd runs; first metric in gmond's XML after %.1f s".formatted(seconds));

            burn();
            Part burner = part(gmond);
            stream();
            Part stream = part(gmond);
            compete();
            Part competing = part(gmond);
            jobs.ask();

            stopService(magnetd);
            save(burner, stream, competing, seconds);
            show(burner, stream, competing, seconds);
        }
    }

    /** To be called when a workload has just ended: gmond's own values are then of its last seconds. */
    private static Part part(Gmond gmond) throws InterruptedException {
        GmondXml end = gmond.xml();
        Thread.sleep(UNTIL_PUBLISHED.toMillis());
        return new Part(end, gmond.xml());
    }

    private void step(String text) {
        out.println("  " + text);
    }

    private GuestProcess startService() {
        guest.sh("mkdir -p /etc/magnet && sed 's/^jobs = off/jobs = on/; s/^openmetrics =$/openmetrics = "
                        + CompetingJobs.PAGE + "/' sensor-java/conf/magnet.conf >/etc/magnet/magnet.conf")
                .orFail();
        String command =
                "date +%%s%%N > %1$s/start && exec integration-tests/harness/guest-service sensor-java/bin/magnetd --summary %1$s/magnetd.json"
                        .formatted(guest.share());
        return guest.start("bash", "-c", command);
    }

    private double awaitFirstMetric(GuestProcess magnetd) {
        String ask = "until grep -q 'NAME=\"magnet_' < /dev/tcp/127.0.0.1/8649; do sleep 0.1; done; "
                + "echo $(( $(date +%s%N) - $(cat " + guest.share() + "/start) ))";
        GuestResult answer = guest.sh(FIRST_METRIC_LIMIT, ask);
        if (!magnetd.isAlive()) {
            throw new IllegalStateException(
                    "magnetd ended: " + magnetd.waitFor(UNTIL_PUBLISHED).stderr());
        }
        return Long.parseLong(answer.orFail().stdout().strip()) / 1e9;
    }

    private void burn() {
        step("workload 1 of 3, %d s: a process that uses 2 ms of CPU every 100 ms".formatted(phaseSeconds));
        String seconds = Integer.toString(phaseSeconds);
        GuestResult burnt = guest.run(
                        Duration.ofSeconds(phaseSeconds + 30L), "build/tools/burner", "2000", "100000", seconds)
                .orFail();
        step("  the kernel's own account: " + account(burnt.stdout().strip()));
    }

    /** Of the burner's line: its tid, and the three numbers of /proc/PID/schedstat, times in nanoseconds. */
    private static String account(String line) {
        String[] words = line.split(" ", -1);
        return String.format(
                Locale.ROOT,
                "it ran %.0f ms in %s slices, and waited %.1f ms for a CPU (schedstat of tid %s)",
                Long.parseLong(words[3]) / 1e6,
                words[5],
                Long.parseLong(words[4]) / 1e6,
                words[1]);
    }

    private void stream() {
        step("workload 2 of 3, %d s: %d UDP datagrams/s of %d bytes between two network namespaces"
                .formatted(phaseSeconds, PACKETS_PER_SECOND, PACKET_BYTES));
        guest.sh("""
                ip netns add left && ip netns add right
                ip link add name veth0 netns left type veth peer name veth0 netns right
                ip -n left addr add 192.0.2.1/24 dev veth0 && ip -n left link set veth0 up
                ip -n right addr add 192.0.2.2/24 dev veth0 && ip -n right link set veth0 up
                """).orFail();
        GuestProcess receiver = guest.start(
                "ip", "netns", "exec", "right", "build/tools/udp_stream", "receive", "5001", "" + (phaseSeconds + 1));
        guest.sh("until ip netns exec right ss -Hlun sport = :5001 | grep -q .; do sleep 0.1; done")
                .orFail();
        GuestResult sent = guest.run(
                        Duration.ofSeconds(phaseSeconds + 30L),
                        "ip",
                        "netns",
                        "exec",
                        "left",
                        "build/tools/udp_stream",
                        "send",
                        "192.0.2.2",
                        "5001",
                        "" + PACKET_BYTES,
                        "" + PACKETS_PER_SECOND,
                        "" + phaseSeconds)
                .orFail();
        GuestResult received = receiver.waitFor(Duration.ofSeconds(30)).orFail();
        step("  the programs' own account: %s, %s"
                .formatted(sent.stdout().strip(), received.stdout().strip()));
    }

    private void compete() {
        step("workload 3 of 3, %d s: two jobs that want the same CPU, the second one at nice 5"
                .formatted(phaseSeconds));
        jobs.run(phaseSeconds);
    }

    private void stopService(GuestProcess magnetd) throws IOException {
        magnetd.signal("TERM");
        GuestResult ended = magnetd.waitFor(Duration.ofSeconds(30));
        Files.writeString(results.resolve("magnetd.log"), ended.stdout() + ended.stderr());
    }

    private void save(Part burner, Part stream, Part competing, double seconds) throws IOException {
        burner.save(results, "gmond-burner");
        stream.save(results, "gmond");
        competing.save(results, "gmond-jobs");
        String service = Files.readString(guest.share().resolve("magnetd.json")).strip();
        Files.writeString(
                results.resolve("summary.json"),
                "{\n\"seconds_to_first_metric\": %s,\n\"metrics_in_gmond\": %d,\n\"jobs\": %s,\n\"magnetd\": %s\n}\n"
                        .formatted(
                                String.format(Locale.ROOT, "%.3f", seconds),
                                stream.published().startingWith("magnet_").size(),
                                jobs.json(competing.published()),
                                service));
    }

    private void show(Part burner, Part stream, Part competing, double seconds) {
        List<?> arrived = stream.published().startingWith("magnet_");
        if (arrived.size() < Metrics.DEFAULT.size()) {
            throw new IllegalStateException("of %d metrics of magnet's %d are in gmond's XML; see %s"
                    .formatted(Metrics.DEFAULT.size(), arrived.size(), results));
        }
        int inWindow = Math.min(phaseSeconds, WINDOW_SECONDS);
        out.println();
        out.println(
                "gmond looks into /proc every %d s here. Its own values are those that it had when a workload ended."
                        .formatted(SAMPLED_SECONDS));
        out.println();
        out.println(
                "While a process used 2 ms of CPU every 100 ms (magnet's values are of all threads, in the last %d s):"
                        .formatted(WINDOW_SECONDS));
        out.println(burner.columns(BURNER_PROC, BURNER_EVENTS));
        out.println();
        out.println(
                "While %d datagrams/s went between two network namespaces (%d s of the last %d: expect %d packets/sec, and magnetd's own):"
                        .formatted(
                                PACKETS_PER_SECOND,
                                inWindow,
                                WINDOW_SECONDS,
                                PACKETS_PER_SECOND * inWindow / WINDOW_SECONDS));
        out.println(stream.columns(STREAM_PROC, STREAM_EVENTS));
        out.println(
                "  gmond counts only packets of its own network namespace, so none of these. The longest time between two"
                        + " datagrams\n  is the pause before the stream began.");
        out.println();
        out.println(
                "While two jobs wanted the same CPU for %d s (magnet's shares are of the last %d s; job 1 is the one that ran longest):"
                        .formatted(phaseSeconds, WINDOW_SECONDS));
        out.println(competing.columns(JOBS_PROC, JOBS_EVENTS));
        out.println(jobs.text(competing.published()));
        out.println();
        out.println("%d of magnet's metrics arrived at gmond, the first %.1f s after magnetd was started."
                .formatted(arrived.size(), seconds));
        out.println(EMULATED);
        out.println("Results: " + results);
    }
}
