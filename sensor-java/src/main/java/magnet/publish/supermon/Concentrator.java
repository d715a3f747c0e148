// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import magnet.agent.Backoff;
import magnet.publish.server.Ports;
import magnet.publish.supermon.Category.Kind;
import magnet.publish.supermon.Category.Variable;
import org.jspecify.annotations.Nullable;

/**
 * Answers with what other servers answer: asks all of them at once, waits until the last one has answered or the time for it
 * is over, and puts their records together as they came, in the order of the servers. Clients who ask meanwhile are answered
 * together in the next round. Who was too late is not waited for again before it has sent what it owes. For the server's
 * thread.
 */
final class Concentrator implements Source, Child.Asker {
    private static final String NAME = "supermon";
    /** Of the memory answers of all children may take one in so many parts. */
    private static final int PART_OF_MEMORY = 16;

    private static final int LEAST_BYTES = 128 * 1024;
    private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(Child.FIRST_SECONDS);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A client that waits. */
    private record Request(boolean sample, long mask, Consumer<byte[]> to) {}

    private final List<Child> children = new ArrayList<>();
    private final ReplyFormat format;
    private final CategoryBits bits;
    private final SampledHost node;
    private final long deadlineNanos;
    private final LongSupplier nanoClock;
    private @Nullable Ports ports;
    private long lookedNanos;
    private long reconnectedNanos;

    private List<Request> waiting = new ArrayList<>();
    private List<Request> round = new ArrayList<>();
    private long beganNanos;
    private final Set<Child> asked = new HashSet<>();
    private final Map<Child, List<ChildRecord>> samples = new HashMap<>();

    /**
     * One that has no connections.
     *
     * @param mostBytes length of an answer of a child, at most
     * @param deadlineNanos how long children are waited for
     */
    Concentrator(
            List<InetSocketAddress> addresses,
            int mostBytes,
            ReplyFormat format,
            SampledHost node,
            long deadlineNanos,
            LongSupplier nanoClock,
            RandomGenerator random) {
        this.format = format;
        this.bits = new CategoryBits(format);
        this.node = node;
        this.deadlineNanos = deadlineNanos;
        this.nanoClock = nanoClock;
        this.lookedNanos = nanoClock.getAsLong() - LOOK_NANOS;
        this.reconnectedNanos = nanoClock.getAsLong() - RECONNECT_NANOS;
        for (InetSocketAddress address : addresses) {
            Backoff backoff = new Backoff(
                    TimeUnit.SECONDS.toNanos(Child.FIRST_SECONDS),
                    TimeUnit.SECONDS.toNanos(Child.LAST_SECONDS),
                    random);
            children.add(new Child(address, this, mostBytes, backoff, nanoClock.getAsLong()));
        }
    }

    /**
     * The length of an answer of each of so many children, at most. Taken apart, and with what has been read of the next, it
     * may need ten times as much.
     *
     * @param memory all there is, in bytes
     */
    static int mostBytes(long memory, int children) {
        return (int) Math.max(LEAST_BYTES, Math.min(Integer.MAX_VALUE / 4, memory / PART_OF_MEMORY / children));
    }

    @Override
    public void sample(long mask, Consumer<byte[]> to) {
        waiting.add(new Request(true, mask, to));
    }

    @Override
    public void describe(long mask, Consumer<byte[]> to) {
        waiting.add(new Request(false, mask, to));
    }

    /** However often clients ask for it, servers are told once a second at most. */
    @Override
    public void reconnect() {
        long now = nanoClock.getAsLong();
        if (now - reconnectedNanos < RECONNECT_NANOS) {
            return;
        }
        reconnectedNanos = now;
        for (Child child : children) {
            child.hurry(now);
            child.askReconnect();
        }
    }

    @Override
    public void start(Ports servers) {
        ports = servers;
    }

    /** Ends the round when that is due, and begins the next. */
    @Override
    public long work(long nowNanos) {
        if (nowNanos - lookedNanos >= LOOK_NANOS) {
            lookedNanos = nowNanos;
            children.forEach(child -> child.look(Objects.requireNonNull(ports), nowNanos));
        }
        while (true) {
            if (round.isEmpty() && !waiting.isEmpty()) {
                begin(nowNanos);
            }
            long left = deadlineNanos - (nowNanos - beganNanos);
            if (round.isEmpty() || (!asked.isEmpty() && left > 0)) {
                return round.isEmpty() ? LOOK_NANOS : Math.min(LOOK_NANOS, left);
            }
            end();
        }
    }

    /** Takes who waits for the same as the first one does. */
    private void begin(long nowNanos) {
        boolean sample = waiting.get(0).sample;
        List<Request> later = new ArrayList<>();
        waiting.forEach(each -> (each.sample == sample ? round : later).add(each));
        waiting = later;
        beganNanos = nowNanos;
        samples.clear();
        asked.clear();
        long mask = round.stream().mapToLong(Request::mask).reduce(0, (a, b) -> a | b);
        for (Child child : children) {
            if (sample && child.maySample()) {
                asked.add(child);
                child.askSample(mask, bits, nowNanos);
            } else if (!sample && child.mayDescribe()) {
                asked.add(child);
                child.askDescription();
            }
        }
    }

    private void end() {
        List<Request> answered = round;
        round = new ArrayList<>();
        asked.forEach(Child::noteLateDescription);
        asked.clear();
        if (answered.get(0).sample) {
            answer(answered, known(), this::sample);
            samples.clear();
        } else {
            Descriptions descriptions = descriptions();
            answer(answered, descriptions.mask(), mask -> bytes(descriptions.text(mask)));
        }
    }

    /** The bits of all records of this round. */
    private long known() {
        long known = CategoryBits.SUPERMON;
        for (List<ChildRecord> records : samples.values()) {
            for (ChildRecord each : records) {
                known |= bits.bit(each.category(), each.mask());
            }
        }
        return known;
    }

    /** Makes an answer once for all who get the same, and keeps none of them for longer than they do. */
    private static void answer(List<Request> requests, long known, LongFunction<byte[]> answers) {
        Map<Long, List<Request>> byMask = requests.stream()
                .collect(Collectors.groupingBy(each -> each.mask & known, LinkedHashMap::new, Collectors.toList()));
        byMask.forEach((mask, same) -> {
            byte[] answer = answers.apply(mask);
            same.forEach(each -> each.to.accept(answer));
        });
    }

    private byte[] sample(long mask) {
        StringBuilder text = new StringBuilder("(");
        if ((mask & CategoryBits.SUPERMON) != 0) {
            text.append(format.element(node, own()));
        }
        for (Child child : children) {
            ChildRecord.write(text, samples.getOrDefault(child, List.of()), mask, bits);
        }
        return bytes(text.append(')').append(ReplyFormat.END).toString());
    }

    private Descriptions descriptions() {
        Descriptions descriptions = new Descriptions(bits);
        descriptions.add(ReplyFormat.description(List.of(own()), 0));
        for (Child child : children) {
            if (child.isUp() && child.description().isEmpty()) {
                descriptions.addUnknown();
            } else if (child.isUp()) {
                descriptions.add(child.description());
            }
        }
        return descriptions;
    }

    private Category own() {
        long up = children.stream().filter(Child::isUp).count();
        long late = children.stream()
                .filter(child -> child.isUp() && !samples.containsKey(child))
                .count();
        long reconnects = children.stream().mapToLong(Child::reconnects).sum();
        return new Category(
                NAME,
                CategoryBits.SUPERMON,
                List.of(
                        number("nodes", children.size()),
                        number("up", up),
                        number("late", late),
                        number("reconnects", reconnects)));
    }

    private static Variable number(String name, long value) {
        return new Variable(name, Kind.UNSIGNED, List.of(Long.toString(value)));
    }

    /** A character for a byte, as they came. */
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void sampled(Child child, String sample) {
        if (asked.remove(child)) {
            samples.put(child, ChildRecord.parse(sample));
        }
    }

    @Override
    public void described(Child child) {
        if (!round.isEmpty() && !round.get(0).sample) {
            asked.remove(child);
        }
    }

    @Override
    public void lost(Child child) {
        asked.remove(child);
    }
}
