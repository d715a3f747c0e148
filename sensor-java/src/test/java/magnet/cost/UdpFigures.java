// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * What the kernel counts of UDP in this network namespace. Immutable.
 *
 * @param sent datagrams that programs have sent
 * @param received datagrams that programs have read
 * @param overflowed datagrams that found no room in a socket
 */
record UdpFigures(long sent, long received, long overflowed) {
    private static final Path SNMP = Path.of("/proc/net/snmp");
    private static final Path SOCKETS = Path.of("/proc/net/udp");
    private static final String PREFIX = "Udp: ";
    private static final int LOCAL_ADDRESS = 1;
    private static final int QUEUES = 4;

    static UdpFigures now() throws IOException {
        List<String> lines = Files.readAllLines(SNMP).stream()
                .filter(line -> line.startsWith(PREFIX))
                .toList();
        List<String> names = List.of(lines.get(0).split(" ", -1));
        String[] values = lines.get(1).split(" ", -1);
        return new UdpFigures(
                Long.parseLong(values[names.indexOf("OutDatagrams")]),
                Long.parseLong(values[names.indexOf("InDatagrams")]),
                Long.parseLong(values[names.indexOf("RcvbufErrors")]));
    }

    /** Bytes of memory that what waits in the socket at this port takes, as the kernel counts them against its buffer. */
    static long waitingBytes(int port) throws IOException {
        String[] queues = socket(port)[QUEUES].split(":", -1);
        return Long.parseLong(queues[1], 16);
    }

    /** Datagrams that found no room in the socket at this port. */
    static long drops(int port) throws IOException {
        String[] fields = socket(port);
        return Long.parseLong(fields[fields.length - 1]);
    }

    private static String[] socket(int port) throws IOException {
        String end = String.format(Locale.ROOT, ":%04X", port);
        return Files.readAllLines(SOCKETS).stream()
                .map(line -> line.trim().split(" +", -1))
                .filter(fields -> fields[LOCAL_ADDRESS].endsWith(end))
                .findFirst()
                .orElseThrow(() -> new IOException("no socket at port " + port));
    }
}
