// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import magnet.config.MagnetConfig;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.handler.run.HandlerKernel;
import magnet.magnetfs.CollectorCounter;
import magnet.measure.KernelFacts;
import magnet.measure.RecordSource;
import magnet.os.MonotonicClock;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;

/**
 * magnetd without a module: it starts, publishes once what is made of no events, and ends as if the module had been
 * unloaded. magnet-class-archive lets it run to see which classes a run needs.
 */
public final class Rehearsal {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private Rehearsal() {}

    /** Takes magnetd's options; ends with its exit codes. */
    public static void main(String[] arguments) {
        System.exit(new Magnetd(Rehearsal::connect).commandLine().execute(arguments));
    }

    private static SensorKernel connect(MagnetConfig config) {
        try {
            NetlinkKernel.connect().close();
        } catch (ServiceException e) {
            // As a rule there is none; its classes have been loaded all the same.
        }
        return new NoKernel();
    }

    /** Has every point, and no events. */
    private static final class NoKernel implements SensorKernel {
        private final ClockModel clock = new ClockModel(1_000_000, 0, 0, 0);

        @Override
        public KernelFacts facts() {
            return new KernelFacts(RecordLayout.WIDE, 1_000_000, clock, "-", "a rehearsal");
        }

        @Override
        public Map<Integer, String> dropReasons() {
            return Map.of();
        }

        @Override
        public int createBuffer(long bytes) {
            return 1;
        }

        @Override
        public Subscription subscribe(String point, Selection selection) {
            return new Subscription(1, "");
        }

        @Override
        public List<HitCounts> unsubscribe(long id) {
            return List.of();
        }

        @Override
        public RecordSource open(MagnetConfig config, RecordHandler handler) {
            return new NoRecords();
        }

        @Override
        public HandlerKernel connectHandlers() {
            throw new UnsupportedOperationException("own handlers in a rehearsal");
        }

        @Override
        public void close() {
            // There is nothing.
        }
    }

    /** Waits, and ends. */
    private static final class NoRecords implements RecordSource {
        private final long began = MonotonicClock.SYSTEM.nanos();
        private volatile boolean stopped;

        @Override
        public int doWork(int longestWaitMillis) {
            try {
                TimeUnit.MILLISECONDS.sleep(Math.min(longestWaitMillis, 100));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return 0;
        }

        @Override
        public int readNow() {
            return 0;
        }

        @Override
        public void catchUp() {
            // Nothing comes.
        }

        @Override
        public long ringBytes() {
            return 0;
        }

        @Override
        public int drain(long ringBytes) {
            return 0;
        }

        @Override
        public void stop() {
            stopped = true;
        }

        @Override
        public boolean hasEnded() {
            return stopped || MonotonicClock.SYSTEM.nanos() - began > LONGEST_NANOS;
        }

        @Override
        public long count(CollectorCounter counter) {
            return 0;
        }

        @Override
        public long takeLongestCycle() {
            return 0;
        }

        @Override
        public long takeLongestAway() {
            return 0;
        }

        @Override
        public void close() {
            // There is nothing.
        }
    }
}
