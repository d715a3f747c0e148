// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import java.time.Duration;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestOptions;
import magnet.it.guest.GuestProcess;

/**
 * A guest that is a node of a cluster by {@code integration-tests/web/cluster-node}, with a workload that no other has.
 * Closing it ends it.
 */
final class ClusterNode implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int GMOND = 8649;
    private static final int MEMORY = 1024;

    private static final String PORT = "5001";
    private static final String BYTES = "500";
    private static final String FOR_EVER = "1000000";
    private static final int LEAST_DATAGRAMS = 60;
    private static final int BURN_MICROS = 2000;
    private static final String PERIOD_MICROS = "50000";

    private final int number;
    private final Guest guest;
    private final GuestProcess node;
    private UdpCounters atStart;

    private ClusterNode(int number, Guest guest, GuestProcess node) {
        this.number = number;
        this.guest = guest;
        this.node = node;
    }

    /**
     * Boots it, and does not wait until it publishes.
     *
     * @param number from 1; the first can be asked by gmetad
     * @param cable tells the cluster's cable from others
     * @param setup how gmond is configured: multicast or unicast
     */
    static ClusterNode boot(int number, int cable, String setup) {
        GuestOptions options =
                GuestOptions.defaults().withSmp(1).withMemory(MEMORY).withCable(cable, number);
        Guest guest = Guest.boot(number == 1 ? options.withForward(GMOND) : options);
        return new ClusterNode(number, guest, guest.start("integration-tests/web/cluster-node", "" + number, setup));
    }

    /** Until it publishes. */
    void awaitReady() {
        node.awaitOutput("ready", LIMIT);
    }

    /** Hears what another node sends, and uses CPU: the more, the higher its number. */
    void hear() {
        guest.start("build/tools/udp_stream", "receive", PORT, FOR_EVER);
        guest.start("build/tools/burner", "" + number * BURN_MICROS, PERIOD_MICROS, FOR_EVER);
    }

    /** Sends datagrams to another node: twice as many each second as the node before it. */
    void sendTo(ClusterNode other) {
        String perSecond = "" + (LEAST_DATAGRAMS << (number - 1));
        guest.start("build/tools/udp_stream", "send", other.address(), PORT, BYTES, perSecond, FOR_EVER);
    }

    /** Counts from now on what it sends and receives. */
    void count() {
        atStart = UdpCounters.read(guest);
    }

    /** Datagrams that it sent per second since it counts, as its kernel says. */
    double sendRate() {
        return UdpCounters.read(guest).sendRateSince(atStart);
    }

    /** Datagrams that it received per second since it counts, as its kernel says. */
    double receiveRate() {
        return UdpCounters.read(guest).receiveRateSince(atStart);
    }

    /** What the other nodes and Ganglia call it. */
    String name() {
        return "node" + number;
    }

    /** Its address on the cable. */
    String address() {
        return "10.9.8." + number;
    }

    Guest guest() {
        return guest;
    }

    @Override
    public void close() {
        guest.close();
    }
}
