// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import magnet.it.guest.Guest;

/**
 * What a guest's kernel itself has counted of UDP over IPv4 since it booted.
 *
 * @param seconds time since then
 * @param sent datagrams sent
 * @param received datagrams that came in, whether somebody took them or not
 */
record UdpCounters(double seconds, double sent, double received) {
    private static final String READ =
            "awk 'NR == FNR { up = $1 } /^Udp: [0-9]/ { print up, $5, $2 + $3 + $4 }'" + " /proc/uptime /proc/net/snmp";

    static UdpCounters read(Guest guest) {
        String[] words = guest.sh(READ).orFail().stdout().strip().split(" ", -1);
        return new UdpCounters(
                Double.parseDouble(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2]));
    }

    /** Datagrams sent per second since then. */
    double sendRateSince(UdpCounters before) {
        return (sent - before.sent) / (seconds - before.seconds);
    }

    /** Datagrams received per second since then. */
    double receiveRateSince(UdpCounters before) {
        return (received - before.received) / (seconds - before.seconds);
    }
}
