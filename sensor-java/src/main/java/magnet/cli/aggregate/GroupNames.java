// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import magnet.cli.world.VisibleText;
import magnet.record.WordKind;
import magnet.record.Words;

/** What the keys of groups are called, for people and for programs. Not thread-safe. */
final class GroupNames {
    /** What tells the names of what has numbers. Each answers with nothing where it does not know. */
    interface Source {
        /** The name of a process or thread, byte by byte. */
        String ofThread(int id);

        /** The name of a network device. */
        String ofInterface(int index);

        /** The name of a disk, of these numbers. */
        String ofDisk(int major, int minor);

        /** The name of an event. */
        String ofEvent(int id);
    }

    private static final int NAMES_MOST = GroupTotals.COUNTED_MOST;
    private static final int MINOR_BITS = 20;
    private static final int MINOR_MASK = (1 << MINOR_BITS) - 1;
    private static final String NONE = "none";
    private static final String OTHERS = "(others)";

    private final List<KeyKind> kinds;
    private final BytePool pool;
    private final Words words;
    private final Source source;
    private final boolean[] named;
    private final Map<Integer, String> threads = new HashMap<>();

    /**
     * Those of a kind of groups.
     *
     * @param kinds what each number of a key stands for
     * @param pool has the texts and addresses
     * @param words for numbers
     */
    GroupNames(List<KeyKind> kinds, BytePool pool, Words words, Source source) {
        this.kinds = List.copyOf(kinds);
        this.pool = pool;
        this.words = words;
        this.source = source;
        this.named = new boolean[kinds.size()];
        for (int i = 0; i < named.length; i++) {
            ValueKind kind = kinds.get(i).value();
            named[i] = kind == ValueKind.PROCESS || kind == ValueKind.THREAD;
        }
    }

    /** A group was seen first: processes may have ended by the time that somebody asks for their names. */
    void onNew(long[] key) {
        for (int i = 0; i < named.length; i++) {
            if (named[i] && threads.size() < NAMES_MOST) {
                threads.computeIfAbsent((int) key[i], source::ofThread);
            }
        }
    }

    /** How often there was no room for a text or an address, ever. */
    long refused() {
        return pool.refused();
    }

    /** Forgets texts, addresses and the names of processes. */
    void clear() {
        threads.clear();
        pool.clear();
    }

    /**
     * A number of a key for people, fit to be shown.
     *
     * @param part which number of the key it is
     */
    String shown(int part, long value) {
        KeyKind kind = kinds.get(part);
        String word = word(kind, value);
        return word.isEmpty() ? shown(kind, kind.numberIn(value)) : VisibleText.of(word);
    }

    private String shown(KeyKind kind, long value) {
        String name = VisibleText.of(name(kind.value(), value));
        return switch (kind.value()) {
            case TEXT, ADDRESS -> name;
            case PROCESS, THREAD -> (int) value + (name.isEmpty() ? "" : " (" + name + ")");
            case PORT -> value == 0 ? NONE : Long.toString(value);
            case INTERFACE -> name.isEmpty() ? value == 0 ? NONE : "if" + value : name;
            case DISK -> name.isEmpty() ? major(value) + ":" + minor(value) : name;
            case POINT -> name.isEmpty() ? Long.toString(value) : name;
            case HEX -> hex(value);
            case SIGNED, NANOS -> Long.toString(value);
            case NUMBER -> hasNoProtocol(kind, value) ? NONE : Long.toUnsignedString(value);
        };
    }

    /** A number of a key for programs: its word where it has one. */
    Object value(int part, long value) {
        KeyKind kind = kinds.get(part);
        String word = word(kind, value);
        if (!word.isEmpty()) {
            return word;
        }
        long number = kind.numberIn(value);
        return switch (kind.value()) {
            case TEXT -> number == BytePool.NO_ROOM ? OTHERS : new String(pool.bytes(number), StandardCharsets.UTF_8);
            case ADDRESS, POINT -> name(kind.value(), number);
            case HEX -> hex(number);
            case NUMBER -> new BigInteger(Long.toUnsignedString(number));
            case DISK -> major(number) + ":" + minor(number);
            case SIGNED, NANOS, PROCESS, THREAD, INTERFACE, PORT -> number;
        };
    }

    /** For programs the name of what is a number to them, too: of a process, a thread or a device; empty without one. */
    String nameBeside(int part, long value) {
        ValueKind kind = kinds.get(part).value();
        return switch (kind) {
            case PROCESS, THREAD ->
                // Its bytes are meant to be UTF-8.
                new String(name(kind, value).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
            case INTERFACE, DISK -> name(kind, value);
            case TEXT, ADDRESS, POINT, HEX, NUMBER, SIGNED, NANOS, PORT -> "";
        };
    }

    /** The word for a number; empty without one. */
    private String word(KeyKind kind, long value) {
        if (kind.words() == WordKind.NUMBER || hasNoProtocol(kind, value)) {
            return "";
        }
        return Objects.requireNonNullElse(words.of(kind.wordsOf(value), kind.numberIn(value)), "");
    }

    /** Of a packet whose headers are not there: 0 is no protocol of a packet, and no socket has it. */
    private static boolean hasNoProtocol(KeyKind kind, long value) {
        return kind.words() == WordKind.PROTOCOL && value == 0;
    }

    private static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }

    /** As whoever gave it wrote it, a text byte by byte; empty without one. */
    private String name(ValueKind kind, long value) {
        return switch (kind) {
            case TEXT ->
                value == BytePool.NO_ROOM ? OTHERS : new String(pool.bytes(value), StandardCharsets.ISO_8859_1);
            case ADDRESS -> value == BytePool.NO_ROOM ? OTHERS : address(value);
            case PROCESS, THREAD -> ofThread((int) value);
            case INTERFACE -> source.ofInterface((int) value);
            case DISK -> source.ofDisk(major(value), minor(value));
            case POINT -> source.ofEvent((int) value);
            case NUMBER, SIGNED, HEX, NANOS, PORT -> "";
        };
    }

    private String ofThread(int id) {
        if (id == 0) {
            return "idle";
        }
        String now = source.ofThread(id);
        return now.isEmpty() ? threads.getOrDefault(id, "") : now;
    }

    private String address(long number) {
        try {
            InetAddress address = InetAddress.getByAddress(pool.bytes(number));
            return address.isAnyLocalAddress() ? NONE : address.getHostAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address has 16 bytes", e);
        }
    }

    private static int major(long dev) {
        return (int) (dev >>> MINOR_BITS);
    }

    private static int minor(long dev) {
        return (int) (dev & MINOR_MASK);
    }
}
