// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.util.Locale;
import magnet.control.ModuleInfo;
import magnet.record.ClockModel;
import magnet.record.RecordLayout;

/**
 * What was found out of the module at the beginning.
 *
 * @param layout how records are laid out
 * @param ticksPerMilli ticks of the records' timer in a millisecond
 * @param clockModel places timers on the monotonic clock; whoever reads the records keeps it up to date
 * @param version that of the module
 * @param description version and clock of the module, for a log line
 */
public record KernelFacts(
        RecordLayout layout, long ticksPerMilli, ClockModel clockModel, String version, String description) {
    /** What the module says of itself, with a clock model of its own. */
    public static KernelFacts of(ModuleInfo info) {
        return new KernelFacts(
                info.layout(),
                info.ticksPerMilli(),
                info.clockModel(),
                info.version(),
                String.format(
                        Locale.ROOT,
                        "module %s, layout %s, clock %s at %d kHz",
                        info.version(),
                        info.layout().name().toLowerCase(Locale.ROOT),
                        info.clock().name().toLowerCase(Locale.ROOT),
                        info.ticksPerMilli()));
    }
}
