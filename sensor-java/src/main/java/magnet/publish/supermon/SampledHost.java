// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How this machine is called in a sample. Immutable.
 *
 * @param name its host name
 * @param address its IPv4 address, the first byte lowest: 10.0.4.1 is 0x104000a
 */
record SampledHost(String name, long address) {
    private static final Logger LOGGER = LoggerFactory.getLogger(SampledHost.class);
    private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    /** This machine: by the first address of it that others can reach, else by the loopback address. */
    static SampledHost machine() throws IOException {
        return new SampledHost(ByteText.of(Files.readAllBytes(HOSTNAME)).strip(), littleEndian(firstAddress()));
    }

    static long littleEndian(byte[] address) {
        long number = 0;
        for (int i = address.length - 1; i >= 0; i--) {
            number = number << Byte.SIZE | (address[i] & 0xff);
        }
        return number;
    }

    /**
     * A network device.
     *
     * @param index the kernel's number of it: those of the hardware come before those that programs make
     * @param state tells whether it is up
     */
    record Device(int index, State state, List<InetAddress> addresses) {
        /** One that cannot be asked is passed over: it has gone meanwhile, or its name is not UTF-8. */
        boolean isUp() {
            try {
                return state.isUp();
            } catch (SocketException e) {
                LOGGER.debug("supermon: network device {} is passed over: {}", index, e.toString());
                return false;
            }
        }
    }

    /** Tells whether a device is up. */
    @FunctionalInterface
    interface State {
        boolean isUp() throws SocketException;
    }

    private static byte[] firstAddress() {
        List<Device> devices = new ArrayList<>();
        try {
            for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                devices.add(new Device(device.getIndex(), device::isUp, Collections.list(device.getInetAddresses())));
            }
        } catch (SocketException e) {
            LOGGER.debug("supermon: the network devices cannot be listed: {}", e.toString());
        }
        return firstAddress(devices);
    }

    /** Of the devices in whatever order. */
    static byte[] firstAddress(List<Device> devices) {
        return devices.stream()
                .filter(Device::isUp)
                .sorted(Comparator.comparingInt(Device::index))
                .flatMap(device -> device.addresses().stream())
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .findFirst()
                .map(InetAddress::getAddress)
                .orElse(LOOPBACK);
    }
}
