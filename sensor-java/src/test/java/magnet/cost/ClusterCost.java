// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import magnet.metric.Metrics;
import magnet.publish.ganglia.SimulatedNode;

/**
 * Measures what one gmond and one gmetad spend on the packets of many nodes, and whether they have all of them. It prints a
 * line {@code nodes,figure,value} for each figure, and judges nothing. It has to be in a network namespace of its own, whose
 * counters it reads. {@code make bench-cluster} runs it.
 */
public final class ClusterCost {
    private static final int GMOND_PORT = 8649;
    /** All nodes have published at least once before gmetad asks. */
    private static final int ALONE_SECONDS = 7;
    /** After this only values are sent, and metadata once a minute. */
    private static final int WARM_UP_SECONDS = 18;

    private static final int FIRST_POLL_SECONDS = 60;
    private static final int START_SECONDS = 10;
    private static final int DRAIN_SECONDS = 10;
    private static final long LOOK_MILLIS = 20;
    /** gmond shows what it has read a moment later. */
    private static final long SHOWN_MILLIS = 500;

    private final Path layer;
    private final Path folder;
    private final int seconds;
    private final int size;
    private final GangliaDaemon gmond;

    private ClusterCost(Path layer, Path folder, Path preload, int seconds, int size) throws IOException {
        this.layer = layer;
        this.folder = folder;
        this.seconds = seconds;
        this.size = size;
        this.gmond = new GangliaDaemon(layer, folder.resolve("gmond.conf"), Optional.of(preload));
    }

    /**
     * Arguments: folder with the unpacked daemons; a folder with gmond.conf, with gmetad.conf, whose RRD files go to its folder
     * "rrds", and with the same of a gmetad above it in a folder "above"; a library to preload into gmond; how many seconds
     * are measured; and how many nodes.
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        new ClusterCost(
                        Path.of(arguments[0]),
                        Path.of(arguments[1]),
                        Path.of(arguments[2]),
                        Integer.parseInt(arguments[3]),
                        Integer.parseInt(arguments[4]))
                .measure();
    }

    private void measure() throws IOException, InterruptedException {
        try (gmond) {
            awaitGmond();
            UdpFigures before = UdpFigures.now();
            try (ClusterWatch watch = new ClusterWatch(GMOND_PORT);
                    SimulatedCluster cluster = new SimulatedCluster(size, GMOND_PORT)) {
                TimeUnit.SECONDS.sleep(ALONE_SECONDS);
                polled(cluster, watch, before);
            }
        }
    }

    private void polled(SimulatedCluster cluster, ClusterWatch watch, UdpFigures before)
            throws IOException, InterruptedException {
        try (GangliaDaemon gmetad = gmetad(folder)) {
            watch.watch(gmetad.figures());
            TimeUnit.SECONDS.sleep(WARM_UP_SECONDS - ALONE_SECONDS);
            awaitPoll(watch);
            try (GangliaDaemon above = gmetad(folder.resolve("above"))) {
                Instant began = Instant.now().truncatedTo(ChronoUnit.SECONDS);
                steady(new Costs.Of(cluster, watch, gmond.figures(), gmetad.figures(), above.figures()));
                cluster.stop();
                awaitDrained();
                arrived(cluster, before);
                tell("steady_waiting_bytes", watch.takeMostWaiting());
                files("rrd", folder, began);
                files("above_rrd", folder.resolve("above"), began);
            }
        }
    }

    private GangliaDaemon gmetad(Path where) throws IOException {
        return new GangliaDaemon(layer, where.resolve("gmetad.conf"), Optional.empty(), "-d", "1");
    }

    private void awaitGmond() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            gmond.figures();
            try {
                ShownCluster.ask(GMOND_PORT);
                return;
            } catch (IOException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    /** The first one makes the files. */
    private static void awaitPoll(ClusterWatch watch) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(FIRST_POLL_SECONDS);
        while (watch.polls() == 0) {
            if (System.nanoTime() - end > 0) {
                throw new IOException("gmetad has polled nothing");
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private static void awaitDrained() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
        while (UdpFigures.waitingBytes(GMOND_PORT) > 0 && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        TimeUnit.MILLISECONDS.sleep(SHOWN_MILLIS);
    }

    /** What the figures grow by while nothing starts or ends. */
    private void steady(Costs.Of all) throws IOException, InterruptedException {
        tell("starting_waiting_bytes", all.watch().takeMostWaiting());
        Costs from = Costs.now(all);
        TimeUnit.SECONDS.sleep(seconds);
        Costs to = Costs.now(all);
        tell("metrics", Metrics.DEFAULT.size());
        tell("seconds", difference(from, to, Costs::seconds));
        tell("values", difference(from, to, Costs::values));
        tell("metadata", difference(from, to, Costs::metadata));
        tell("bytes", difference(from, to, Costs::bytes));
        tell("gmond_cpu_seconds", difference(from, to, Costs::gmond));
        tell("gmond_receiving_cpu_seconds", difference(from, to, Costs::receiving));
        tell("gmetad_cpu_seconds", difference(from, to, Costs::gmetad));
        tell("gmetad_polling_cpu_seconds", difference(from, to, Costs::polling));
        tell("above_cpu_seconds", difference(from, to, Costs::above));
        tell("polls", difference(from, to, Costs::polls));
        tell("poll_seconds", difference(from, to, Costs::pollSeconds));
        tell("longest_poll_seconds", all.watch().longestPollSeconds());
        tell("gmond_mib", all.gmond().memoryMiB("VmRSS"));
        tell("gmetad_mib", all.gmetad().memoryMiB("VmRSS"));
        tell("above_mib", all.above().memoryMiB("VmRSS"));
    }

    /** What has become of all packets since the start. */
    private void arrived(SimulatedCluster cluster, UdpFigures before) throws IOException {
        UdpFigures after = UdpFigures.now();
        tell("sent", cluster.sum(SimulatedNode::values) + cluster.sum(SimulatedNode::metadata));
        tell("send_errors", cluster.sum(SimulatedNode::errors));
        tell("left", after.sent() - before.sent());
        tell("received", after.received() - before.received());
        tell("overflowed", after.overflowed() - before.overflowed());
        tell("socket_drops", UdpFigures.drops(GMOND_PORT));
        ShownCluster shown = ShownCluster.ask(GMOND_PORT);
        tell("xml_bytes", shown.bytes());
        tell("xml_seconds", shown.seconds());
        tell("shown", shown.size());
        tell("wrong", shown.wrong(cluster.nodes()));
    }

    /** Those that nothing has been written to since then are stale. */
    private void files(String name, Path where, Instant began) throws IOException {
        try (Stream<Path> files = Files.walk(where.resolve("rrds"))) {
            List<Path> rrds = files.filter(Files::isRegularFile).toList();
            long stale = 0;
            for (Path rrd : rrds) {
                stale += RrdFile.updated(rrd).isBefore(began) ? 1 : 0;
            }
            tell(name + "_files", rrds.size());
            tell(name + "_stale", stale);
        }
    }

    private static double difference(Costs from, Costs to, ToDoubleFunction<Costs> figure) {
        return figure.applyAsDouble(to) - figure.applyAsDouble(from);
    }

    private void tell(String figure, long value) {
        System.out.printf(Locale.ROOT, "%d,%s,%d%n", size, figure, value);
    }

    private void tell(String figure, double value) {
        System.out.printf(Locale.ROOT, "%d,%s,%.3f%n", size, figure, value);
    }

    /** Everything that grows, at one instant. */
    private record Costs(
            double seconds,
            long values,
            long metadata,
            long bytes,
            double gmond,
            double receiving,
            double gmetad,
            double polling,
            double above,
            int polls,
            double pollSeconds) {
        /** What is measured. */
        record Of(
                SimulatedCluster cluster,
                ClusterWatch watch,
                ProcessFigures gmond,
                ProcessFigures gmetad,
                ProcessFigures above) {}

        static Costs now(Of all) throws IOException {
            return new Costs(
                    System.nanoTime() / 1e9,
                    all.cluster.sum(SimulatedNode::values),
                    all.cluster.sum(SimulatedNode::metadata),
                    all.cluster.sum(SimulatedNode::bytes),
                    all.gmond.cpuSeconds(),
                    all.gmond.firstThreadCpuSeconds(),
                    all.gmetad.cpuSeconds(),
                    all.gmetad.busiestOtherThreadCpuSeconds(),
                    all.above.cpuSeconds(),
                    all.watch.polls(),
                    all.watch.pollSeconds());
        }
    }
}
