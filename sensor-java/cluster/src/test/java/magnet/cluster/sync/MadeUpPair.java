// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import magnet.trace.TraceClock;

/**
 * Two nodes with clocks that are known, and packets between them: some are lost, some come twice or have another one's key, and some
 * overtake others.
 */
final class MadeUpPair {
    static final long BEGIN = 1_795_808_355_123_456_789L;
    private static final double MOST_PPM = 50;
    private static final double LOSS = 0.1;
    private static final double DUPLICATES = 0.02;
    private static final TraceClock CLOCK = new TraceClock("TSC", 2_596_134_000L, 1_795_000_000L, 0);

    private final Random random;
    final double slope;
    final long offsetNs;
    final long lengthNs;
    final PacketTable table = new PacketTable(1 << 20);
    final LeftOutCounts leftOut = new LeftOutCounts();
    int exchanged;
    int ambiguous;

    MadeUpPair(long seed) {
        random = new Random(seed);
        slope = 1 + (2 * random.nextDouble() - 1) * MOST_PPM / 1e6;
        offsetNs = (long) ((2 * random.nextDouble() - 1) * Math.pow(10, 3 + random.nextInt(11)));
        lengthNs = (long) (1e9 * (0.5 + 60 * random.nextDouble()));
    }

    /** The second node's time at an instant of the first's, without rounding. */
    double secondNs(double sinceBegin) {
        return offsetNs + sinceBegin * slope;
    }

    private long stampOfFirst(double sinceBegin) {
        return BEGIN + (long) Math.floor(sinceBegin);
    }

    private long stampOfSecond(double sinceBegin) {
        return BEGIN + offsetNs + (long) Math.floor(sinceBegin * slope);
    }

    /** Lets packets go both ways; each direction has delays of its own. */
    void exchange() {
        exchange(true, 2 + random.nextInt(400), delays());
        exchange(false, 2 + random.nextInt(400), delays());
    }

    private interface Delays {
        double next();
    }

    private Delays delays() {
        double least = Math.pow(10, 2 + 4 * random.nextDouble());
        double more = Math.pow(10, 2 + 5 * random.nextDouble());
        return switch (random.nextInt(5)) {
            case 0 -> () -> least;
            case 1 -> () -> least + more * random.nextDouble();
            case 2 -> () -> least - more * Math.log(1 - random.nextDouble());
            case 3 -> () -> least + (random.nextInt(20) == 0 ? 20 * more : more * Math.abs(random.nextGaussian()));
            default -> () -> 0;
        };
    }

    private void exchange(boolean forth, int packets, Delays delays) {
        for (int packet = 0; packet < packets; packet++) {
            double sent = random.nextDouble() * lengthNs;
            long key = random.nextLong();
            boolean isLost = random.nextDouble() < LOSS;
            send(forth, key, sent);
            if (!isLost) {
                receive(forth, key, sent + delays.next());
                exchanged++;
            }
            if (random.nextDouble() < DUPLICATES) {
                // Another packet that looks like it, or a copy of it that somebody on the way has made.
                if (random.nextBoolean()) {
                    double later = sent + 1e6 * random.nextDouble();
                    send(forth, key, later);
                    receive(forth, key, later + delays.next());
                } else {
                    receive(forth, key, sent + 1e6 + delays.next());
                    receive(forth, key, sent + 2e6 + delays.next());
                }
                ambiguous += isLost ? 0 : 1;
            }
        }
    }

    private void send(boolean forth, long key, double at) {
        table.add(key, forth ? 0 : 1, true, 2, forth ? stampOfFirst(at) : stampOfSecond(at));
    }

    private void receive(boolean forth, long key, double at) {
        table.add(key, forth ? 1 : 0, false, 2, forth ? stampOfSecond(at) : stampOfFirst(at));
    }

    List<NodeTrace> nodes() {
        return List.of(
                new NodeTrace("n1", CLOCK, BEGIN, BEGIN + lengthNs, Optional.empty()),
                new NodeTrace(
                        "n2", CLOCK, BEGIN + offsetNs, BEGIN + offsetNs + (long) (lengthNs * slope), Optional.empty()));
    }

    List<PairPackets> match() {
        return new PacketMatching(table, 2, leftOut).match();
    }
}
