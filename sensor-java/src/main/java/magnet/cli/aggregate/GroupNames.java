// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import magnet.cli.world.VisibleText;

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

        /** The name of a reason to drop a packet. */
        String ofDropReason(int reason);

        /** The name of an event. */
        String ofEvent(int id);
    }

    private static final int NAMES_MOST = GroupTotals.COUNTED_MOST;
    private static final int MINOR_BITS = 20;
    private static final int MINOR_MASK = (1 << MINOR_BITS) - 1;
    private static final String NONE = "none";
    private static final String OTHERS = "(others)";

    private final BytePool pool;
    private final Source source;
    private final boolean[] named;
    private final Map<Integer, String> threads = new HashMap<>();

    /**
     * Those of a kind of groups.
     *
     * @param kinds what each number of a key stands for
     * @param pool has the texts and addresses
     */
    GroupNames(List<ValueKind> kinds, BytePool pool, Source source) {
        this.pool = pool;
        this.source = source;
        this.named = new boolean[kinds.size()];
        for (int i = 0; i < named.length; i++) {
            named[i] = kinds.get(i) == ValueKind.PROCESS || kinds.get(i) == ValueKind.THREAD;
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

    /** Forgets texts, addresses and the names of processes. */
    void clear() {
        threads.clear();
        pool.clear();
    }

    /** A number for people, fit to be shown. */
    String shown(ValueKind kind, long value) {
        String name = VisibleText.of(name(kind, value));
        return switch (kind) {
            case TEXT, ADDRESS -> name;
            case PROCESS, THREAD -> (int) value + (name.isEmpty() ? "" : " (" + name + ")");
            case PORT -> value == 0 ? NONE : Long.toString(value);
            case INTERFACE -> name.isEmpty() ? value == 0 ? NONE : "if" + value : name;
            case DISK -> name.isEmpty() ? major(value) + ":" + minor(value) : name;
            case POINT, DROP_REASON -> name.isEmpty() ? Long.toString(value) : name;
            case HEX -> "0x" + Long.toHexString(value);
            case SIGNED, NANOS -> Long.toString(value);
            case NUMBER -> Long.toUnsignedString(value);
        };
    }

    /** Puts a number for programs into an object, with its name where it has one. */
    void putInto(Map<String, Object> object, String by, ValueKind kind, long value) {
        String name = name(kind, value);
        switch (kind) {
            case TEXT, ADDRESS, POINT -> object.put(by, name);
            case HEX -> object.put(by, "0x" + Long.toHexString(value));
            case NUMBER -> object.put(by, new BigInteger(Long.toUnsignedString(value)));
            case DISK -> {
                object.put(by, major(value) + ":" + minor(value));
                putName(object, by, name);
            }
            default -> {
                object.put(by, value);
                putName(object, by, name);
            }
        }
    }

    private static void putName(Map<String, Object> object, String by, String name) {
        if (!name.isEmpty()) {
            object.put(by + "_name", name);
        }
    }

    /** As whoever gave it wrote it; empty without one. */
    private String name(ValueKind kind, long value) {
        return switch (kind) {
            case TEXT -> value == BytePool.NO_ROOM ? OTHERS : text(value);
            case ADDRESS -> value == BytePool.NO_ROOM ? OTHERS : address(value);
            case PROCESS, THREAD -> ofThread((int) value);
            case INTERFACE -> source.ofInterface((int) value);
            case DISK -> source.ofDisk(major(value), minor(value));
            case DROP_REASON -> source.ofDropReason((int) value);
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

    private String text(long number) {
        return new String(pool.bytes(number), StandardCharsets.UTF_8);
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
