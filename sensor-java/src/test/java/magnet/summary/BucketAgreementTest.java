// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

import static magnet.record.EventType.BLOCK_RQ_COMPLETE;
import static magnet.record.EventType.BLOCK_RQ_ISSUE;
import static magnet.record.EventType.DEV_QUEUE_XMIT;
import static magnet.record.EventType.INET_SENDMSG;
import static magnet.record.EventType.IP_LOCAL_DELIVER;
import static magnet.record.EventType.IP_QUEUE_XMIT;
import static magnet.record.EventType.IP_SEND_SKB;
import static magnet.record.EventType.IRQ_HANDLER_ENTRY;
import static magnet.record.EventType.IRQ_HANDLER_EXIT;
import static magnet.record.EventType.NETIF_RECEIVE_SKB;
import static magnet.record.EventType.SKB_CONSUME_UDP;
import static magnet.record.EventType.SOFTIRQ_ENTRY;
import static magnet.record.EventType.SOFTIRQ_EXIT;
import static magnet.record.EventType.TCP_RCV;
import static magnet.record.EventType.TCP_RCV_ESTABLISHED;
import static magnet.record.EventType.TCP_SENDMSG;
import static magnet.record.EventType.UDP_ENQUEUE;
import static magnet.record.EventType.UDP_RCV;
import static magnet.summary.RecordStream.TCP;
import static magnet.summary.RecordStream.UDP;
import static magnet.summary.SummaryFixture.value;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import magnet.metric.BlockMetrics;
import magnet.metric.BucketMetrics;
import magnet.metric.InterruptMetrics;
import magnet.metric.JourneyMetrics;
import magnet.metric.MemoryMetrics;
import magnet.metric.MetricSnapshot;
import magnet.metric.NetworkMetrics;
import magnet.metric.SchedulerMetrics;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Times of known lengths, at the very ends of the buckets too: each is in its bucket and in no other. */
// The checker does not see that the record in the enums holds copies only.
@SuppressWarnings("ImmutableEnumChecker")
class BucketAgreementTest {
    private static final int TIMES = 1_000;
    private static final double SECONDS = 4;

    private final SummaryFixture fixture = new SummaryFixture();

    /** Makes a time of a length. */
    private interface Work {
        /** @param from when the time begins, which is later than anything before */
        void happen(RecordStream records, long from, long nanos);
    }

    private enum Family {
        UDP_SEND(JourneyMetrics.UDP_SEND_BUCKETS, (records, from, nanos) -> {
            records.socketSend(0, from, 5, 7, 10, UDP);
            records.udpSend(0, from, 5, 7, 10);
            records.packet(IP_SEND_SKB, 0, from, 5, 7, 10);
            records.packet(DEV_QUEUE_XMIT, 0, from + nanos, 5, 7, 10);
        }),
        TCP_SEND(JourneyMetrics.TCP_SEND_BUCKETS, (records, from, nanos) -> {
            records.sock(INET_SENDMSG, 0, from, 5, 7, 10, TCP);
            records.sock(TCP_SENDMSG, 0, from, 5, 7, 10, TCP);
            records.packet(IP_QUEUE_XMIT, 0, from, 5, 7, 10);
            records.packet(DEV_QUEUE_XMIT, 0, from + nanos, 5, 7, 10);
        }),
        UDP_RECEIVE(JourneyMetrics.UDP_RECEIVE_BUCKETS, (records, from, nanos) -> {
            records.arrives(NETIF_RECEIVE_SKB, 0, from, 1);
            records.arrives(IP_LOCAL_DELIVER, 0, from, 1);
            records.arrives(UDP_RCV, 0, from, 1);
            records.arrives(UDP_ENQUEUE, 0, from, 1);
            records.arrives(SKB_CONSUME_UDP, 0, from + nanos, 1);
        }),
        TCP_RECEIVE(JourneyMetrics.TCP_RECEIVE_BUCKETS, (records, from, nanos) -> {
            records.arrives(NETIF_RECEIVE_SKB, 0, from, 1);
            records.arrives(IP_LOCAL_DELIVER, 0, from, 1);
            records.arrives(TCP_RCV, 0, from, 1);
            records.arrives(TCP_RCV_ESTABLISHED, 0, from + nanos, 1);
        }),
        RUN_QUEUE_WAIT(SchedulerMetrics.RUN_QUEUE_WAIT_BUCKETS, (records, from, nanos) -> {
            records.wakeup(0, from, 1, 5);
            records.switchTo(0, from + nanos, 9, 1, 5);
            records.switchTo(0, from + nanos, 5, 1, 9);
            records.exit(0, from + nanos, 9, false);
        }),
        HARD_INTERRUPT(InterruptMetrics.HARD_BUCKETS, (records, from, nanos) -> {
            records.interrupt(IRQ_HANDLER_ENTRY, 0, from, 3);
            records.interrupt(IRQ_HANDLER_EXIT, 0, from + nanos, 3);
        }),
        SOFT_INTERRUPT(InterruptMetrics.SOFT_BUCKETS, (records, from, nanos) -> {
            records.interrupt(SOFTIRQ_ENTRY, 0, from, 3);
            records.interrupt(SOFTIRQ_EXIT, 0, from + nanos, 3);
        }),
        BLOCK_REQUEST(BlockMetrics.BUCKETS, (records, from, nanos) -> request(records, from, nanos, 2)),
        BLOCK_READ(BlockMetrics.READ_BUCKETS, (records, from, nanos) -> request(records, from, nanos, 0)),
        BLOCK_WRITE(BlockMetrics.WRITE_BUCKETS, (records, from, nanos) -> request(records, from, nanos, 1)),
        MAJOR_FAULT(MemoryMetrics.MAJOR_FAULT_BUCKETS, (records, from, nanos) -> records.majorFault(0, from, nanos)),
        RECLAIM(MemoryMetrics.STALL_BUCKETS, (records, from, nanos) -> {
            records.reclaimBegin(0, from, 5);
            records.reclaimEnd(0, from + nanos, 5, 1);
        });

        private final BucketMetrics buckets;
        private final Work work;

        Family(BucketMetrics buckets, Work work) {
            this.buckets = buckets;
            this.work = work;
        }

        private static void request(RecordStream records, long from, long nanos, int operation) {
            records.block(BLOCK_RQ_ISSUE, 0, from, 8, operation, 512, 0);
            records.block(BLOCK_RQ_COMPLETE, 0, from + nanos, 8, operation, 512, 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldCountEachTimeInItsBucketAlone(Family family) {
        long[] times = times(family.buckets);
        long now = 1;
        for (long time : times) {
            family.work.happen(fixture.records, now, time);
            now += time + 1;
        }
        assertCounted(family.buckets, times);
    }

    /** One thread runs, then nothing does: what is a slice on one CPU is a gap on the other. */
    @ParameterizedTest
    @EnumSource
    void shouldCountSlicesAndGapsInTheirBuckets(OnCpu what) {
        long[] times = times(what.buckets);
        long now = 1;
        fixture.records.switchTo(0, now, 3, 1, what.on);
        for (long time : times) {
            now += time;
            fixture.records.switchTo(0, now, what.on, 1, what.off);
            fixture.records.switchTo(0, now, what.off, 1, what.on);
        }
        assertCounted(what.buckets, times);
    }

    private enum OnCpu {
        SLICE(SchedulerMetrics.TIME_SLICE_BUCKETS, 5, 0),
        GAP(SchedulerMetrics.IDLE_GAP_BUCKETS, 0, 5);

        private final BucketMetrics buckets;
        private final int on;
        private final int off;

        OnCpu(BucketMetrics buckets, int on, int off) {
            this.buckets = buckets;
            this.on = on;
            this.off = off;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldCountArrivalsByTheTimeSinceTheOneBefore(Arrivals arrivals) {
        long[] times = times(arrivals.buckets);
        long now = 1;
        fixture.records.packet(arrivals.udp ? UDP_RCV : TCP_RCV, 0, now, 1, 0, 10);
        for (long time : times) {
            now += time;
            fixture.records.packet(arrivals.udp ? UDP_RCV : TCP_RCV, 0, now, 1, 0, 10);
        }
        assertCounted(arrivals.buckets, times);
    }

    private enum Arrivals {
        OF_UDP(NetworkMetrics.UDP_INTERARRIVAL_BUCKETS, true),
        OF_TCP(NetworkMetrics.TCP_INTERARRIVAL_BUCKETS, false);

        private final BucketMetrics buckets;
        private final boolean udp;

        Arrivals(BucketMetrics buckets, boolean udp) {
            this.buckets = buckets;
            this.udp = udp;
        }
    }

    private void assertCounted(BucketMetrics buckets, long[] times) {
        MetricSnapshot snapshot = fixture.closeAfter(SECONDS);
        long[] ends = buckets.endsNanos();
        long all = 0;
        for (int i = 0; i < BucketMetrics.BUCKETS; i++) {
            long from = i == 0 ? 0 : ends[i - 1];
            long to = i == ends.length ? Long.MAX_VALUE : ends[i];
            long expected = LongStream.of(times)
                    .filter(time -> time >= from && time < to)
                    .count();
            assertThat(expected).as("the test has some").isPositive();
            assertThat(value(snapshot, buckets.metrics().get(i)) * SECONDS)
                    .as(buckets.metrics().get(i).name())
                    .isEqualTo((double) expected);
            all += expected;
        }
        assertThat(all).as("none is left out").isEqualTo(times.length);
    }

    /** Of all sizes, and those right below, at and above each end. */
    private static long[] times(BucketMetrics buckets) {
        Random random = new Random(5);
        return LongStream.concat(
                        LongStream.of(buckets.endsNanos()).flatMap(end -> LongStream.of(end - 1, end, end + 1)),
                        LongStream.generate(() -> random.nextLong() >>> random.nextInt(26, 62))
                                .limit(TIMES))
                .toArray();
    }
}
