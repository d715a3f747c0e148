// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.record.EventType;

/**
 * Why packets are thrown away: the running kernel's reasons, of which there are some eighty with numbers that change from
 * kernel to kernel, in few kinds that stay. Immutable.
 */
// The checker does not see that the record in it holds copies only.
@SuppressWarnings("ImmutableEnumChecker")
public enum DropReason {
    NO_SOCKET("nobody listens there"),
    SOCKET_BUFFER("the buffer of the socket was full, or the memory of its protocol"),
    NETFILTER("a firewall rule"),
    FILTER("a socket filter, a BPF program or a traffic control rule"),
    CHECKSUM("a checksum was wrong"),
    QUEUE("the queue of a device or a CPU was full"),
    TCP("TCP had no use for it, as it has none for what comes twice"),
    UNSPECIFIED("the kernel does not say why; not all of these are losses"),
    OTHER("any other reason that the kernel gives");

    private final Metric metric;

    DropReason(String what) {
        String key = name().toLowerCase(Locale.ROOT);
        this.metric = MetricMaker.of(MetricGroup.NETWORK, EventType.KFREE_SKB)
                .at(Level.FULL)
                .rate(
                        "magnet_net_drops_" + key + "_rate",
                        "packets/sec",
                        "Packets dropped, " + key.replace('_', ' '),
                        "Packets thrown away per second because: " + what);
    }

    /** The metric of the drops for this reason. */
    public Metric metric() {
        return metric;
    }

    /** Those of these metrics that can be computed where nobody knows what the kernel calls its reasons. */
    public static List<Metric> withoutAny(List<Metric> metrics) {
        Set<Metric> byReason = Stream.of(values()).map(DropReason::metric).collect(Collectors.toUnmodifiableSet());
        return metrics.stream().filter(metric -> !byReason.contains(metric)).toList();
    }

    /** The kind of a reason of the kernel's, by its name. */
    public static DropReason ofKernelName(String name) {
        return switch (name) {
            case "NOT_SPECIFIED" -> UNSPECIFIED;
            case "NO_SOCKET" -> NO_SOCKET;
            case "SOCKET_RCVBUFF", "SOCKET_BACKLOG", "PROTO_MEM" -> SOCKET_BUFFER;
            case "NETFILTER_DROP" -> NETFILTER;
            case "SOCKET_FILTER", "BPF_CGROUP_EGRESS", "XDP", "TC_INGRESS", "TC_EGRESS" -> FILTER;
            case "QDISC_DROP", "CPU_BACKLOG", "FULL_RING" -> QUEUE;
            default -> name.endsWith("_CSUM") ? CHECKSUM : name.startsWith("TCP_") ? TCP : OTHER;
        };
    }
}
