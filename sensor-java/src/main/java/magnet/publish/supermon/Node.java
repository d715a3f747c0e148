// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;

/**
 * How this machine is called in a sample. Immutable.
 *
 * @param name its host name
 * @param address its IPv4 address, the first byte lowest: 10.0.4.1 is 0x104000a
 */
record Node(String name, long address) {
    private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    /** This machine: by the first address of it that others can reach, else by the loopback address. */
    static Node machine() throws IOException {
        return new Node(Files.readString(HOSTNAME).strip(), littleEndian(firstAddress()));
    }

    static long littleEndian(byte[] address) {
        long number = 0;
        for (int i = address.length - 1; i >= 0; i--) {
            number = number << Byte.SIZE | (address[i] & 0xff);
        }
        return number;
    }

    private static byte[] firstAddress() throws IOException {
        for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress address : Collections.list(device.getInetAddresses())) {
                if (address instanceof Inet4Address && !address.isLoopbackAddress()) {
                    return address.getAddress();
                }
            }
        }
        return LOOPBACK;
    }
}
