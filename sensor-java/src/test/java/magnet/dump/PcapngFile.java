// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a pcapng file of one section and is strict about it: what the specification does not allow is an AssertionError. */
public final class PcapngFile {
    private static final int[] SECTION = {0x0a0d0d0a, 0x1a2b3c4d};

    /** Options of the section, of each interface and of each interface's statistics, by code. */
    public final List<Map<Integer, byte[]>> sections = new ArrayList<>();

    public final List<Interface> interfaces = new ArrayList<>();
    public final List<Packet> packets = new ArrayList<>();
    public final List<Statistics> statistics = new ArrayList<>();

    public record Interface(int linkType, int snapLength, Map<Integer, byte[]> options) {
        public String name() {
            return new String(options.get(2), StandardCharsets.UTF_8);
        }
    }

    /** A packet; its bytes are not to be changed. */
    public record Packet(int interfaceId, long timeNs, ByteBuffer data, long length, Map<Integer, byte[]> options) {
        public byte[] bytes() {
            byte[] bytes = new byte[data.capacity()];
            data.get(0, bytes);
            return bytes;
        }

        public String comment() {
            return new String(options.getOrDefault(1, new byte[0]), StandardCharsets.UTF_8);
        }

        public int flags() {
            return ByteBuffer.wrap(options.get(2))
                    .order(ByteOrder.nativeOrder())
                    .getInt();
        }

        public long id() {
            return number(options.get(5));
        }
    }

    public record Statistics(int interfaceId, long timeNs, Map<Integer, byte[]> options) {}

    public static long number(byte[] option) {
        return ByteBuffer.wrap(option).order(ByteOrder.nativeOrder()).getLong();
    }

    private final ByteBuffer in;

    public PcapngFile(byte[] bytes) {
        in = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        while (in.hasRemaining()) {
            block();
        }
    }

    private void block() {
        int start = in.position();
        int type = in.getInt();
        int length = in.getInt();
        check(length >= 12 && length % 4 == 0 && length <= in.capacity() - start, "length " + length + " at " + start);
        check(in.getInt(start + length - 4) == length, "the lengths of the block at " + start + " differ");
        int end = start + length - 4;
        check((type == SECTION[0]) == (start == 0), "one section header, at the beginning");
        switch (type) {
            case 0x0a0d0d0a -> {
                check(in.getInt() == SECTION[1], "byte order magic");
                check(in.getShort() == 1 && in.getShort() == 0, "version 1.0");
                check(in.getLong() == -1, "length of the section is not said");
                sections.add(options(end));
            }
            case 1 -> {
                int linkType = Short.toUnsignedInt(in.getShort());
                check(in.getShort() == 0, "reserved");
                interfaces.add(new Interface(linkType, in.getInt(), options(end)));
            }
            case 6 -> packet(end);
            case 5 -> {
                int id = interfaceId();
                statistics.add(new Statistics(id, time(), options(end)));
            }
            default -> throw new AssertionError("block type " + type);
        }
        check(in.position() == end, "the block at " + start + " ends at " + in.position() + ", not " + end);
        in.position(end + 4);
    }

    private void packet(int end) {
        int id = interfaceId();
        long time = time();
        int captured = in.getInt();
        long length = Integer.toUnsignedLong(in.getInt());
        check(captured >= 0 && captured <= length, "captured " + captured + " of " + length);
        check(captured <= interfaces.get(id).snapLength(), "more than the snap length: " + captured);
        byte[] bytes = new byte[captured];
        in.get(bytes);
        pad(captured);
        packets.add(new Packet(id, time, ByteBuffer.wrap(bytes), length, options(end)));
    }

    private int interfaceId() {
        int id = in.getInt();
        check(id >= 0 && id < interfaces.size(), "interface " + id + " was not described");
        return id;
    }

    private long time() {
        long high = Integer.toUnsignedLong(in.getInt());
        return (high << 32) | Integer.toUnsignedLong(in.getInt());
    }

    private Map<Integer, byte[]> options(int end) {
        Map<Integer, byte[]> options = new LinkedHashMap<>();
        while (in.position() < end) {
            int code = Short.toUnsignedInt(in.getShort());
            int length = Short.toUnsignedInt(in.getShort());
            if (code == 0) {
                check(length == 0, "the end of options has no length");
                return options;
            }
            byte[] value = new byte[length];
            in.get(value);
            pad(length);
            check(options.put(code, value) == null, "option " + code + " twice");
        }
        throw new AssertionError("options do not end");
    }

    private void pad(int length) {
        for (int i = length; i % 4 != 0; i++) {
            check(in.get() == 0, "padding is zeros");
        }
    }

    private static void check(boolean good, String otherwise) {
        if (!good) {
            throw new AssertionError(otherwise);
        }
    }
}
