// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import magnet.cli.world.Failure;
import magnet.record.EventType;

/**
 * A device whose events alone are logged, by rules in the kernel: a network device at the points that packets pass devices, so
 * that only journeys over it come to an end, or a disk at those of block requests. Immutable.
 *
 * @param name its name
 * @param rules the rule of each of these points, by the point's name
 */
record TopDevice(String name, Map<String, String> rules) {
    private static final Set<EventType> OF_NETWORK = EnumSet.of(
            EventType.DEV_QUEUE_XMIT,
            EventType.NET_DEV_START_XMIT,
            EventType.NET_DEV_XMIT,
            EventType.NETIF_RECEIVE_SKB,
            EventType.NET_DEV_RECEIVE);

    private static final Set<EventType> OF_DISKS = EnumSet.of(EventType.BLOCK_RQ_ISSUE, EventType.BLOCK_RQ_COMPLETE);
    private static final int MINOR_BITS = 20;

    TopDevice {
        rules = Map.copyOf(rules);
    }

    /**
     * The device of this name.
     *
     * @param root of the file system, where sysfs is
     * @throws Failure in one line, if there is none
     */
    static TopDevice named(String name, Path root) throws IOException {
        if (!name.matches("[^/\\s]+") || name.startsWith(".")) {
            throw new Failure("there is no device '" + name + "'");
        }
        Path network = root.resolve("sys/class/net").resolve(name).resolve("ifindex");
        if (Files.exists(network)) {
            return new TopDevice(
                    name, rules(OF_NETWORK, "ifindex", Files.readString(network).strip()));
        }
        Path disk = root.resolve("sys/class/block").resolve(name);
        if (Files.exists(disk.resolve("partition"))) {
            throw new Failure("device " + name + " is a partition: requests are those of its disk");
        }
        if (!Files.exists(disk.resolve("dev"))) {
            throw new Failure(
                    "there is no device '" + name + "': /sys/class/net and /sys/class/block have those that there are");
        }
        String[] numbers = Files.readString(disk.resolve("dev")).strip().split(":", 2);
        long number = (Long.parseLong(numbers[0]) << MINOR_BITS) | Long.parseLong(numbers[1]);
        return new TopDevice(name, rules(OF_DISKS, "dev", Long.toString(number)));
    }

    private static Map<String, String> rules(Set<EventType> points, String field, String number) {
        Map<String, String> rules = new HashMap<>();
        points.forEach(point -> rules.put(point.label(), "drop if " + field + " != " + number));
        return rules;
    }
}
