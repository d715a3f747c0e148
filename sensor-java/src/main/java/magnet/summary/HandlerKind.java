// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.ArrayList;
import java.util.List;
import magnet.metric.BlockMetrics;
import magnet.metric.GmondMetrics;
import magnet.metric.Hop;
import magnet.metric.InterruptMetrics;
import magnet.metric.JourneyMetrics;
import magnet.metric.Layer;
import magnet.metric.MemoryMetrics;
import magnet.metric.Metric;
import magnet.metric.NetworkMetrics;
import magnet.metric.ProcessMetrics;
import magnet.metric.SchedulerMetrics;
import magnet.metric.SystemCallMetrics;
import magnet.metric.TopOrder;
import magnet.metric.UserMetrics;
import magnet.record.EventType;

/** All handlers there are, with the metrics that each gives. Those of {@link Layer}s are one for each layer. */
enum HandlerKind {
    UDP_ARRIVALS,
    TCP_ARRIVALS,
    RETRANSMITS,
    DRIVER_REFUSALS,
    DROPS,
    UDP_SEND,
    TCP_SEND,
    RECEIVE,
    SCHEDULER,
    MIGRATIONS,
    TOP_PROCESSES,
    INTERRUPTS,
    BLOCK,
    USER_FAULTS,
    KERNEL_FAULTS,
    MAJOR_FAULTS,
    RECLAIM,
    OOM_KILLS,
    SYSTEM_CALLS,
    PROCESSES,
    MARKERS,
    CPU_TIMES,
    DEVICE_TRAFFIC;

    /** What it gives. */
    List<Metric> metrics() {
        return switch (this) {
            case UDP_ARRIVALS -> NetworkMetrics.ofUdpArrivals();
            case TCP_ARRIVALS -> NetworkMetrics.ofTcpArrivals();
            case RETRANSMITS -> List.of(NetworkMetrics.TCP_RETRANSMITS);
            case DRIVER_REFUSALS -> List.of(NetworkMetrics.DRIVER_REFUSALS);
            case DROPS -> NetworkMetrics.drops();
            case UDP_SEND -> journey(SendJourney.UDP_HOPS, JourneyMetrics.UDP_SEND_BUCKETS.metrics());
            case TCP_SEND -> journey(SendJourney.TCP_HOPS, JourneyMetrics.TCP_SEND_BUCKETS.metrics());
            case RECEIVE -> journey(ReceiveJourney.HOPS, JourneyMetrics.receiveBuckets());
            case SCHEDULER -> SchedulerMetrics.ofSwitches();
            case MIGRATIONS -> List.of(SchedulerMetrics.MIGRATIONS);
            case TOP_PROCESSES -> TopOrder.all();
            case INTERRUPTS -> InterruptMetrics.all();
            case BLOCK -> BlockMetrics.all();
            case USER_FAULTS -> MemoryMetrics.ofUserFaults();
            case KERNEL_FAULTS -> List.of(MemoryMetrics.KERNEL_FAULTS);
            case MAJOR_FAULTS -> MemoryMetrics.ofMajorFaults();
            case RECLAIM -> MemoryMetrics.ofReclaim();
            case OOM_KILLS -> List.of(MemoryMetrics.OOM_KILLS);
            case SYSTEM_CALLS -> SystemCallMetrics.all();
            case PROCESSES -> ProcessMetrics.all();
            case MARKERS -> UserMetrics.all();
            case CPU_TIMES -> cpuTimes();
            case DEVICE_TRAFFIC -> GmondMetrics.network();
        };
    }

    /** Makes one. */
    Handler make(SummarySetup setup, Quality quality) {
        int slots = setup.slots();
        TimerScale scale = setup.scale();
        return switch (this) {
            case UDP_ARRIVALS ->
                new ArrivalSummary(
                        EventType.UDP_RCV,
                        NetworkMetrics.UDP_INTERARRIVAL,
                        NetworkMetrics.UDP_INTERARRIVAL_BUCKETS,
                        slots,
                        scale,
                        quality);
            case TCP_ARRIVALS ->
                new ArrivalSummary(
                        EventType.TCP_RCV,
                        NetworkMetrics.TCP_INTERARRIVAL,
                        NetworkMetrics.TCP_INTERARRIVAL_BUCKETS,
                        slots,
                        scale,
                        quality);
            case RETRANSMITS -> new Retransmits(slots);
            case DRIVER_REFUSALS -> new DriverRefusals(slots);
            case DROPS -> new DropSummary(slots, setup.machine());
            case UDP_SEND -> SendJourney.ofUdp(slots, scale, quality);
            case TCP_SEND -> SendJourney.ofTcp(slots, scale, quality);
            case RECEIVE -> new ReceiveJourney(slots, scale, quality);
            case SCHEDULER -> new SchedulerSummary(setup.cpus(), slots, scale, quality);
            case MIGRATIONS -> new EventRate(EventType.SCHED_MIGRATE_TASK, SchedulerMetrics.MIGRATIONS, slots);
            case TOP_PROCESSES -> new TopProcesses(setup, quality);
            case INTERRUPTS -> new InterruptSummary(setup.cpus(), slots, scale, quality);
            case BLOCK -> new BlockSummary(slots, scale, quality);
            case USER_FAULTS -> new UserFaults(slots);
            case KERNEL_FAULTS -> new EventRate(EventType.PAGE_FAULT_KERNEL, MemoryMetrics.KERNEL_FAULTS, slots);
            case MAJOR_FAULTS -> new MajorFaults(slots, scale, quality);
            case RECLAIM -> new ReclaimSummary(slots, scale, quality);
            case OOM_KILLS -> new EventRate(EventType.MARK_VICTIM, MemoryMetrics.OOM_KILLS, slots);
            case SYSTEM_CALLS -> new SystemCallSummary(slots, scale, quality, setup.machine());
            case PROCESSES -> new ProcessSummary(setup);
            case MARKERS -> new MarkerSummary(slots, scale, quality);
            case CPU_TIMES -> new CpuTimes(setup.cpus(), slots);
            case DEVICE_TRAFFIC -> new DeviceTraffic(slots, setup.machine());
        };
    }

    private static List<Metric> cpuTimes() {
        List<Metric> metrics = new ArrayList<>(GmondMetrics.cpu());
        metrics.addAll(GmondMetrics.interrupts());
        return metrics;
    }

    private static List<Metric> journey(List<Hop> hops, List<Metric> buckets) {
        List<Metric> metrics = new ArrayList<>();
        hops.forEach(hop -> metrics.addAll(hop.metrics().metrics()));
        metrics.addAll(buckets);
        return metrics;
    }
}
