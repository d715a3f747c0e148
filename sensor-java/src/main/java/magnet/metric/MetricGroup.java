// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What belongs together on a host's page and is switched on or off together.
 *
 * <p>Immutable. Ganglia group names hold no space and no comma, because {@code gmetric -g} splits at both.
 */
public enum MetricGroup {
    NETWORK("network", "magnet_network", "Packets and bytes at each layer of the network stack"),
    JOURNEY("journey", "magnet_journey", "How long a datagram or segment takes from layer to layer, out and in"),
    SCHEDULER("scheduler", "magnet_scheduler", "Waiting, running and idling on the CPUs"),
    INTERRUPTS("interrupts", "magnet_interrupts", "Time in hard and soft interrupt handlers"),
    BLOCK("block", "magnet_block", "Requests to block devices, and how long they take"),
    MEMORY("memory", "magnet_memory", "Page faults, and what happens when memory is short"),
    SYSCALLS("syscalls", "magnet_syscalls", "System calls, and which are slow"),
    PROCESSES("processes", "magnet_processes", "Processes made, programs started, processes ended"),
    JOBS("jobs", "magnet_jobs", "What jobs did, and who made them wait; off unless switched on"),
    USER("user", "magnet_user", "Markers that programs write"),
    SENSOR("sensor", "magnet_sensor", "What the sensor says of itself; always on"),
    GMOND_CPU("replace-cpu", "cpu", "What gmond itself says of the CPUs, from events; off unless replace names it"),
    GMOND_NETWORK(
            "replace-network",
            "network",
            "What gmond itself says of the network devices, from events; off unless replace names it");

    private static final Set<MetricGroup> OWN =
            Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(GMOND_CPU, GMOND_NETWORK)));

    private static final Set<MetricGroup> ON_BY_DEFAULT =
            Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(JOBS, GMOND_CPU, GMOND_NETWORK)));

    private final String key;
    private final String ganglia;
    private final String description;

    MetricGroup(String key, String ganglia, String description) {
        this.key = key;
        this.ganglia = ganglia;
        this.description = description;
    }

    /** Those whose metrics have names of magnet's own, not gmond's. */
    public static Set<MetricGroup> own() {
        return OWN;
    }

    /** Whether its metrics take the place of gmond's, under gmond's names. */
    public boolean isGmonds() {
        return this == GMOND_CPU || this == GMOND_NETWORK;
    }

    /** Those that are on where nobody says otherwise. */
    public static Set<MetricGroup> onByDefault() {
        return ON_BY_DEFAULT;
    }

    /** The key that switches this group in {@code magnet.conf}. */
    public String key() {
        return key;
    }

    /** The name that Ganglia shows: the GROUP element of each of its metrics. */
    public String ganglia() {
        return ganglia;
    }

    /** One sentence for the documentation. */
    public String description() {
        return description;
    }
}
