// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import magnet.cost.PacedFeed.Pace;
import magnet.metric.Level;
import magnet.publish.ganglia.FakeGmond;

/**
 * Measures what the service costs: time from its start to its first metric, memory, and processor time at rest and
 * under load, at the levels summary and full. It prints the figures, and fails when a cost is above its limit; times by the clock have
 * none. {@code make bench-cost} runs it.
 */
public final class ServiceCost {
    private static final int STARTS = 5;
    /** Others on the machine make the same work cost more time: these are above the aims, 0.3 and 2. */
    private static final double MOST_REST_PERCENT = 1.2;

    private static final double MOST_LOAD_PERCENT = 4;
    private static final double MOST_MIB_SUMMARY = 64;
    private static final double MOST_MIB_FULL = 96;

    private final Path launcher;
    private final Path folder;
    private final int seconds;
    private boolean failed;

    private ServiceCost(Path launcher, Path folder, int seconds) {
        this.launcher = launcher;
        this.folder = folder;
        this.seconds = seconds;
    }

    /** Arguments: the launcher; a folder that exists, for what is made; how many seconds are measured of each. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        ServiceCost cost =
                new ServiceCost(Path.of(arguments[0]), Path.of(arguments[1]), Integer.parseInt(arguments[2]));
        cost.measureStart();
        cost.measure(Level.SUMMARY, MOST_MIB_SUMMARY);
        cost.measure(Level.FULL, MOST_MIB_FULL);
        if (cost.failed) {
            System.err.println("bench-cost: the service costs more than it may");
        }
        System.exit(cost.failed ? 1 : 0);
    }

    private void measureStart() throws IOException, InterruptedException {
        List<Double> starts = new ArrayList<>();
        List<Double> cpu = new ArrayList<>();
        List<Double> java = new ArrayList<>();
        for (int i = 0; i < STARTS; i++) {
            java.add(secondsOfJava());
            try (Run run = new Run(Level.SUMMARY)) {
                starts.add(run.service.startSeconds());
                cpu.add(run.service.startCpuSeconds());
                run.end();
            }
        }
        say(
                "from start to first metric, median of %d: %.2f s, %.2f s of CPU time; java -version: %.2f s",
                STARTS, median(starts), median(cpu), median(java));
    }

    /** Under load first: what it runs often is compiled then, as it is in a service that has run for a while. */
    private void measure(Level level, double mostMiB) throws IOException, InterruptedException {
        say("level %s:", level.key());
        boolean isDefault = level == Level.SUMMARY;
        try (Run run = new Run(level)) {
            run.measure(Pace.LOAD, isDefault ? MOST_LOAD_PERCENT : Double.MAX_VALUE, mostMiB);
            run.measure(Pace.REST, isDefault ? MOST_REST_PERCENT : Double.MAX_VALUE, mostMiB);
            run.end();
        }
    }

    private void check(String figure, double value, double most) {
        boolean good = value <= most;
        failed |= !good;
        String limit = most == Double.MAX_VALUE ? "" : String.format(Locale.ROOT, " (limit %s)", most);
        say("  %s%s%s", figure, limit, good ? "" : "  TOO MUCH");
    }

    private static double secondsOfJava() throws IOException, InterruptedException {
        long began = System.nanoTime();
        new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-version")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        return (System.nanoTime() - began) / 1e9;
    }

    private static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(value -> value).toArray();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void say(String format, Object... values) {
        System.out.printf(Locale.ROOT, format + "%n", values);
    }

    /** A magnetd with what it reads. */
    private final class Run implements AutoCloseable {
        private final FakeGmond gmond = new FakeGmond();
        private final PacedFeed feed;
        private final ServiceProcess service;

        Run(Level level) throws IOException {
            Path buffer = Files.createDirectories(folder.resolve("buffer"));
            try (Stream<Path> pipes = Files.list(buffer)) {
                for (Path pipe : pipes.toList()) {
                    Files.delete(pipe);
                }
            }
            this.feed = new PacedFeed(buffer);
            feed.start();
            this.service = new ServiceProcess(launcher, folder, level, gmond);
        }

        void measure(Pace pace, double mostPercent, double mostMiB) throws IOException, InterruptedException {
            double percent = percent(pace);
            check("%6d events/s: %.2f %% of a core".formatted(pace.perSecond(), percent), percent, mostPercent);
            check("    " + memory(), service.memoryMiB("VmRSS"), mostMiB);
        }

        /** Of one core's time, while so much is logged; what comes before is warm-up. */
        double percent(Pace pace) throws IOException, InterruptedException {
            feed.pace(pace);
            Thread.sleep(1_000L * seconds);
            double cpu = service.cpuSeconds();
            long began = System.nanoTime();
            Thread.sleep(1_000L * seconds);
            return 100 * (service.cpuSeconds() - cpu) / ((System.nanoTime() - began) / 1e9);
        }

        String memory() throws IOException {
            return String.format(
                    Locale.ROOT,
                    "%.1f MiB resident, %.1f of it not of files",
                    service.memoryMiB("VmRSS"),
                    service.memoryMiB("RssAnon"));
        }

        /** It must have read every event. */
        void end() throws IOException, InterruptedException {
            feed.stop();
            long events = service.stop();
            if (events != feed.events()) {
                throw new IOException("magnetd read " + events + " events of " + feed.events());
            }
        }

        @Override
        public void close() throws IOException {
            service.close();
            feed.close();
            gmond.close();
        }
    }
}
