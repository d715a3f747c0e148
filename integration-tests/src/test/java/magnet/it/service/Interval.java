// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.util.List;

/**
 * A time that passed between two records.
 *
 * @param kind what it is the time of
 * @param tid whose
 * @param ticks how long, in ticks of the records' timer
 * @param endsAt where the record that ended it begins in its file, in bytes
 */
record Interval(Kind kind, long tid, long ticks, long endsAt) {

    /** What is measured, with the metric that publishes the longest. */
    enum Kind {
        TIME_SLICE("magnet_sched_time_slice_max"),
        RUN_QUEUE_WAIT("magnet_sched_run_queue_wait_max"),
        IDLE_GAP("magnet_sched_idle_gap_max"),
        HARD_HANDLER("magnet_irq_hard_handler_max"),
        SOFT_HANDLER("magnet_irq_soft_handler_max"),
        INTERARRIVAL("magnet_net_udp_interarrival_max"),
        SOCKET_TO_UDP("magnet_journey_socket_to_udp_max"),
        UDP_TO_IP("magnet_journey_udp_to_ip_max"),
        IP_TO_DEVICE("magnet_journey_ip_to_device_max"),
        SOCKET_TO_DEVICE("magnet_journey_socket_to_device_max");

        private final String maximum;

        Kind(String maximum) {
            this.maximum = maximum;
        }

        String maximum() {
            return maximum;
        }
    }

    /** Sum of the ticks of one thread's intervals of a kind. */
    static long sum(List<Interval> intervals, Kind kind, long tid) {
        return intervals.stream()
                .filter(each -> each.kind == kind && each.tid == tid)
                .mapToLong(Interval::ticks)
                .sum();
    }

    /** The most ticks of the intervals of a kind that ended in this part of the file; 0 if there are none. */
    static long max(List<Interval> intervals, Kind kind, long fromByte, long toByte) {
        return intervals.stream()
                .filter(each -> each.kind == kind && each.endsAt >= fromByte && each.endsAt < toByte)
                .mapToLong(Interval::ticks)
                .max()
                .orElse(0);
    }
}
