// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes send channels of their sections. One that cannot be used is a complaint and keeps no other from being used; what
 * gmetric makes the best of, is taken as gmetric takes it. For one thread.
 */
final class ChannelSections {
    /** Where gmetric's packets go to that has no host: the kernel takes the address of nobody for that of itself. */
    private static final String NO_HOST = "127.0.0.1";

    private static final int PORT_MAX = 65_535;
    private static final int TTL_MAX = 255;
    /** Without ttl. */
    private static final int TTL = 1;

    private final List<SendChannel> channels = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();

    /**
     * All channels, in order; at least one.
     *
     * @throws GmondConfigException if none can be used: with the first complaint, or that there is none
     */
    List<SendChannel> read(GmondSection root) throws GmondConfigException {
        List<GmondConfigException> unusable = new ArrayList<>();
        for (GmondSection section : root.sections("udp_send_channel")) {
            try {
                channels.add(channel(section));
            } catch (GmondConfigException e) {
                unusable.add(e);
                complaints.add(e.getMessage() + "; nothing is sent by this channel");
            }
        }
        if (channels.isEmpty()) {
            throw unusable.isEmpty()
                    ? new GmondConfigException(
                            root.file() + ": no udp_send_channel, so there is nowhere to send metrics to")
                    : unusable.get(0);
        }
        return channels;
    }

    /** What is wrong with them, a line each. */
    List<String> complaints() {
        return complaints;
    }

    private SendChannel channel(GmondSection section) throws GmondConfigException {
        Optional<String> multicast = section.text("mcast_join");
        Optional<String> bind = section.text("bind");
        boolean bindHostname = GmondConfig.flag(section.option("bind_hostname"), "bind_hostname");
        if (bind.isPresent() && bindHostname) {
            throw wrong(section, "bind and bind_hostname exclude each other in a udp_send_channel");
        }
        return new SendChannel(
                multicast.isPresent() ? multicast.get() : host(section),
                port(section),
                multicast.isPresent(),
                section.text("mcast_if"),
                ttl(section),
                bind,
                bindHostname);
    }

    private static String host(GmondSection section) throws GmondConfigException {
        Optional<GmondSection.Option> host = section.option("host");
        if (host.isPresent() && host.get().value().isEmpty()) {
            throw host.get().wrong("host is empty in a udp_send_channel");
        }
        return host.map(GmondSection.Option::value).orElse(NO_HOST);
    }

    private static int port(GmondSection section) throws GmondConfigException {
        GmondSection.Option port =
                section.option("port").orElseThrow(() -> wrong(section, "udp_send_channel has no port"));
        return port.integer()
                .filter(number -> number > 0 && number <= PORT_MAX)
                .orElseThrow(() -> port.wrong("port = '" + port.value() + "' is not a number from 1 to " + PORT_MAX))
                .intValue();
    }

    /** The kernel gets the lowest byte. */
    private int ttl(GmondSection section) throws GmondConfigException {
        Optional<GmondSection.Option> given = section.option("ttl");
        if (given.isEmpty()) {
            return TTL;
        }
        GmondSection.Option ttl = given.get();
        String allowed = "ttl = '" + ttl.value() + "' is not a number from 0 to " + TTL_MAX;
        long number = ttl.integer().orElseThrow(() -> ttl.wrong(allowed));
        int taken = (int) (number & TTL_MAX);
        if (taken != number) {
            complaints.add(
                    ttl.wrong(allowed + "; it is " + taken + ", as for gmetric").getMessage());
        }
        return taken;
    }

    private static GmondConfigException wrong(GmondSection section, String why) {
        return new GmondConfigException(section.file(), section.line(), why);
    }
}
