// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import magnet.cost.PacedFeed.Pace;
import magnet.metric.Level;
import magnet.publish.ganglia.FakeGmond;

/**
 * Measures what the service costs: time from its start to its first metric, and at several rates of events memory, processor
 * time, what it allocates and how long it stands still to collect garbage. {@code make bench-cost} runs it, and
 * {@code integration-tests/bench/cost.awk} makes tables of what it writes:
 *
 * <pre>
 *   starts.csv  run,seconds,cpu_seconds,java_seconds: to the first metric; and what "java -version" takes
 *   rates.csv   level (jobs is summary with jobs that come and go),wanted,events,seconds,cpu_seconds,rss_mib,anon_mib,allocated_per_s: empty where it is not known
 *   pauses.csv  level,wanted,ms: each pause
 * </pre>
 */
public final class ServiceCost {
    private static final int STARTS = 5;
    private final Path launcher;
    private final Path folder;
    private final int seconds;

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
        try (PrintWriter rates = cost.file("rates.csv");
                PrintWriter pauses = cost.file("pauses.csv")) {
            rates.println("level,wanted,events,seconds,cpu_seconds,rss_mib,anon_mib,allocated_per_s");
            pauses.println("level,wanted,ms");
            // Under load first: what it runs often is compiled then, as it is in a service that has run for a while.
            cost.measure(Level.SUMMARY, false, List.of(Pace.LOAD, Pace.CALM, Pace.REST, Pace.FLOOD), rates, pauses);
            cost.measure(Level.SUMMARY, true, List.of(Pace.LOAD, Pace.REST), rates, pauses);
            cost.measure(Level.FULL, false, List.of(Pace.LOAD, Pace.REST), rates, pauses);
        }
        System.exit(0);
    }

    private PrintWriter file(String name) throws IOException {
        return new PrintWriter(Files.newBufferedWriter(folder.resolve(name)));
    }

    private void measureStart() throws IOException, InterruptedException {
        try (PrintWriter starts = file("starts.csv")) {
            starts.println("run,seconds,cpu_seconds,java_seconds");
            for (int i = 1; i <= STARTS; i++) {
                double java = secondsOfJava();
                try (Run run = new Run(Level.SUMMARY, false)) {
                    print(
                            starts,
                            "%d,%.3f,%.2f,%.3f",
                            i,
                            run.service.startSeconds(),
                            run.service.startCpuSeconds(),
                            java);
                    run.end();
                }
            }
        }
    }

    private void measure(Level level, boolean jobs, List<Pace> paces, PrintWriter rates, PrintWriter pauses)
            throws IOException, InterruptedException {
        try (Run run = new Run(level, jobs)) {
            for (Pace pace : paces) {
                run.measure(pace, (jobs ? "jobs" : level.key()) + "," + pace.perSecond(), rates, pauses);
            }
            run.end();
        }
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

    private static void print(PrintWriter to, String format, Object... values) {
        to.printf(Locale.ROOT, format + "%n", values);
    }

    /** A magnetd with what it reads. */
    private final class Run implements AutoCloseable {
        private final FakeGmond gmond = new FakeGmond();
        private final PacedFeed feed;
        private final ServiceProcess service;

        Run(Level level, boolean jobs) throws IOException {
            Path buffer = Files.createDirectories(folder.resolve("buffer"));
            try (Stream<Path> pipes = Files.list(buffer)) {
                for (Path pipe : pipes.toList()) {
                    Files.delete(pipe);
                }
            }
            this.feed = new PacedFeed(buffer, jobs);
            feed.start();
            this.service = new ServiceProcess(launcher, folder, level, jobs, gmond);
        }

        /** What it costs while so much is logged; as long before that is warm-up, but for what is allocated. */
        void measure(Pace pace, String row, PrintWriter rates, PrintWriter pauses)
                throws IOException, InterruptedException {
            feed.pace(pace);
            long paced = System.nanoTime();
            Thread.sleep(1_000L * seconds);
            long events = feed.events();
            double cpu = service.cpuSeconds();
            long began = System.nanoTime();
            Thread.sleep(1_000L * seconds);
            cpu = service.cpuSeconds() - cpu;
            events = feed.events() - events;
            double lasted = (System.nanoTime() - began) / 1e9;
            List<GcLog.Collection> collections = since(paced, service.collections());
            print(
                    rates,
                    "%s,%d,%.3f,%.2f,%.1f,%.1f,%s",
                    row,
                    events,
                    lasted,
                    cpu,
                    service.memoryMiB("VmRSS"),
                    service.memoryMiB("RssAnon"),
                    allocated(collections));
            since(began, collections).forEach(each -> print(pauses, "%s,%.3f", row, each.pauseMillis()));
        }

        private static String allocated(List<GcLog.Collection> collections) {
            double bytes = GcLog.allocatedPerSecond(collections);
            return Double.isNaN(bytes) ? "" : String.format(Locale.ROOT, "%.0f", bytes);
        }

        private static List<GcLog.Collection> since(long nanos, List<GcLog.Collection> collections) {
            return collections.stream().filter(each -> each.endNanos() >= nanos).toList();
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
