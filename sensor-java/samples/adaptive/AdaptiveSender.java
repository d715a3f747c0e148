// SPDX-License-Identifier: Apache-2.0
package adaptive;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import magnet.adapt.Adaptation;
import magnet.adapt.AdaptationListener;
import magnet.adapt.AdaptationPlan;
import magnet.adapt.Condition;
import magnet.adapt.Interval;

/**
 * Sends UDP datagrams as fast as the kernel takes them. UDP itself does not tell a sender that its datagrams are dropped;
 * magnet does. With each interval in which this node's kernel drops packets, because the queue of a device or the buffer
 * of a socket is full, it halves its rate; with each other one it sends a twentieth of its greatest rate more: additive
 * increase, multiplicative decrease, as TCP does.
 *
 * <p>{@code AdaptiveSender HOST PORT RATE SECONDS [fixed]}: RATE datagrams per second at most; with {@code fixed} always
 * as many. See docs/adapt.md.
 */
public final class AdaptiveSender implements AdaptationListener {
    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Condition QUEUE_DROPS = Condition.when("magnet_net_drops_queue_rate > 0");
    private static final Condition SOCKET_DROPS = Condition.when("magnet_net_drops_socket_buffer_rate > 0");

    private static final int DATAGRAM_BYTES = 100;
    private static final int STEPS = 20;
    private static final double NANOS_PER_SECOND = 1e9;

    private final double most;
    private final double step;
    private volatile double rate;

    /** @param most datagrams per second, which it begins with */
    AdaptiveSender(double most) {
        this.most = most;
        this.step = most / STEPS;
        this.rate = most;
    }

    /** Sends, and then says how much. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length < 4) {
            System.err.println("usage: AdaptiveSender HOST PORT RATE SECONDS [fixed]");
            System.exit(2);
        }
        InetSocketAddress to = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
        double seconds = Double.parseDouble(arguments[3]);
        AdaptiveSender sender = new AdaptiveSender(Double.parseDouble(arguments[2]));
        try (DatagramChannel channel = DatagramChannel.open().connect(to)) {
            if (arguments.length > 4) {
                sender.send(channel, seconds);
                return;
            }
            AdaptationPlan plan = new AdaptationPlan(List.of(QUEUE_DROPS, SOCKET_DROPS), INTERVAL);
            try (Adaptation adaptation = Adaptation.open(plan, sender)) {
                sender.send(channel, seconds);
                System.out.println(adaptation.isRunning() ? "adapted to the end" : "no longer adapted at the end");
            }
        }
    }

    /** Datagrams per second that it sends now. */
    double rate() {
        return rate;
    }

    @Override
    public void onChange(Condition condition, boolean holds, Interval interval) {
        System.out.println(condition + (holds ? " begins" : " ends"));
    }

    /** Where magnet itself lost events there may have been drops among them: the rate stays as it is. */
    @Override
    public void onInterval(Interval interval) {
        double drops = interval.values().values().stream()
                .mapToDouble(Double::doubleValue)
                .sum();
        if (drops > 0) {
            rate = Math.max(step, rate / 2);
        } else if (!interval.isLossy()) {
            rate = Math.min(most, rate + step);
        }
        System.out.printf(Locale.ROOT, "%.0f drops/s: rate %.0f/s%n", drops, rate);
    }

    /** It would be blind: the least rate is what harms nobody. */
    @Override
    public void onEnd(String why) {
        rate = step;
        System.err.println("AdaptiveSender: " + why);
    }

    private void send(DatagramChannel channel, double seconds) throws IOException {
        ByteBuffer datagram = ByteBuffer.allocateDirect(DATAGRAM_BYTES);
        long start = System.nanoTime();
        double due = 0;
        long sent = 0;
        long before = start;
        for (long now = start; now - start < seconds * NANOS_PER_SECOND; now = System.nanoTime()) {
            due = Math.min(due + (now - before) / NANOS_PER_SECOND * rate, rate);
            before = now;
            for (; due >= 1; due--) {
                channel.write(datagram.rewind());
                sent++;
            }
            LockSupport.parkNanos((long) ((1 - due) / rate * NANOS_PER_SECOND));
        }
        System.out.println("sent " + sent);
    }
}
