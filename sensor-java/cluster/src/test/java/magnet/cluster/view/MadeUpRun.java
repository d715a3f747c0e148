// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import magnet.cluster.view.MadeUpNode.Datagram;
import magnet.record.EventType;
import magnet.trace.TraceOwners;

/**
 * Writes the run of three nodes that there are not, with two CPUs each: node 1 sends a datagram to the others every ten
 * milliseconds. On node 3 three hogs take the CPU of the receiver, so that it is late. A tick is a nanosecond. The same seed gives
 * the same run.
 */
public final class MadeUpRun {
    /** Datagrams that the first node sends to each of the others. */
    public static final int DATAGRAMS = 101;

    private static final long PERIOD = 10_000_000;
    private static final int RUNNABLE = 0;
    private static final int SLEEPING = 1;
    private static final int SENDER = 100;
    private static final int RECEIVER = 200;
    private static final int HOG = 300;
    private static final int NET_RX = 3;

    private MadeUpRun() {}

    /** Writes it for whoever wants to look at it: the argument is the folder, which must not exist. */
    public static void main(String[] arguments) throws IOException {
        write(Path.of(arguments[0]), 1);
    }

    /**
     * Writes it.
     *
     * @param folder gets a folder for each node
     */
    public static void write(Path folder, long seed) throws IOException {
        Random random = new Random(seed);
        try (MadeUpNode sender = node(folder, "n1", Map.of(SENDER, "rank0"), Map.of(SENDER, 1L));
                MadeUpNode prompt = node(folder, "n2", Map.of(RECEIVER, "rank1"), Map.of(RECEIVER, 1L));
                MadeUpNode late = node(
                        folder,
                        "n3",
                        Map.of(RECEIVER, "rank2", HOG, "hog", HOG + 1, "hog", HOG + 2, "hog"),
                        Map.of(RECEIVER, 1L, HOG, 2L, HOG + 1, 2L, HOG + 2, 2L))) {
            for (MadeUpNode each : new MadeUpNode[] {sender, prompt}) {
                each.onSwitch(0, 1_000, 0, RUNNABLE, 0);
            }
            late.onSwitch(0, 1_000, RECEIVER, SLEEPING, HOG);
            long[] hogs = {1_000};
            for (int i = 0; i < DATAGRAMS; i++) {
                long at = (i + 1) * PERIOD;
                long run = 2_000_000L + random.nextInt(1_000_000);
                sender.onSwitch(0, at - run, 0, RUNNABLE, SENDER);
                for (int to = 2; to <= 3; to++) {
                    Datagram datagram = new Datagram(10 * i + to, 1, to);
                    sender.onDatagram(EventType.NET_DEV_START_XMIT, 0, at + 1_000L * to, SENDER, 7, datagram);
                    long received = at + 1_000L * to + 60_000 + random.nextInt(40_000);
                    if (to == 2) {
                        receive(prompt, 0, received, datagram, received + 9_000, 400_000);
                    } else {
                        receiveLate(late, received, datagram, random, hogs);
                    }
                }
                sender.onMarker(0, at + 5_000, SENDER, "step " + i);
                sender.onSwitch(0, at + 200_000, SENDER, SLEEPING, 0);
            }
            for (MadeUpNode each : new MadeUpNode[] {sender, prompt, late}) {
                background(each, new Random(seed));
            }
        }
    }

    private static MadeUpNode node(Path folder, String name, Map<Integer, String> names, Map<Integer, Long> jobs)
            throws IOException {
        return new MadeUpNode(folder.resolve(name), name, 1_000_000)
                .names(names)
                .owners(new TraceOwners(
                        Set.of(),
                        jobs,
                        Map.of(
                                1L, "/system.slice/slurmstepd.scope/job_4711/step_0/user",
                                2L, "/system.slice/slurmstepd.scope/job_4712/step_0/user")));
    }

    /** The soft interrupt gets it, and wakes the receiver. */
    private static void wake(MadeUpNode node, long at, Datagram datagram, int running) throws IOException {
        node.onEvent(EventType.IRQ_HANDLER_ENTRY, 0, at - 4_000, running, 24);
        node.onEvent(EventType.IRQ_HANDLER_EXIT, 0, at - 2_000, running, 24);
        node.onEvent(EventType.SOFTIRQ_ENTRY, 0, at - 1_000, running, NET_RX);
        node.onDatagram(EventType.NETIF_RECEIVE_SKB, 0, at, running, 0, datagram);
        node.onWakeup(0, at + 2_000, running, RECEIVER, 0);
        node.onEvent(EventType.SOFTIRQ_EXIT, 0, at + 5_000, running, NET_RX);
    }

    private static void receive(MadeUpNode node, int running, long at, Datagram datagram, long runs, long length)
            throws IOException {
        wake(node, at, datagram, running);
        node.onSwitch(0, runs, running, RUNNABLE, RECEIVER);
        node.onSwitch(0, runs + length, RECEIVER, SLEEPING, 0);
    }

    /** Hogs have the CPU in turns of four milliseconds; the receiver gets it when the turns of two of them are over. */
    private static void receiveLate(MadeUpNode node, long at, Datagram datagram, Random random, long[] now)
            throws IOException {
        int hog = 0;
        while (now[0] + 4_000_000 < at - 5_000) {
            now[0] += 4_000_000;
            node.onSwitch(0, now[0], HOG + hog % 3, RUNNABLE, HOG + (hog + 1) % 3);
            hog++;
        }
        wake(node, at, datagram, HOG + hog % 3);
        now[0] = Math.max(now[0], at) + 1_500_000 + random.nextInt(4_000_000);
        node.onSwitch(0, now[0], HOG + hog % 3, RUNNABLE, RECEIVER);
        now[0] += 300_000;
        node.onSwitch(0, now[0], RECEIVER, SLEEPING, HOG);
    }

    /** A second CPU on which short threads come and go, and events get lost once. */
    private static void background(MadeUpNode node, Random random) throws IOException {
        long at = 2_000;
        int runs = 0;
        while (at < (DATAGRAMS + 1) * PERIOD) {
            at += 20_000 + random.nextInt(2_000_000);
            int next = runs == 0 ? 400 + random.nextInt(12) : 0;
            node.onSwitch(1, at, runs, SLEEPING, next);
            runs = next;
            if (random.nextInt(400) == 0) {
                node.onLost(1, at + 1_000, at + 15_000_000, 321);
                at += 15_001_000;
            }
        }
    }
}
