// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import magnet.metric.BlockMetrics;
import magnet.metric.GmondMetrics;
import magnet.metric.Hop;
import magnet.metric.InterruptMetrics;
import magnet.metric.JobMetrics;
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

/**
 * All handlers there are: a new one is its class, its test, and an entry here, with the metrics that it gives and how it is
 * made. Those of {@link Layer}s are one for each layer.
 */
// The checker does not see that suppliers and factories keep nothing.
@SuppressWarnings("ImmutableEnumChecker")
enum HandlerKind {
    UDP_ARRIVALS(
            () -> NetworkMetrics.ofUdpArrivals(),
            (setup, quality) -> new ArrivalSummary(
                    EventType.UDP_RCV,
                    NetworkMetrics.UDP_INTERARRIVAL,
                    NetworkMetrics.UDP_INTERARRIVAL_BUCKETS,
                    setup.slots(),
                    setup.scale(),
                    quality)),
    TCP_ARRIVALS(
            () -> NetworkMetrics.ofTcpArrivals(),
            (setup, quality) -> new ArrivalSummary(
                    EventType.TCP_RCV,
                    NetworkMetrics.TCP_INTERARRIVAL,
                    NetworkMetrics.TCP_INTERARRIVAL_BUCKETS,
                    setup.slots(),
                    setup.scale(),
                    quality)),
    RETRANSMITS(() -> List.of(NetworkMetrics.TCP_RETRANSMITS), (setup, quality) -> new Retransmits(setup.slots())),
    DRIVER_REFUSALS(
            () -> List.of(NetworkMetrics.DRIVER_REFUSALS), (setup, quality) -> new DriverRefusals(setup.slots())),
    DROPS(() -> NetworkMetrics.drops(), (setup, quality) -> new DropSummary(setup.slots(), setup.machine())),
    UDP_SEND(
            () -> journey(SendJourney.UDP_HOPS, JourneyMetrics.UDP_SEND_BUCKETS.metrics()),
            (setup, quality) -> SendJourney.ofUdp(setup.slots(), setup.scale(), quality)),
    TCP_SEND(
            () -> journey(SendJourney.TCP_HOPS, JourneyMetrics.TCP_SEND_BUCKETS.metrics()),
            (setup, quality) -> SendJourney.ofTcp(setup.slots(), setup.scale(), quality)),
    RECEIVE(
            () -> journey(ReceiveJourney.HOPS, JourneyMetrics.receiveBuckets()),
            (setup, quality) -> new ReceiveJourney(setup.slots(), setup.scale(), quality)),
    SCHEDULER(
            () -> SchedulerMetrics.ofSwitches(),
            (setup, quality) -> new SchedulerSummary(setup.cpus(), setup.slots(), setup.scale(), quality)),
    MIGRATIONS(
            () -> List.of(SchedulerMetrics.MIGRATIONS),
            (setup, quality) ->
                    new EventRate(EventType.SCHED_MIGRATE_TASK, SchedulerMetrics.MIGRATIONS, setup.slots())),
    TOP_PROCESSES(() -> TopOrder.all(), (setup, quality) -> new TopProcesses(setup, quality)),
    INTERRUPTS(
            () -> InterruptMetrics.all(),
            (setup, quality) -> new InterruptSummary(setup.cpus(), setup.slots(), setup.scale(), quality)),
    BLOCK(() -> BlockMetrics.all(), (setup, quality) -> new BlockSummary(setup.slots(), setup.scale(), quality)),
    USER_FAULTS(() -> MemoryMetrics.ofUserFaults(), (setup, quality) -> new UserFaults(setup.slots())),
    KERNEL_FAULTS(
            () -> List.of(MemoryMetrics.KERNEL_FAULTS),
            (setup, quality) -> new EventRate(EventType.PAGE_FAULT_KERNEL, MemoryMetrics.KERNEL_FAULTS, setup.slots())),
    MAJOR_FAULTS(
            () -> MemoryMetrics.ofMajorFaults(),
            (setup, quality) -> new MajorFaults(setup.slots(), setup.scale(), quality)),
    RECLAIM(
            () -> MemoryMetrics.ofReclaim(),
            (setup, quality) -> new ReclaimSummary(setup.slots(), setup.scale(), quality)),
    OOM_KILLS(
            () -> List.of(MemoryMetrics.OOM_KILLS),
            (setup, quality) -> new EventRate(EventType.MARK_VICTIM, MemoryMetrics.OOM_KILLS, setup.slots())),
    SYSTEM_CALLS(
            () -> SystemCallMetrics.all(),
            (setup, quality) -> new SystemCallSummary(setup.slots(), setup.scale(), quality, setup.machine())),
    PROCESSES(() -> ProcessMetrics.all(), (setup, quality) -> new ProcessSummary(setup)),
    JOBS(() -> JobMetrics.all(), (setup, quality) -> new JobSummary(setup, quality)),
    MARKERS(() -> UserMetrics.all(), (setup, quality) -> new MarkerSummary(setup.slots(), setup.scale(), quality)),
    CPU_TIMES(() -> cpuTimes(), (setup, quality) -> new CpuTimes(setup.cpus(), setup.slots())),
    DEVICE_TRAFFIC(() -> GmondMetrics.network(), (setup, quality) -> new DeviceTraffic(setup.slots(), setup.machine()));

    /** Makes a handler. */
    @FunctionalInterface
    private interface Factory {
        BuiltInHandler make(SummarySetup setup, Quality quality);
    }

    private final Supplier<List<Metric>> metrics;
    private final Factory factory;

    HandlerKind(Supplier<List<Metric>> metrics, Factory factory) {
        this.metrics = metrics;
        this.factory = factory;
    }

    /** What it gives. */
    List<Metric> metrics() {
        return metrics.get();
    }

    /** Makes one. */
    BuiltInHandler make(SummarySetup setup, Quality quality) {
        return factory.make(setup, quality);
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
