// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordBatch;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;

/**
 * Turns records into metrics over a trailing window.
 *
 * <p>Records come in the order of their timers, over all CPUs, but for late ones. What a record says is counted when it
 * is handed over, and an interval when it ends; the window ends when {@link #closeWindow} is called, and its length is
 * measured. After a LOST record no interval that may span the loss is measured: on the CPU that lost, slices and
 * interrupt handlers; on all CPUs, waits, journeys and the inter-arrival time, since the event that would have ended or
 * restarted them may have been on it. These are dropped and counted. A gap of bytes that are no record does the same.
 *
 * <p>For one thread. {@link #onRecord} allocates nothing.
 */
public final class EventSummary implements RecordHandler {
    /** The block of ids of what the sensor itself has to say. */
    private static final int SENSOR_BEGIN = EventType.CORRELATED.id();

    private static final long NO_TIMER = 0;

    private final int slots;
    private final Machine machine;
    private WindowClock clock;
    private final ClockModel clockModel;
    private final Quality quality;
    private final EventCounts counts;
    private final Handlers handlers;
    private SensorSummary sensor;
    private long newestTimer;
    /** Whether the clock model is that of the newest timer: not between a new epoch and its first CLOCK record. */
    private boolean clockKnown = true;

    private long lost;
    private long jumps;
    private long[] lostByCpu;

    /**
     * @param setup sizes and clocks
     * @param nowNanos monotonic time at which the first window begins
     */
    public EventSummary(SummarySetup setup, long nowNanos) {
        this.slots = setup.slots();
        this.machine = setup.machine();
        this.clock = new WindowClock(slots, nowNanos);
        this.clockModel = setup.clockModel();
        this.quality = new Quality(setup.slots());
        this.counts = new EventCounts(setup.cpus());
        this.handlers = new Handlers(setup, quality);
        this.sensor = new SensorSummary(slots, 0);
        this.lostByCpu = new long[setup.cpus()];
    }

    /**
     * Lets the first window begin now, later than at the constructor: for a source that gives records while it is being
     * prepared. To be called before {@link #use}. What came before is counted since start and is in no window.
     *
     * @param nowNanos monotonic time, of the clock that the constructor was given
     */
    public void begin(long nowNanos) {
        clock = new WindowClock(slots, nowNanos);
        sensor = new SensorSummary(slots, counts.total());
        jumps = 0;
    }

    /**
     * Computes these metrics from now on, and no others. Best right after a window was closed: the window of what is new
     * begins now.
     *
     * @param nowNanos monotonic time, of the clock that the constructor was given
     */
    public void use(List<Metric> metrics, long nowNanos) {
        handlers.use(metrics, Map.of(), nowNanos);
    }

    /** The same where what takes long has been done before. */
    public void use(List<Metric> metrics, Preparation preparation, long nowNanos) {
        handlers.use(metrics, preparation.made, nowNanos);
    }

    /** Begins to prepare for other metrics than there are now. Until they are used nothing else is. */
    public Preparation preparation() {
        return new Preparation();
    }

    /** What takes long of {@link #use}: to ask the machine, and to make handlers, whose classes may have to be loaded. */
    public final class Preparation {
        private final Set<Enum<?>> there = handlers.there();
        private Map<Enum<?>, BuiltInHandler> made = Map.of();

        private Preparation() {}

        /** Prepares for these metrics, on any thread. */
        public void make(List<Metric> metrics) {
            machine.lookAround();
            made = handlers.make(metrics, there);
        }
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int event = record.event();
        newestTimer = Math.max(newestTimer, record.timer());
        if (event >= SENSOR_BEGIN && isSensors(event, record)) {
            return;
        }
        counts.count(record.cpu(), event);
        handlers.onRecord(event, record);
    }

    @Override
    public void onGap(int cpu) {
        handlers.onLost(cpu, newestTimer, newestTimer);
    }

    /** The records that follow are compared with none before: their timers may be any. */
    @Override
    public void onNewEpoch(int cpus) {
        for (int cpu = 0; cpu < cpus; cpu++) {
            handlers.onLost(cpu, newestTimer, newestTimer);
        }
        newestTimer = NO_TIMER;
        clockKnown = false;
        jumps++;
        sensor.onJump();
        handlers.onNewEpoch();
    }

    @Override
    public void onRecords(RecordBatch records) {
        handlers.begin(records);
        int size = records.size();
        for (int i = 0; i < size; i++) {
            long place = records.place(i);
            int event = RecordBatch.event(place);
            if (event < SENSOR_BEGIN || !isSensors(event, records.at(place))) {
                counts.count(RecordBatch.cpu(place), event);
                handlers.putOff(event, place);
            }
        }
        handlers.catchUp();
        newestTimer = Math.max(newestTimer, records.newestTimer());
    }

    /** Takes in what the sensor itself has to say; gives whether it is that. */
    private boolean isSensors(int event, RecordFlyweight record) {
        EventType type = EventType.ofId(event);
        if (type == EventType.LOST) {
            onLost(record, Payload.LOST_COUNT_OFFSET, Payload.LOST_FIRST_TIMER_OFFSET);
        } else if (type == EventType.CLOCK) {
            clockKnown = true;
        } else if (type == EventType.STORM) {
            onLost(record, Payload.STORM_REFUSED_OFFSET, Payload.STORM_FIRST_TIMER_OFFSET);
        }
        return type != null;
    }

    /**
     * Takes note of how far behind the records are. To be called after a batch of them.
     *
     * @param nowNanos CLOCK_MONOTONIC
     */
    public void noteLag(long nowNanos) {
        if (counts.total() > 0 && newestTimer != NO_TIMER && clockKnown) {
            sensor.onLag(nowNanos - clockModel.monotonicNs(newestTimer));
        }
    }

    /**
     * Takes note of what was counted where the records are read.
     *
     * @param metric one of {@link magnet.metric.SensorMetrics#OF_READING}
     * @param sinceStart what it has come to since start
     */
    public void noteTotal(Metric metric, long sinceStart) {
        sensor.onTotal(metric, sinceStart);
    }

    /**
     * The same before the first window, which has none of it. To be called after {@link #begin}.
     *
     * @param metric as there
     * @param sinceStart what it has come to since start
     */
    public void startTotal(Metric metric, long sinceStart) {
        sensor.startTotal(metric, sinceStart);
    }

    /**
     * Takes note of how long the collector was busy.
     *
     * @param nanos the longest cycle since the last time
     */
    public void noteCycle(long nanos) {
        sensor.onCycle(nanos);
    }

    /**
     * Takes note of how long the collector was away from its files.
     *
     * @param nanos the longest since the last time
     */
    public void noteAway(long nanos) {
        sensor.onAway(nanos);
    }

    /**
     * Takes note of how long the end of a window took.
     *
     * @param nanos until what it came to was handed over
     */
    public void noteClosing(long nanos) {
        sensor.onClosing(nanos);
    }

    /**
     * Ends the window, gives its metrics, and begins the next slot. Asks the machine for what it has to be asked for, which may
     * take long: for who has nothing to read meanwhile.
     *
     * @param nowNanos monotonic time, of the clock that the constructor was given
     * @param taken the same instant on the wall clock
     * @param metrics what to give; of what {@link #use} was not told there is nothing to give
     * @param others puts in what is not made of records
     */
    public MetricSnapshot closeWindow(
            long nowNanos, Instant taken, List<Metric> metrics, Consumer<MetricSnapshot.Builder> others) {
        MetricSnapshot.Builder snapshot = endWindow(nowNanos, taken, metrics);
        others.accept(snapshot);
        return snapshot.build();
    }

    /**
     * Ends the window and begins the next slot, without a look at the machine. That is done when the snapshot is built, which
     * may be on another thread, one snapshot after the other.
     *
     * @param nowNanos monotonic time, of the clock that the constructor was given
     * @param taken the same instant on the wall clock
     * @param metrics what to give; of what {@link #use} was not told there is nothing to give
     */
    public MetricSnapshot.Builder endWindow(long nowNanos, Instant taken, List<Metric> metrics) {
        MetricSnapshot.Builder snapshot = MetricSnapshot.of(taken, clock.close(nowNanos) / 1e9, metrics);
        handlers.close(snapshot, newestTimer, nowNanos);
        sensor.onEvents(counts.total());
        sensor.put(snapshot, quality);
        clock.advance(nowNanos);
        sensor.advance();
        quality.advance();
        return snapshot;
    }

    /**
     * Whether, since the last call, a loss made it unknown whose each process is. It stays so until the points that tell it are
     * subscribed anew.
     */
    public boolean takeOwnersLost() {
        return handlers.takeOwnersLost();
    }

    /** How often there was no room for a process or a cgroup: what they do counts as {@link magnet.metric.JobTable#UNKNOWN}. */
    public long ownersWithoutRoom() {
        return handlers.ownersWithoutRoom();
    }

    /** Events since start, the sensor's own records apart. */
    public long events() {
        return counts.total();
    }

    /** Events since start by CPU; CPUs without any are left out. */
    public SortedMap<Integer, Long> eventsByCpu() {
        return counts.byCpu();
    }

    /** Events since start by event id; ids without any are left out. */
    public SortedMap<Integer, Long> eventsById() {
        return counts.byEvent();
    }

    /** Events of one id on one CPU since start. */
    public long events(int cpu, int event) {
        return counts.get(cpu, event);
    }

    /** Events that the kernel dropped or a storm guard refused, by the LOST and STORM records since start. */
    public long lost() {
        return lost;
    }

    /** The same by CPU; CPUs that lost none are left out. */
    public SortedMap<Integer, Long> lostByCpu() {
        SortedMap<Integer, Long> byCpu = new TreeMap<>();
        for (int cpu = 0; cpu < lostByCpu.length; cpu++) {
            if (lostByCpu[cpu] > 0) {
                byCpu.put(cpu, lostByCpu[cpu]);
            }
        }
        return byCpu;
    }

    /**
     * How often since the first window began what was open was thrown away because the timer jumped. One jump may be two:
     * when a CPU's records show it, and when the module tells of it.
     */
    public long jumps() {
        return jumps;
    }

    /** Times since start that were not measured, by reason. */
    public DiscardCounts discards() {
        return new DiscardCounts(quality.lossDropped(), quality.evicted(), quality.unpaired(), quality.clamped());
    }

    private void onLost(RecordFlyweight record, int countOffset, int firstOffset) {
        int cpu = record.cpu();
        long count = record.payloadU64(countOffset);
        long first = record.payloadU64(firstOffset);
        lost += count;
        if (cpu >= lostByCpu.length) {
            lostByCpu = Arrays.copyOf(lostByCpu, cpu + 1);
        }
        lostByCpu[cpu] += count;
        sensor.onLost(count);
        handlers.onLost(cpu, first, record.timer());
    }
}
