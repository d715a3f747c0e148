// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.nio.ByteBuffer;

/**
 * Reads options of handlers and filters. An empty struct of a client is 0 bytes long in C and 1 in C++. Numbers are
 * u32 behind four bytes of flags, of which only the first counts: what the others have is left over from before.
 * Stateless.
 */
final class OptionReader {
    private static final int EMPTY = 1;
    private static final int EVENT = 0x80;
    private static final int ID = 0x40;
    private static final int PROCESS = 0x20;
    private static final int SOCKET = 0x10;
    private static final double BLOCK_SECONDS = 1;
    private static final double BLOCK_SECONDS_LEAST = 0.001;
    private static final double BLOCK_SECONDS_MOST = 86_400;

    private OptionReader() {}

    /**
     * The filter of a name.
     *
     * @throws RefusedException if there is none of the name, or the options are not its own
     */
    static EventFilter filter(String name, ByteBuffer options) throws RefusedException {
        EventFilter.Kind kind = null;
        for (EventFilter.Kind each : EventFilter.Kind.values()) {
            kind = each.label().equals(name) ? each : kind;
        }
        if (kind == null) {
            throw new RefusedException("there is no filter of that name: process_filter and socket_filter there are");
        }
        if (options.remaining() <= EMPTY) {
            return new EventFilter(kind, EventFilter.ANY, EventFilter.ANY, EventFilter.ANY, EventFilter.ANY);
        }
        int flags = flags(options);
        long event = number(flags, EVENT, options);
        long id = number(flags, ID, options);
        long process = number(flags, PROCESS, options);
        long socket = kind == EventFilter.Kind.SOCKET ? number(flags, SOCKET, options) : EventFilter.ANY;
        if (event != EventFilter.ANY && EventNumber.origins(event).isEmpty()) {
            throw new RefusedException("there is no event " + event + "; GET 3 lists events");
        }
        return new EventFilter(kind, event, id, process, socket);
    }

    /** The process that {@code process_scheduling} shall look at; {@link EventFilter#ANY} if it is not said. */
    static long process(ByteBuffer options) throws RefusedException {
        if (options.remaining() <= EMPTY) {
            return EventFilter.ANY;
        }
        return number(flags(options), PROCESS, options);
    }

    /** Options of {@code TAU_count}: u32 size of a trace file, u32 length of its name. */
    static void noFile(ByteBuffer options) throws RefusedException {
        if (options.remaining() > EMPTY) {
            noFileName(options);
        }
    }

    /** Options of the bandwidths: double length of a block in seconds, u32 size of a trace file, u32 length of its name. */
    static double blockSeconds(ByteBuffer options) throws RefusedException {
        if (options.remaining() <= EMPTY) {
            return BLOCK_SECONDS;
        }
        if (options.remaining() < Double.BYTES) {
            throw tooShort();
        }
        double seconds = options.getDouble();
        if (!(seconds >= BLOCK_SECONDS_LEAST && seconds <= BLOCK_SECONDS_MOST)) {
            throw new RefusedException("a block is " + BLOCK_SECONDS_LEAST + " to " + BLOCK_SECONDS_MOST + " s long");
        }
        if (options.hasRemaining()) {
            noFileName(options);
        }
        return seconds;
    }

    private static void noFileName(ByteBuffer options) throws RefusedException {
        if (options.remaining() < 2 * Integer.BYTES) {
            throw tooShort();
        }
        options.getInt();
        if (options.getInt() != 0) {
            throw new RefusedException(
                    "magnetd writes no trace files for clients; magnet read -o does, as who may read the events");
        }
    }

    private static int flags(ByteBuffer options) throws RefusedException {
        if (options.remaining() < Integer.BYTES) {
            throw tooShort();
        }
        return options.getInt() >>> 24;
    }

    private static long number(int flags, int flag, ByteBuffer options) throws RefusedException {
        if ((flags & flag) == 0) {
            return EventFilter.ANY;
        }
        if (options.remaining() < Integer.BYTES) {
            throw tooShort();
        }
        return Integer.toUnsignedLong(options.getInt());
    }

    private static RefusedException tooShort() {
        return new RefusedException("the options are shorter than their flags or kind say");
    }
}
