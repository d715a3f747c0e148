// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import magnet.config.MagnetConfig;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.handler.run.FakeHandlerKernel;
import magnet.handler.run.HandlerKernel;
import magnet.job.JobNames;
import magnet.machine.UnwatchedJobs;
import magnet.measure.FakeSource;
import magnet.measure.KernelFacts;
import magnet.measure.PointException;
import magnet.measure.RecordSource;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;

/** A module of two CPUs that has what the test says, and logs when the test says. Its timers count nanoseconds. */
public final class FakeKernel extends FakeSource implements SensorKernel {
    public final Map<String, String> missing = new HashMap<>();
    public final Map<String, String> gaps = new HashMap<>();
    final Map<Long, String> subscriptions = new ConcurrentHashMap<>();
    public final List<String> log = new ArrayList<>();
    final AtomicInteger execs = new AtomicInteger();
    Map<Integer, String> dropReasons = Map.of(2, "NOT_SPECIFIED", 3, "NO_SOCKET");
    Optional<UnwatchedJobs> unwatchedJobs = Optional.empty();
    RecordLayout layout = RecordLayout.WIDE;
    final FakeHandlerKernel handlers = new FakeHandlerKernel();
    public OptionalLong missed = OptionalLong.empty();
    volatile Doubts doubts = Doubts.NONE;
    /** Events that are logged as soon as their point is subscribed. */
    public int execsAtOnce;

    /** Each request to subscribe takes one. */
    final Semaphore answers = new Semaphore(1_000_000);

    /** Events that nobody gets before somebody wants to read at once. */
    public final AtomicInteger execsThatWait = new AtomicInteger();

    /** Whoever wants to end a window takes one. */
    final Semaphore doubtsToTell = new Semaphore(1_000_000);

    /** Who reads. */
    volatile Thread reader = Thread.currentThread();

    /** How often somebody waited for records. */
    final AtomicInteger waits = new AtomicInteger();

    /** How often that was without a wait. */
    final AtomicInteger looks = new AtomicInteger();

    /** How often somebody wanted to read at once: before the end of each window. */
    final AtomicInteger reads = new AtomicInteger();

    boolean taken;
    private RecordHandler handler = record -> {};
    private int delivered;
    private long lastId;

    @Override
    public KernelFacts facts() {
        long now = System.nanoTime();
        return new KernelFacts(layout, 1_000_000, new ClockModel(1_000_000, now, now, now), "0.1.0", "fake");
    }

    @Override
    public Map<Integer, String> dropReasons() {
        return dropReasons;
    }

    @Override
    public Optional<UnwatchedJobs> unwatchedJobs(JobNames names) {
        return unwatchedJobs;
    }

    @Override
    public int createBuffer(long bytes) throws ServiceException {
        if (taken) {
            throw new ServiceException(ExitCode.ALREADY_RUNNING, "taken");
        }
        return 2;
    }

    @Override
    public Subscription subscribe(String point, Selection selection) throws PointException {
        if (missing.containsKey(point)) {
            throw new PointException(missing.get(point));
        }
        answers.acquireUninterruptibly();
        long id = ++lastId;
        subscriptions.put(id, point);
        execs.addAndGet(point.equals("sched_process_exec") ? execsAtOnce : 0);
        log.add("+" + point);
        return new Subscription(id, gaps.getOrDefault(point, ""));
    }

    @Override
    public List<HitCounts> unsubscribe(long id) {
        String point = subscriptions.remove(id);
        log.add("-" + point);
        boolean exec = point.equals("sched_process_exec");
        long hits = exec ? execs.get() : 0;
        long unseen = point.equals("major_fault") ? missed.orElse(0) : 0;
        return List.of(new HitCounts(0, hits, hits, 0, 0, 0, 0, 0, 0, unseen));
    }

    @Override
    public Map<Long, HitCounts> counts() {
        Map<Long, HitCounts> counts = new HashMap<>();
        subscriptions.forEach((id, point) -> {
            if (point.equals("major_fault") && missed.isPresent()) {
                counts.put(id, new HitCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, missed.getAsLong()));
            }
        });
        return counts;
    }

    @Override
    public Doubts doubts() {
        doubtsToTell.acquireUninterruptibly();
        return doubts;
    }

    @Override
    public RecordSource open(MagnetConfig config, RecordHandler recordHandler) {
        handler = recordHandler;
        return this;
    }

    @Override
    public HandlerKernel connectHandlers() {
        handlers.connections.incrementAndGet();
        return handlers;
    }

    /** Logs so many exec events on CPU 0. */
    public void exec(int count) {
        execs.addAndGet(count);
        wake();
    }

    /** Removes the buffer, as {@code magnet unload} does. */
    void unload() {
        ended = true;
        wake();
    }

    /** Hands nothing on: all is there until somebody wants it at once. */
    @Override
    public int doWork(int longestWaitMillis) {
        waits.incrementAndGet();
        looks.addAndGet(longestWaitMillis == 0 ? 1 : 0);
        reader = Thread.currentThread();
        awaitWork(longestWaitMillis);
        return 0;
    }

    @Override
    public int readNow() {
        reads.incrementAndGet();
        execs.addAndGet(execsThatWait.getAndSet(0));
        return drain();
    }

    @Override
    public int drain() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
        RecordFlyweight record = new RecordFlyweight(RecordLayout.WIDE);
        int handed = 0;
        for (; delivered < execs.get(); delivered++, handed++) {
            buffer.putInt(0, 40)
                    .putShort(6, (short) EventType.SCHED_PROCESS_EXEC.id())
                    .putLong(24, System.nanoTime());
            handler.onRecord(record.wrap(buffer, 0));
        }
        return handed;
    }
}
