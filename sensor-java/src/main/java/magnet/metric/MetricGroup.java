// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

/**
 * What belongs together on a host's page and is switched on or off together.
 *
 * <p>Immutable. Ganglia group names hold no space and no comma, because {@code gmetric -g} splits at both.
 */
public enum MetricGroup {
    NETWORK("network", "magnet_network", "Packets and bytes at each layer of the network stack"),
    JOURNEY("journey", "magnet_journey", "How long a UDP datagram takes from layer to layer on its way out"),
    SCHEDULER("scheduler", "magnet_scheduler", "Waiting, running and idling on the CPUs"),
    INTERRUPTS("interrupts", "magnet_interrupts", "Time in hard and soft interrupt handlers"),
    PROCESSES("processes", "magnet_processes", "Processes made, programs started, processes ended"),
    SENSOR("sensor", "magnet_sensor", "What the sensor says of itself; always on");

    private final String key;
    private final String ganglia;
    private final String description;

    MetricGroup(String key, String ganglia, String description) {
        this.key = key;
        this.ganglia = ganglia;
        this.description = description;
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
