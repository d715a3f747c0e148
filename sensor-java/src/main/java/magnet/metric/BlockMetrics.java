// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import static magnet.metric.DistributionMetrics.P50_P95_P99_MAX;
import static magnet.metric.MetricGroup.BLOCK;
import static magnet.record.EventType.BLOCK_RQ_COMPLETE;
import static magnet.record.EventType.BLOCK_RQ_ISSUE;

import java.util.ArrayList;
import java.util.List;

/** Metrics of group block. */
public final class BlockMetrics {
    private static final MetricMaker REQUESTS = MetricMaker.of(BLOCK, BLOCK_RQ_ISSUE, BLOCK_RQ_COMPLETE);
    private static final MetricMaker AT_FULL = REQUESTS.at(Level.FULL);

    public static final Metric READS = REQUESTS.rate(
            "magnet_block_reads_rate", "requests/sec", "Block reads", "Read requests per second that were done");
    public static final Metric WRITES = REQUESTS.rate(
            "magnet_block_writes_rate", "requests/sec", "Block writes", "Write requests per second that were done");
    public static final Metric OTHERS = AT_FULL.rate(
            "magnet_block_others_rate",
            "requests/sec",
            "Other block requests",
            "Requests per second that were done and neither read nor write: flushes, discards");
    public static final Metric ERRORS =
            AT_FULL.rate("magnet_block_errors_rate", "requests/sec", "Block errors", "Requests per second that failed");
    public static final Metric READ_BYTES = AT_FULL.rate(
            "magnet_block_read_bytes_rate", "bytes/sec", "Block bytes read", "Bytes per second that were read");
    public static final Metric WRITE_BYTES = AT_FULL.rate(
            "magnet_block_write_bytes_rate", "bytes/sec", "Block bytes written", "Bytes per second that were written");

    public static final DistributionMetrics READ_TIME = REQUESTS.time(
            "magnet_block_read",
            "Block read",
            "Time of read requests from the device being given them to the last of their bytes",
            P50_P95_P99_MAX,
            List.of(50.0, 95.0));
    public static final DistributionMetrics WRITE_TIME = REQUESTS.time(
            "magnet_block_write",
            "Block write",
            "Time of write requests from the device being given them to the last of their bytes",
            P50_P95_P99_MAX,
            List.of(50.0, 95.0));

    public static final Metric DEPTH = AT_FULL.number(
            "magnet_block_depth_mean",
            "requests",
            "Block queue depth mean",
            "Requests that devices had at once, on average: the time of all that were done in the window by its length",
            MetricMaker.TIME_DECIMALS);
    public static final Metric DEPTH_MAX = AT_FULL.number(
            "magnet_block_depth_max",
            "requests",
            "Block queue depth max",
            "The most requests that devices had at once in the window",
            0);

    public static final BucketMetrics BUCKETS = REQUESTS.buckets(
            "magnet_block_request", "requests/sec", "Block request", "requests that were done, by their time", 16);

    public static final BucketMetrics READ_BUCKETS = REQUESTS.buckets(
            "magnet_block_read", "requests/sec", "Block read", "read requests that were done, by their time", 16);
    public static final BucketMetrics WRITE_BUCKETS = REQUESTS.buckets(
            "magnet_block_write", "requests/sec", "Block write", "write requests that were done, by their time", 16);

    private BlockMetrics() {}

    public static List<Metric> all() {
        List<Metric> all = new ArrayList<>(List.of(READS, WRITES, OTHERS, ERRORS, READ_BYTES, WRITE_BYTES));
        all.addAll(READ_TIME.metrics());
        all.addAll(WRITE_TIME.metrics());
        all.add(DEPTH);
        all.add(DEPTH_MAX);
        all.addAll(BUCKETS.metrics());
        all.addAll(READ_BUCKETS.metrics());
        all.addAll(WRITE_BUCKETS.metrics());
        return all;
    }
}
