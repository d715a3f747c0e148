// SPDX-License-Identifier: Apache-2.0
package magnet.record;

/**
 * The two ways in which a record's header is laid out. A module writes all its records in one of them, which
 * the module parameter {@code layout} chooses; {@link RecordFlyweight} draws both.
 */
public enum RecordLayout {
    /** {@code struct magnet_record}, the default. */
    WIDE(0, 32, 1 << 16, 0x400),
    /** {@code struct magnet_record_classic}: the fields of figure 4 of the MAGNET paper, for up to 64 CPUs. */
    CLASSIC(1, 24, 64, 0x300);

    private final int abiValue;
    private final int headerSize;
    private final int cpuCount;
    private final int firstDynamicEvent;

    RecordLayout(int abiValue, int headerSize, int cpuCount, int firstDynamicEvent) {
        this.abiValue = abiValue;
        this.headerSize = headerSize;
        this.cpuCount = cpuCount;
        this.firstDynamicEvent = firstDynamicEvent;
    }

    /** The layout's number in the ABI: {@code enum magnet_layout}. */
    public int abiValue() {
        return abiValue;
    }

    /**
     * The layout of a number in the ABI.
     *
     * @throws IllegalArgumentException if this version knows no such layout
     */
    public static RecordLayout ofAbiValue(int value) {
        for (RecordLayout layout : values()) {
            if (layout.abiValue == value) {
                return layout;
            }
        }
        throw new IllegalArgumentException("unknown record layout: value=" + value);
    }

    /** Bytes of a record without payload. */
    public int headerSize() {
        return headerSize;
    }

    /** How many CPUs the header can tell apart. */
    public int cpuCount() {
        return cpuCount;
    }

    /** The first of the event ids that are given out at run time. */
    public int firstDynamicEvent() {
        return firstDynamicEvent;
    }

    /** Whether the header has the thread's id beside the process's. */
    public boolean hasTid() {
        return this == WIDE;
    }
}
