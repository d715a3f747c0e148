// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

/** Where a packet is, in the order of its way: first out, then in. A slice lasts from here to the next stop that the trace has. */
enum JourneyStop {
    SOCKET(1, "socket"),
    TRANSPORT(2, "UDP and TCP, out"),
    IP_OUT(3, "IP, out"),
    DEVICE_QUEUE(4, "device queue"),
    DRIVER(5, "driver"),
    RECEIVE_QUEUE(6, "receive queue"),
    DEVICE_IN(7, "device, in"),
    IP_IN(8, "IP, in"),
    TRANSPORT_IN(9, "UDP and TCP, in"),
    SOCKET_QUEUE(10, "socket queue"),
    END(11, "end");

    private final int rank;
    private final String title;

    JourneyStop(int rank, String title) {
        this.rank = rank;
        this.title = title;
    }

    /** Its place among the others. */
    int rank() {
        return rank;
    }

    String title() {
        return title;
    }

    /** Whether the packet is on its way out, from this node's program. */
    boolean isOut() {
        return compareTo(RECEIVE_QUEUE) < 0;
    }
}
