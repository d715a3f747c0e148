// SPDX-License-Identifier: Apache-2.0
package magnet.record;

import org.jspecify.annotations.Nullable;

/** What a CPU does while no interrupt keeps it from that: {@code enum magnet_cpu_mode} of the kernel's header. */
public enum CpuMode {
    USER(0),
    NICE(1),
    SYSTEM(2),
    IDLE(3);

    private static final CpuMode[] BY_NUMBER = values();

    private final int number;

    CpuMode(int number) {
        this.number = number;
    }

    /** The one of this number in a record, or null when this version does not know it. */
    public static @Nullable CpuMode ofNumber(long number) {
        return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[(int) number] : null;
    }

    /** Its number in a record. */
    public int number() {
        return number;
    }
}
