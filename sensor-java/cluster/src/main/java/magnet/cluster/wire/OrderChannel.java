// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Makes the sockets of both ends. IPv4, as gmond's channels are. Stateless. */
final class OrderChannel {
    /** A thousand answers within half a second, until the command looks. */
    private static final int RECEIVE_BYTES = 4 << 20;

    private OrderChannel() {}

    /**
     * One that hears what is sent to a port, and to a group.
     *
     * @param address the group's, or one of this machine's; a wildcard hears what is sent to this machine
     * @param device of the network on which the group is joined; all that can if none is named
     */
    static DatagramChannel listening(InetSocketAddress address, Optional<String> device) throws IOException {
        InetAddress group = address.getAddress();
        DatagramChannel channel = open();
        try {
            if (!group.isMulticastAddress()) {
                channel.bind(address);
                return channel;
            }
            // Several may hear a group on one machine; of an address of its own only the last one would.
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            // Not to the group's address: unicast orders come here, too.
            channel.bind(new InetSocketAddress(address.getPort()));
            for (NetworkInterface each : devices(device)) {
                channel.join(group, each);
            }
            return channel;
        } catch (IOException e) {
            channel.close();
            throw new IOException(address + ": cannot be listened to: " + e.getMessage(), e);
        }
    }

    /**
     * One that sends, and gets answers.
     *
     * @param device through which a group is reached; the one of the default route if none is named
     * @param hops how many routers a datagram for a group may pass, and one
     */
    static DatagramChannel sending(Optional<String> device, int hops) throws IOException {
        DatagramChannel channel = open();
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BYTES);
            channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, hops);
            channel.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
            if (device.isPresent()) {
                channel.setOption(
                        StandardSocketOptions.IP_MULTICAST_IF, devices(device).get(0));
            }
            channel.bind(new InetSocketAddress(0));
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static DatagramChannel open() throws IOException {
        DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
        channel.configureBlocking(false);
        return channel;
    }

    private static List<NetworkInterface> devices(Optional<String> device) throws IOException {
        if (device.isPresent()) {
            NetworkInterface named = NetworkInterface.getByName(device.get());
            if (named == null) {
                throw new IOException("there is no network interface " + device.get());
            }
            return List.of(named);
        }
        List<NetworkInterface> able = new ArrayList<>();
        for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (isAble(each)) {
                able.add(each);
            }
        }
        return able;
    }

    private static boolean isAble(NetworkInterface device) throws SocketException {
        return device.isUp()
                && device.supportsMulticast()
                && device.inetAddresses().anyMatch(Inet4Address.class::isInstance);
    }
}
