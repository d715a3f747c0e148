// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** A right of Linux that something of magnet takes, by its number: capabilities(7). */
public enum Capability {
    DAC_OVERRIDE(1),
    NET_RAW(13),
    SYS_MODULE(16),
    SYS_ADMIN(21),
    PERFMON(38),
    BPF(39);

    private static final String EFFECTIVE = "CapEff:";
    private static final int HEX = 16;

    private final int bit;

    Capability(int bit) {
        this.bit = bit;
    }

    /**
     * Those that a process may use.
     *
     * @param process its folder in {@code /proc}
     */
    public static Set<Capability> of(Path process) throws IOException {
        Set<Capability> held = EnumSet.noneOf(Capability.class);
        for (String line : Files.readAllLines(process.resolve("status"))) {
            if (line.startsWith(EFFECTIVE)) {
                long bits = Long.parseUnsignedLong(
                        line.substring(EFFECTIVE.length()).strip(), HEX);
                for (Capability each : values()) {
                    if (((bits >>> each.bit) & 1) != 0) {
                        held.add(each);
                    }
                }
            }
        }
        return held;
    }

    /** Whether with these points can be subscribed to. */
    public static boolean mayChange(Set<Capability> held) {
        return held.contains(PERFMON) || held.contains(SYS_ADMIN);
    }

    /** Whether with these fields of points may read the kernel's memory. */
    public static boolean mayFetch(Set<Capability> held) {
        return held.contains(SYS_ADMIN) || (held.contains(PERFMON) && held.contains(BPF));
    }

    /** Whether with these bytes of packets may be logged. */
    public static boolean mayTakePackets(Set<Capability> held) {
        return held.contains(SYS_ADMIN) || (held.contains(PERFMON) && held.contains(NET_RAW));
    }

    @Override
    public String toString() {
        return "CAP_" + name();
    }
}
