// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Consumer;
import magnet.metric.Layer;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;
import magnet.record.Subsystem;

/**
 * Turns records into metrics over a trailing window.
 *
 * <p>Records come in the order of their timers, over all CPUs, but for late ones. What a record says is counted when it
 * is handed over, and an interval when it ends; the window ends when {@link #closeWindow} is called, and its length is
 * measured. After a LOST record no interval that may span the loss is measured: on the CPU that lost, slices and
 * interrupt handlers; on all CPUs, waits, journeys and the inter-arrival time, since the event that would have ended or
 * restarted them may have been on it. These are dropped and counted.
 *
 * <p>For one thread. {@link #onRecord} allocates nothing.
 */
public final class EventSummary implements RecordHandler {
    private final WindowClock clock;
    private final ClockModel clockModel;
    private final Quality quality;
    private final EventCounts counts;
    private final LayerSummary socketSend;
    private final LayerSummary udpSend;
    private final LayerSummary ipSend;
    private final LayerSummary deviceSend;
    private final LayerSummary deviceReceive;
    private final LayerSummary ipReceive;
    private final LayerSummary udpReceive;
    private final LayerSummary socketReceive;
    private final List<LayerSummary> layers;
    private final ArrivalSummary arrivals;
    private final JourneySummary journey;
    private final SchedulerSummary scheduler;
    private final InterruptSummary interrupts;
    private final ProcessSummary processes;
    private final SensorSummary sensor;
    private final List<Windowed> windowed;
    private long newestTimer;
    private long lost;

    /**
     * @param setup sizes and clocks
     * @param nowNanos monotonic time at which the first window begins
     */
    public EventSummary(SummarySetup setup, long nowNanos) {
        int slots = setup.slots();
        TimerScale scale = setup.scale();
        this.clock = new WindowClock(slots, nowNanos);
        this.clockModel = setup.clockModel();
        this.quality = new Quality(slots);
        this.counts = new EventCounts(setup.cpus());
        this.socketSend = new LayerSummary(Layer.SOCKET_SEND, slots);
        this.udpSend = new LayerSummary(Layer.UDP_SEND, slots);
        this.ipSend = new LayerSummary(Layer.IP_SEND, slots);
        this.deviceSend = new LayerSummary(Layer.DEVICE_SEND, slots);
        this.deviceReceive = new LayerSummary(Layer.DEVICE_RECEIVE, slots);
        this.ipReceive = new LayerSummary(Layer.IP_RECEIVE, slots);
        this.udpReceive = new LayerSummary(Layer.UDP_RECEIVE, slots);
        this.socketReceive = new LayerSummary(Layer.SOCKET_RECEIVE, slots);
        this.layers =
                List.of(socketSend, udpSend, ipSend, deviceSend, deviceReceive, ipReceive, udpReceive, socketReceive);
        this.arrivals = new ArrivalSummary(slots, scale, quality);
        this.journey = new JourneySummary(slots, scale, quality);
        this.scheduler = new SchedulerSummary(setup.cpus(), slots, scale, quality);
        this.interrupts = new InterruptSummary(setup.cpus(), slots, scale, quality);
        this.processes = new ProcessSummary(slots);
        this.sensor = new SensorSummary(slots);
        this.windowed = List.of(quality, arrivals, journey, scheduler, interrupts, processes, sensor);
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        int cpu = record.cpu();
        long timer = record.timer();
        EventType type = EventType.ofId(record.event());
        if (type == EventType.LOST) {
            onLost(cpu, record.payloadU64(Payload.LOST_COUNT_OFFSET));
            return;
        }
        if (type == EventType.STORM) {
            onLost(cpu, record.payloadU64(Payload.STORM_REFUSED_OFFSET));
            return;
        }
        if (type != null && type.subsystem() == Subsystem.SENSOR) {
            return;
        }
        counts.count(cpu, record.event());
        sensor.onEvent();
        newestTimer = Math.max(newestTimer, timer);
        if (type != null) {
            dispatch(type, record, cpu, timer);
        }
    }

    /**
     * Takes note of how far behind the records are. To be called after a batch of them.
     *
     * @param nowNanos CLOCK_MONOTONIC
     */
    public void noteLag(long nowNanos) {
        if (counts.total() > 0) {
            sensor.onLag(nowNanos - clockModel.monotonicNs(newestTimer));
        }
    }

    /**
     * Takes note of records that came late.
     *
     * @param sinceStart their number since start
     */
    public void noteLate(long sinceStart) {
        sensor.onLate(sinceStart);
    }

    /**
     * Ends the window, gives its metrics, and begins the next slot.
     *
     * @param nowNanos monotonic time, of the clock that the constructor was given
     * @param taken the same instant on the wall clock
     * @param metrics what to give
     * @param others puts in what is not made of records
     */
    public MetricSnapshot closeWindow(
            long nowNanos, Instant taken, List<Metric> metrics, Consumer<MetricSnapshot.Builder> others) {
        MetricSnapshot.Builder snapshot = MetricSnapshot.of(taken, clock.close(nowNanos) / 1e9, metrics);
        for (LayerSummary layer : layers) {
            layer.put(snapshot);
        }
        arrivals.put(snapshot);
        journey.put(snapshot);
        scheduler.put(snapshot);
        interrupts.put(snapshot);
        processes.put(snapshot);
        sensor.put(snapshot, quality);
        others.accept(snapshot);
        clock.advance(nowNanos);
        for (LayerSummary layer : layers) {
            layer.advance();
        }
        for (Windowed each : windowed) {
            each.advance();
        }
        return snapshot.build();
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

    /** Times since start that were not measured, by reason. */
    public DiscardCounts discards() {
        return new DiscardCounts(quality.lossDropped(), quality.evicted(), quality.unpaired(), quality.clamped());
    }

    private void onLost(int cpu, long count) {
        lost += count;
        sensor.onLost(count);
        arrivals.onLost();
        journey.onLost();
        scheduler.onLost(cpu);
        interrupts.onLost(cpu);
    }

    private void dispatch(EventType type, RecordFlyweight record, int cpu, long timer) {
        switch (type) {
            case INET_SENDMSG -> {
                socketSend.onPacket(record.payloadU32(Payload.SOCK_LEN_OFFSET));
                journey.onSocketSend(
                        record.tid(), record.abstractId(), record.payloadU16(Payload.SOCK_PROTOCOL_OFFSET), timer);
            }
            case UDP_SENDMSG -> {
                udpSend.onPacket(record.payloadU32(Payload.SOCK_LEN_OFFSET));
                journey.onUdpSend(record.tid(), record.abstractId(), timer);
            }
            case IP_SEND_SKB -> {
                ipSend.onPacket(record.payloadU32(Payload.PACKET_LEN_OFFSET));
                journey.onIpSend(record.tid(), record.abstractId(), timer);
            }
            case DEV_QUEUE_XMIT -> {
                deviceSend.onPacket(record.payloadU32(Payload.PACKET_LEN_OFFSET));
                journey.onDeviceSend(record.tid(), record.abstractId(), timer);
            }
            case NETIF_RECEIVE_SKB -> deviceReceive.onPacket(record.payloadU32(Payload.PACKET_LEN_OFFSET));
            case IP_LOCAL_DELIVER -> ipReceive.onPacket(record.payloadU32(Payload.PACKET_LEN_OFFSET));
            case UDP_RCV -> {
                udpReceive.onPacket(record.payloadU32(Payload.PACKET_LEN_OFFSET));
                arrivals.onArrival(timer);
            }
            case SKB_CONSUME_UDP -> socketReceive.onPacket(record.payloadU32(Payload.PACKET_LEN_OFFSET));
            case SCHED_SWITCH -> {
                long state = record.payloadU32(Payload.SCHED_SWITCH_PREV_STATE_OFFSET);
                boolean runnable = state == 0 || (state & Payload.SCHED_PREEMPTED) != 0;
                scheduler.onSwitch(cpu, record.tid(), runnable, record.abstractId(), timer);
            }
            case SCHED_WAKEUP -> scheduler.onWakeup(record.abstractId(), timer);
            case SCHED_PROCESS_FORK ->
                processes.onFork(record.abstractId(), record.payloadU32(Payload.FORK_CHILD_TGID_OFFSET));
            case SCHED_PROCESS_EXEC -> processes.onExec();
            case SCHED_PROCESS_EXIT -> {
                scheduler.onExit(record.tid());
                journey.onExit(record.tid());
                processes.onExit(record.payloadU32(Payload.EXIT_GROUP_DEAD_OFFSET) != 0);
            }
            case IRQ_HANDLER_ENTRY -> interrupts.onHardEntry(cpu, record.abstractId(), timer);
            case IRQ_HANDLER_EXIT -> interrupts.onHardExit(cpu, record.abstractId(), timer);
            case SOFTIRQ_ENTRY -> interrupts.onSoftEntry(cpu, record.abstractId(), timer);
            case SOFTIRQ_EXIT -> interrupts.onSoftExit(cpu, record.abstractId(), timer);
            default -> {
                // Known, but no metric is made of it.
            }
        }
    }
}
