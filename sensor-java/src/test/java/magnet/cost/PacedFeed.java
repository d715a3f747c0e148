// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import magnet.hotpath.BusyMachine;
import magnet.magnetfs.BufferDirectory;
import magnet.testing.Fifo;

/**
 * Logs what a {@link BusyMachine} does into a pipe for each CPU, as it happens: so many events a second by the clock, whose
 * time is their timer. A thread of its own writes whole batches, when the module would say that there is enough to read:
 * after {@code watermark} bytes or {@code max-read-timeout}. A reader that is late gets all of it later.
 */
final class PacedFeed implements AutoCloseable {
    /** What is logged, and how often a reader is woken. */
    enum Pace {
        /** A machine that does nothing: its own clocks and daemons. Its readers wait for max-read-timeout, 250 ms. */
        REST(200, 250),
        /** Little enough that a watermark of 32 KiB would take longer than max-read-timeout. */
        CALM(10_000, 250),
        /** Four CPUs of 25,000 events of 40 bytes: a watermark of 32 KiB is reached after so many milliseconds. */
        LOAD(100_000, 32),
        /** Ten times as many. Where the machine has too little time for it, as many as are logged and read. */
        FLOOD(1_000_000, 3);

        private final int perSecond;
        private final int batchMillis;

        Pace(int perSecond, int batchMillis) {
            this.perSecond = perSecond;
            this.batchMillis = batchMillis;
        }

        /** Events in a second. */
        int perSecond() {
            return perSecond;
        }
    }

    static final int CPUS = 4;

    /** Longer than the collector's hold-back: what it reads it can hand on. */
    private static final long HELD_NANOS = 3_000_000;

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final int MOST_EVENTS = 16_384;

    private final Fifo[] files = new Fifo[CPUS];
    private final boolean jobs;
    private final Fifo ready;
    private final ByteBuffer[] buffers = new ByteBuffer[CPUS];
    private final Thread thread = new Thread(this::run, "feed");
    private volatile Pace pace = Pace.REST;
    private volatile boolean stopped;
    private final AtomicLong events = new AtomicLong();

    /**
     * @param folder gets the pipes: those of the CPUs, named as the module's data files are, and one named "ready", which gets a
     *     byte when there is enough to read in all of them
     * @param jobs whether processes belong to jobs that come and go
     */
    PacedFeed(Path folder, boolean jobs) throws IOException {
        this.jobs = jobs;
        BufferDirectory directory = new BufferDirectory(folder);
        for (int cpu = 0; cpu < CPUS; cpu++) {
            files[cpu] = Fifo.create(directory.cpuFile(cpu));
            buffers[cpu] = BusyMachine.room(MOST_EVENTS);
        }
        ready = Fifo.create(folder.resolve("ready"));
    }

    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Goes on at another pace. */
    void pace(Pace other) {
        pace = other;
    }

    /** Events that were logged so far. */
    long events() {
        return events.get();
    }

    /** Logs nothing any more. */
    void stop() throws InterruptedException {
        stopped = true;
        thread.join();
    }

    private void run() {
        try {
            for (Pace now = pace; !stopped; now = pace) {
                feed(now);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void feed(Pace now) throws IOException, InterruptedException {
        long batch = TimeUnit.MILLISECONDS.toNanos(now.batchMillis);
        long end = System.nanoTime();
        BusyMachine machine = new BusyMachine(1, CPUS, (int) (NANOS_PER_SECOND / now.perSecond), end);
        if (jobs) {
            machine.withJobsThatEnd();
        }
        while (!stopped && pace == now) {
            end += batch;
            sleepUntil(end + HELD_NANOS);
            int logged = 0;
            while (machine.timer() < end && logged < MOST_EVENTS) {
                machine.log(buffers);
                logged++;
            }
            write();
            events.addAndGet(logged);
        }
    }

    /** When all was read: a write that fits is seen as a whole, one that does not would let a reader see half a record. */
    private void write() throws IOException, InterruptedException {
        for (Fifo file : files) {
            while (!file.isEmpty() && !stopped) {
                Thread.sleep(1);
            }
        }
        for (int cpu = 0; cpu < CPUS; cpu++) {
            files[cpu].write(buffers[cpu], buffers[cpu].position());
            buffers[cpu].clear();
        }
        ready.write(new byte[1]);
    }

    private static void sleepUntil(long nanos) throws InterruptedException {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }

    @Override
    public void close() throws IOException {
        stopped = true;
        for (Fifo file : files) {
            file.close();
        }
        ready.close();
    }
}
