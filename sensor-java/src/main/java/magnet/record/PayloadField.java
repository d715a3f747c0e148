// SPDX-License-Identifier: Apache-2.0
package magnet.record;

/**
 * One field of a payload.
 *
 * @param name as in the kernel's header
 * @param offset bytes from the payload's start
 * @param type its width
 * @param style how people want to see it
 * @param meaning what it says, with its unit
 */
public record PayloadField(String name, int offset, Type type, Style style, String meaning) {

    /** Unsigned integers of the kernel's ABI. */
    public enum Type {
        U16(2),
        U32(4),
        U64(8);

        private final int size;

        Type(int size) {
            this.size = size;
        }

        /** Bytes. */
        public int size() {
            return size;
        }
    }

    /** How a number is printed. */
    public enum Style {
        DECIMAL,
        HEX
    }

    /** The field's value in a record; a u64 above {@link Long#MAX_VALUE} comes out negative. */
    public long valueIn(RecordFlyweight record) {
        return switch (type) {
            case U16 -> record.payloadU16(offset);
            case U32 -> record.payloadU32(offset);
            case U64 -> record.payloadU64(offset);
        };
    }
}
