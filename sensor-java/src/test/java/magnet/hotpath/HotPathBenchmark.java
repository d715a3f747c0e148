// SPDX-License-Identifier: Apache-2.0
package magnet.hotpath;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * How many events a second one core takes from the CPUs' files to the metrics. {@code make bench-service} runs it: it
 * prints the rate by the clock and by the processor's time of the thread, and fails when anything is allocated for events.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@State(Scope.Thread)
public class HotPathBenchmark {
    /** A batch may cost a little that is no event's; an object for each event would be 16 bytes. */
    private static final double MOST_BYTES = 0.001;

    /** What the thread spent in what is measured. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Spent {
        public long events;
        public long cpuNanos;
        public long allocatedBytes;
    }

    @Param({"SUMMARY", "FULL"})
    public String level;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private Path folder;
    private HotPath path;

    @Setup(Level.Trial)
    public void open() throws IOException {
        folder = Files.createTempDirectory("magnet-hot-path");
        path = HotPath.at(folder, level);
    }

    @Setup(Level.Invocation)
    public void log() throws IOException {
        path.log();
    }

    @Benchmark
    @OperationsPerInvocation(HotPath.BATCH)
    public long summarise(Spent spent) throws IOException {
        long cpu = threads.getCurrentThreadCpuTime();
        long allocated = threads.getCurrentThreadAllocatedBytes();
        long handed = path.run();
        spent.allocatedBytes += threads.getCurrentThreadAllocatedBytes() - allocated;
        spent.cpuNanos += threads.getCurrentThreadCpuTime() - cpu;
        spent.events += handed;
        return handed;
    }

    @TearDown(Level.Iteration)
    public void closeWindow() {
        path.closeWindow();
    }

    @TearDown(Level.Trial)
    public void close() throws IOException {
        path.close();
        for (int cpu = 0; cpu < HotPath.CPUS; cpu++) {
            Files.delete(folder.resolve("cpu" + cpu));
        }
        Files.delete(folder);
    }

    /** Runs it, with options of JMH, and prints what it came to; ends with 1 if events cost memory. */
    public static void main(String[] arguments) throws RunnerException, CommandLineOptionException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .parent(new CommandLineOptions(arguments))
                        .include(HotPathBenchmark.class.getSimpleName())
                        .build())
                .run();
        boolean clean = true;
        for (RunResult result : results) {
            double events = spent(result, "events");
            double bytes = spent(result, "allocatedBytes") / events;
            System.out.printf(
                    Locale.ROOT,
                    "level %-8s %6.1f million events/s by the clock, %6.1f by the thread's CPU time, %.6f bytes/event%n",
                    result.getParams().getParam("level").toLowerCase(Locale.ROOT),
                    1e3 / result.getPrimaryResult().getScore(),
                    1e3 * events / spent(result, "cpuNanos"),
                    bytes);
            clean &= bytes < MOST_BYTES;
        }
        if (!clean || results.isEmpty()) {
            System.err.println("bench-service: memory is allocated for events");
            System.exit(1);
        }
    }

    private static double spent(RunResult result, String what) {
        return result.getSecondaryResults().get(what).getScore();
    }
}
