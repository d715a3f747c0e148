// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.config;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.config.ConfigException;
import magnet.config.ConfigKey;
import magnet.config.ConfigTexts;
import magnet.config.OtherSections;

/**
 * The section {@code [cluster]}, and the profiles of recordings. Immutable.
 *
 * @param records whether this node carries out orders to record: off unless somebody switches it on
 * @param address where orders are sent to: a multicast group and its port
 * @param device the network interface of the group; the machine's choice if none is named
 * @param hops how many networks an order may cross
 * @param nodes the nodes that are expected to answer, by their host names; none if nobody said
 * @param unicast whether orders are sent to each of the nodes and not to the group
 * @param key file of the key that all nodes share
 * @param maxSkew how old an order may be
 * @param state file of the last counters of senders
 * @param copy the program with which {@code magnet cluster collect} copies, and its first arguments
 * @param profiles by name; the built-in one, {@value RecordingProfile#BUILT_IN}, unless one is called so
 */
public record ClusterConfig(
        boolean records,
        InetSocketAddress address,
        Optional<String> device,
        int hops,
        List<String> nodes,
        boolean unicast,
        Path key,
        Duration maxSkew,
        Path state,
        List<String> copy,
        Map<String, RecordingProfile> profiles) {
    /** Where the section stands. */
    public static final Path FILE = Path.of("/etc/magnet/magnet.conf");

    /** Head of the section. */
    static final String SECTION = "cluster";

    private static final int PORT_MOST = 65_535;
    private static final int HOPS_MOST = 255;

    private static final ConfigKey RECORD = key("record", "off", "on or off");
    private static final ConfigKey ADDRESS = key("address", "239.2.11.71:8655", "an IPv4 address and a port");
    private static final ConfigKey DEVICE = key("interface", "", "the name of a network interface, or nothing");
    private static final ConfigKey HOPS = key("hops", "1", "a number from 1 to 255");
    private static final ConfigKey NODES = key("nodes", "", "host names separated by commas, or nothing");
    private static final ConfigKey SEND = key("send", "multicast", "multicast or unicast");
    private static final ConfigKey KEY = key("key", "/etc/magnet/cluster.key", "an absolute path");
    private static final ConfigKey MAX_SKEW = key("max-skew", "60s", "a time from 1s to 3600s");
    private static final ConfigKey STATE = key("state", "/var/lib/magnet/cluster/state", "an absolute path");
    private static final ConfigKey COPY = key("copy", "rsync -a", "a program and its first arguments");
    private static final List<ConfigKey> KEYS =
            List.of(RECORD, ADDRESS, DEVICE, HOPS, NODES, SEND, KEY, MAX_SKEW, STATE, COPY);

    /** How orders are sent. */
    private enum Send {
        MULTICAST,
        UNICAST
    }

    public ClusterConfig {
        nodes = List.copyOf(nodes);
        copy = List.copyOf(copy);
        profiles = Map.copyOf(profiles);
    }

    private static ConfigKey key(String name, String value, String allowed) {
        return new ConfigKey(SECTION, name, value, allowed);
    }

    /**
     * Reads a magnet.conf.
     *
     * @throws ConfigException if anything in these sections is not allowed; says where and why
     */
    public static ClusterConfig read(Path file) throws ConfigException {
        OtherSections sections = OtherSections.read(file);
        ConfigTexts texts = sections.texts(SECTION, KEYS);
        Map<String, RecordingProfile> profiles = new LinkedHashMap<>();
        for (String name : sections.recordings()) {
            profiles.put(name, RecordingProfile.read(name, sections));
        }
        if (!profiles.containsKey(RecordingProfile.BUILT_IN)) {
            profiles.put(RecordingProfile.BUILT_IN, RecordingProfile.read(RecordingProfile.BUILT_IN, sections));
        }
        return new ClusterConfig(
                texts.flag(RECORD),
                address(texts),
                text(texts, DEVICE),
                texts.number(HOPS, HOPS_MOST),
                texts.text(NODES).isEmpty() ? List.of() : texts.items(NODES),
                texts.word(SEND, Send.class) == Send.UNICAST,
                path(texts, KEY),
                texts.time(MAX_SKEW, Duration.ofSeconds(1), Duration.ofHours(1)),
                path(texts, STATE),
                List.of(texts.text(COPY).split("\\s+")),
                profiles);
    }

    private static InetSocketAddress address(ConfigTexts texts) throws ConfigException {
        String text = texts.text(ADDRESS);
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        String port = text.substring(colon + 1);
        // No name: who looks one up waits for a server.
        if (!host.matches("\\d{1,3}(\\.\\d{1,3}){3}")
                || !port.matches("\\d{1,5}")
                || Integer.parseInt(port) > PORT_MOST) {
            throw texts.bad(ADDRESS);
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(host), Integer.parseInt(port));
        } catch (UnknownHostException e) {
            throw texts.bad(ADDRESS);
        }
    }

    private static Optional<String> text(ConfigTexts texts, ConfigKey key) {
        return Optional.of(texts.text(key)).filter(text -> !text.isEmpty());
    }

    private static Path path(ConfigTexts texts, ConfigKey key) throws ConfigException {
        return texts.path(key).orElseThrow(() -> texts.bad(key));
    }
}
