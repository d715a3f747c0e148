// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;

/**
 * Opens the socket of a send channel as gmetric does: bound if it shall be, and connected, so that the kernel tells when
 * nobody listens. May take as long as the name server does. Stateless.
 */
public final class ChannelSocket {
    private ChannelSocket() {}

    /**
     * Opens it.
     *
     * @param channel where to and how
     * @param localHostname the machine's name, for bind_hostname
     * @throws IOException if a name has no address, the device is missing, or the kernel refuses
     */
    static DatagramChannel open(SendChannel channel, String localHostname) throws IOException {
        InetAddress address = InetAddress.getByName(channel.host());
        DatagramChannel open = open(address);
        try {
            setUp(open, channel, address);
            bind(open, channel, localHostname);
            return open.connect(new InetSocketAddress(address, channel.port()));
        } catch (IOException e) {
            open.close();
            throw NoRoute.explained(e, channel.host());
        } catch (RuntimeException e) {
            open.close();
            throw NoRoute.explained(e, channel.host());
        }
    }

    /**
     * A socket of the kind that an address needs.
     *
     * @throws IOException if the machine has none
     */
    public static DatagramChannel open(InetAddress address) throws IOException {
        try {
            return DatagramChannel.open(
                    address instanceof Inet6Address ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
        } catch (UnsupportedOperationException e) {
            throw NoRoute.explained(e, address.getHostAddress());
        }
    }

    /** As gmetric, ttl counts for mcast_join only, and mcast_if wherever packets go to a group. */
    private static void setUp(DatagramChannel open, SendChannel channel, InetAddress address) throws IOException {
        if (channel.multicast()) {
            open.setOption(StandardSocketOptions.IP_MULTICAST_TTL, channel.ttl());
        }
        if (channel.multicastInterface().isPresent() && address.isMulticastAddress()) {
            open.setOption(
                    StandardSocketOptions.IP_MULTICAST_IF,
                    device(channel.multicastInterface().get()));
        }
    }

    private static void bind(DatagramChannel open, SendChannel channel, String localHostname) throws IOException {
        if (channel.bind().isPresent()) {
            open.bind(new InetSocketAddress(InetAddress.getByName(channel.bind().get()), 0));
        } else if (channel.bindHostname()) {
            open.bind(new InetSocketAddress(InetAddress.getByName(localHostname), 0));
        }
    }

    private static NetworkInterface device(String name) throws IOException {
        NetworkInterface device = NetworkInterface.getByName(name);
        if (device == null) {
            throw new IOException("no network device " + name);
        }
        return device;
    }
}
