// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.DistributionMetrics.P50_P99_MAX;
import static magnet.metric.MetricGroup.MEMORY;
import static magnet.record.EventType.MM_VMSCAN_DIRECT_RECLAIM_BEGIN;
import static magnet.record.EventType.MM_VMSCAN_DIRECT_RECLAIM_END;

import java.util.ArrayList;
import java.util.List;
import magnet.record.EventType;

/** Metrics of group memory. */
public final class MemoryMetrics {
    private static final MetricMaker USER =
            MetricMaker.of(MEMORY, EventType.PAGE_FAULT_USER).at(Level.FULL);
    private static final MetricMaker KERNEL =
            MetricMaker.of(MEMORY, EventType.PAGE_FAULT_KERNEL).at(Level.FULL);
    private static final MetricMaker RECLAIM = MetricMaker.of(
                    MEMORY, MM_VMSCAN_DIRECT_RECLAIM_BEGIN, MM_VMSCAN_DIRECT_RECLAIM_END)
            .at(Level.HEARTBEAT)
            .joinedByThread();

    private static final MetricMaker MAJOR =
            MetricMaker.of(MEMORY, EventType.MAJOR_FAULT).at(Level.FULL);

    public static final Metric USER_FAULTS = USER.rate(
            "magnet_memory_user_faults_rate",
            "faults/sec",
            "Page faults of programs",
            "Page faults per second of programs, minor and major");
    public static final Metric WRITE_FAULTS = USER.rate(
            "magnet_memory_write_faults_rate",
            "faults/sec",
            "Page faults of writes",
            "Page faults per second of programs that wrote");
    public static final Metric PROTECTION_FAULTS = USER.rate(
            "magnet_memory_protection_faults_rate",
            "faults/sec",
            "Page faults of pages that are there",
            "Page faults per second of programs on pages that are there but not allowed so: copies on write, for one");
    public static final Metric KERNEL_FAULTS = KERNEL.rate(
            "magnet_memory_kernel_faults_rate",
            "faults/sec",
            "Page faults of the kernel",
            "Page faults per second of the kernel, mostly on behalf of programs");

    public static final Metric MAJOR_FAULTS = MAJOR.rate(
            "magnet_memory_major_faults_rate",
            "faults/sec",
            "Major page faults",
            "Page faults per second that had to wait for a device, as the kernel counts them for the thread that waits");
    public static final DistributionMetrics MAJOR_FAULT_TIME = MAJOR.time(
            "magnet_memory_major_fault",
            "Major page fault",
            "How long threads had to wait for a page that was on a device",
            P50_P99_MAX,
            List.of());
    public static final BucketMetrics MAJOR_FAULT_BUCKETS = MAJOR.buckets(
            "magnet_memory_major_fault", "faults/sec", "Major page fault", "major page faults by their time", 16);

    public static final Metric STALLS = RECLAIM.rate(
            "magnet_memory_reclaim_stalls_rate",
            "stalls/sec",
            "Reclaim stalls",
            "Times per second that a thread that wanted memory had to free some first, and was done with it");
    public static final DistributionMetrics STALL_TIME = RECLAIM.time(
            "magnet_memory_reclaim_stall",
            "Reclaim stall",
            "How long threads that wanted memory had to free some first",
            P50_P99_MAX,
            List.of(50.0, 99.0));
    public static final Metric RECLAIMED_PAGES = RECLAIM.at(Level.FULL)
            .rate(
                    "magnet_memory_reclaimed_pages_rate",
                    "pages/sec",
                    "Pages reclaimed",
                    "Pages per second that these threads freed");
    public static final BucketMetrics STALL_BUCKETS = RECLAIM.buckets(
            "magnet_memory_reclaim_stall", "stalls/sec", "Reclaim stall", "reclaim stalls by how long they took", 16);

    public static final Metric OOM_KILLS = MetricMaker.of(MEMORY, EventType.MARK_VICTIM)
            .at(Level.HEARTBEAT)
            .rate(
                    "magnet_memory_oom_kills_rate",
                    "processes/sec",
                    "OOM kills",
                    "Processes per second that were chosen to be killed because there was no memory");

    private MemoryMetrics() {}

    /** What is made of page faults of programs. */
    public static List<Metric> ofUserFaults() {
        return List.of(USER_FAULTS, WRITE_FAULTS, PROTECTION_FAULTS);
    }

    /** What is made of page faults that had to wait for a device. */
    public static List<Metric> ofMajorFaults() {
        List<Metric> all = new ArrayList<>();
        all.add(MAJOR_FAULTS);
        all.addAll(MAJOR_FAULT_TIME.metrics());
        all.addAll(MAJOR_FAULT_BUCKETS.metrics());
        return all;
    }

    /** What is made of threads that have to free memory. */
    public static List<Metric> ofReclaim() {
        List<Metric> all = new ArrayList<>();
        all.add(STALLS);
        all.addAll(STALL_TIME.metrics());
        all.add(RECLAIMED_PAGES);
        all.addAll(STALL_BUCKETS.metrics());
        return all;
    }

    static List<Metric> all() {
        List<Metric> all = new ArrayList<>(ofUserFaults());
        all.add(KERNEL_FAULTS);
        all.addAll(ofMajorFaults());
        all.addAll(ofReclaim());
        all.add(OOM_KILLS);
        return all;
    }
}
