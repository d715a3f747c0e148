// SPDX-License-Identifier: Apache-2.0
package magnet.handler.run;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import magnet.control.HitCounts;
import magnet.control.Selection;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.FakeSource;
import magnet.measure.KernelFacts;
import magnet.measure.PointException;
import magnet.measure.RecordSource;
import magnet.record.ClockModel;
import magnet.record.RecordCursor;
import magnet.record.RecordHandler;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;

/** The module as own handlers see it: it logs what the test says, and judges nothing by rules. Timers count nanoseconds. */
public final class FakeHandlerKernel extends FakeSource implements HandlerKernel {
    public final Map<String, String> refused = new HashMap<>();
    public final Map<Long, String> subscriptions = new ConcurrentHashMap<>();
    public final Map<String, Long> missed = new ConcurrentHashMap<>();
    public final List<String> log = new CopyOnWriteArrayList<>();
    public final AtomicInteger connections = new AtomicInteger();
    private final Deque<RecordWriter> waiting = new ArrayDeque<>();
    private RecordHandler handler = record -> {};
    private int lastEvent = 0x3ff;
    private long lastId;
    /** What is in the buffer when a subscription ends. */
    public volatile RecordWriter stillThere = new RecordWriter();

    /** What is logged as soon as a point is subscribed. */
    public volatile RecordWriter atOnce = new RecordWriter();

    /** What nobody gets before somebody wants to read at once. */
    public volatile RecordWriter waits = new RecordWriter();

    /** What reading ends with, if anything. */
    public volatile Error failure;

    @Override
    public KernelFacts facts() {
        long now = System.nanoTime();
        return new KernelFacts(RecordLayout.WIDE, 1_000_000, new ClockModel(1_000_000, now, now, now), "0.1.0", "fake");
    }

    @Override
    public void createBuffer(long bytes, BooleanSupplier isOver) {
        log.add("buffer");
        closed = false;
    }

    @Override
    public int insert(String name, String definition) throws PointException {
        refuse(definition);
        log.add("insert " + name);
        return ++lastEvent;
    }

    @Override
    public void remove(String name) {
        log.add("remove " + name);
    }

    @Override
    public Subscription subscribe(String point, Selection selection) throws PointException {
        String rules = selection.rules().orElse("");
        refuse(point);
        refuse(rules);
        log.add("+" + point + " '" + rules + "' " + selection.snapBytes().orElse(0));
        subscriptions.put(++lastId, point);
        synchronized (waiting) {
            waiting.add(atOnce);
            atOnce = new RecordWriter();
        }
        return new Subscription(lastId, "");
    }

    private void refuse(String what) throws PointException {
        if (refused.containsKey(what)) {
            throw new PointException(refused.get(what));
        }
    }

    @Override
    public void change(long id, Selection selection) {
        log.add("loosen " + subscriptions.get(id) + " " + selection.snapBytes().orElse(0));
    }

    @Override
    public List<HitCounts> unsubscribe(long id) {
        String point = subscriptions.remove(id);
        log.add("-" + point);
        synchronized (waiting) {
            waiting.add(stillThere);
            stillThere = new RecordWriter();
        }
        return List.of(new HitCounts(0, 7, 5, 2, 0, 0, 0, 0, 0, missed.getOrDefault(point, 0L)));
    }

    @Override
    public Map<Long, HitCounts> counts() {
        Map<Long, HitCounts> counts = new HashMap<>();
        subscriptions.forEach((id, point) ->
                counts.put(id, new HitCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, missed.getOrDefault(point, 0L))));
        return counts;
    }

    @Override
    public RecordSource open(CollectorSettings settings, RecordHandler recordHandler) {
        handler = recordHandler;
        return this;
    }

    /** Logs these. */
    public void log(RecordWriter records) {
        synchronized (waiting) {
            waiting.add(records);
        }
        wake();
    }

    @Override
    public int doWork(int longestWaitMillis) {
        if (failure != null) {
            throw failure;
        }
        return super.doWork(longestWaitMillis);
    }

    @Override
    public int readNow() {
        synchronized (waiting) {
            waiting.add(waits);
            waits = new RecordWriter();
        }
        return drain();
    }

    @Override
    public int drain() {
        int handed = 0;
        while (true) {
            RecordWriter records;
            synchronized (waiting) {
                records = waiting.poll();
            }
            if (records == null) {
                return handed;
            }
            handed += new RecordCursor(RecordLayout.WIDE)
                    .wrap(records.buffer(), 0, records.size())
                    .forEach(handler);
        }
    }
}
