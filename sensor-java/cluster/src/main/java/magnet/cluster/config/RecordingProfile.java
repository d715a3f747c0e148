// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import magnet.config.ConfigException;
import magnet.config.ConfigKey;
import magnet.config.ConfigTexts;
import magnet.config.OtherSections;

/**
 * A section {@code [recording NAME]}: what a node records when it is told this name, and where. No order from the network says
 * more than the name. Immutable.
 *
 * @param name letters, digits, {@code _}, {@code -} and {@code .}
 * @param points what is recorded
 * @param rules of all of them (docs/control.md); empty = every event
 * @param sample one event of so many of each point; 1 = every one
 * @param snapBytes bytes of packets that go along; 0 = none
 * @param folder where runs go
 * @param bufferBytes size of the buffer in the kernel, bytes for each CPU
 * @param period the buffer is read each time that so much of the wall clock is over, on all nodes at the same instants
 * @param partBytes a trace has parts of about so many bytes
 * @param keepParts parts of a run that stay, the oldest ones go; 0 = all
 * @param minFree what is to stay free on the folder's file system, bytes: a recording ends when less is
 * @param longest what a run may take at most
 */
public record RecordingProfile(
        String name,
        List<String> points,
        String rules,
        long sample,
        long snapBytes,
        Path folder,
        long bufferBytes,
        Duration period,
        long partBytes,
        int keepParts,
        long minFree,
        Duration longest) {
    /** The profile that there is without a section. */
    public static final String BUILT_IN = "default";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,30}");
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long TIB = 1L << 40;
    private static final int SAMPLE_MOST = 1_000_000;
    private static final long SNAP_MOST = 4_000;
    private static final int PARTS_MOST = 100_000;

    public RecordingProfile {
        points = List.copyOf(points);
    }

    /** The keys of such a section. */
    private static final class Keys {
        private final String head;
        private final ConfigKey points;
        private final ConfigKey rules;
        private final ConfigKey sample;
        private final ConfigKey snap;
        private final ConfigKey folder;
        private final ConfigKey buffer;
        private final ConfigKey period;
        private final ConfigKey rotate;
        private final ConfigKey keep;
        private final ConfigKey minFree;
        private final ConfigKey longest;

        Keys(String head) {
            this.head = head;
            points = key(
                    "points",
                    "sched_switch, sched_wakeup, netif_receive_skb, net_dev_start_xmit, irq_handler_entry,"
                            + " irq_handler_exit, softirq_entry, softirq_exit, marker",
                    "names of points separated by commas");
            rules = key("rules", "", "rules as magnet help rules explains them, or nothing");
            sample = key("sample", "1", "a number from 1 to " + SAMPLE_MOST);
            snap = key("snap", "60", "a size from 0 to " + SNAP_MOST);
            folder = key("directory", "/var/lib/magnet/recordings", "an absolute path");
            buffer = key("buffer-size", "1M", "a size from 64K to 256M");
            period = key("period", "250ms", "a time from 10ms to 10s that divides a minute");
            rotate = key("rotate", "256M", "a size from 1M to 1024G");
            keep = key("keep", "all", "all, or a number from 1 to " + PARTS_MOST);
            minFree = key("min-free", "1G", "a size from 0 to 1024G");
            longest = key("longest", "10m", "a time from 1s to 1d");
        }

        private ConfigKey key(String name, String value, String allowed) {
            return new ConfigKey(head, name, value, allowed);
        }

        List<ConfigKey> all() {
            return List.of(points, rules, sample, snap, folder, buffer, period, rotate, keep, minFree, longest);
        }
    }

    /**
     * Reads one.
     *
     * @throws ConfigException if anything in it is not allowed
     */
    static RecordingProfile read(String name, OtherSections sections) throws ConfigException {
        Keys keys = new Keys("recording " + name);
        ConfigTexts texts = sections.texts(keys.head, keys.all());
        if (!NAME.matcher(name).matches()) {
            throw new ConfigException("[" + keys.head
                    + "]: a recording's name has up to 31 letters, digits, '_', '-' and '.', and begins with a letter,"
                    + " a digit or '_'");
        }
        return new RecordingProfile(
                name,
                texts.items(keys.points),
                texts.text(keys.rules),
                texts.number(keys.sample, SAMPLE_MOST),
                texts.size(keys.snap, 0, SNAP_MOST),
                texts.path(keys.folder).orElseThrow(() -> texts.bad(keys.folder)),
                texts.size(keys.buffer, 64 * KIB, 256 * MIB),
                period(keys, texts),
                texts.size(keys.rotate, MIB, TIB),
                texts.text(keys.keep).equals("all") ? 0 : texts.number(keys.keep, PARTS_MOST),
                texts.size(keys.minFree, 0, TIB),
                texts.time(keys.longest, Duration.ofSeconds(1), Duration.ofDays(1)));
    }

    /** Slots of all nodes fall together if they begin with the minute. */
    private static Duration period(Keys keys, ConfigTexts texts) throws ConfigException {
        Duration period = texts.time(keys.period, Duration.ofMillis(10), Duration.ofSeconds(10));
        if (Duration.ofMinutes(1).toNanos() % period.toNanos() != 0) {
            throw texts.bad(keys.period);
        }
        return period;
    }
}
