// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.List;
import java.util.Optional;

/**
 * A point of the module's event database.
 *
 * @param name its name
 * @param event the id in its records
 * @param subsystem the part of the kernel
 * @param mechanism how it is hooked
 * @param hook how the kernel really gets there at present
 * @param functions what it is hooked to
 * @param subscriptions how many there are
 * @param enabled whether subscriptions hook it; false after {@link MagnetControl#enablePoint}
 * @param stormGuard what keeps its events from flooding the buffers, if anything
 */
public record PointInfo(
        String name,
        int event,
        String subsystem,
        Mechanism mechanism,
        Hook hook,
        List<PointFunction> functions,
        int subscriptions,
        boolean enabled,
        Optional<StormGuard> stormGuard) {

    public PointInfo {
        functions = List.copyOf(functions);
    }

    /** Whether this kernel has anything of it, so that it can be subscribed to. */
    public boolean isAvailable() {
        return functions.stream().anyMatch(function -> function.state() != PointFunction.State.UNRESOLVED);
    }

    /** Whether this kernel has all of it. */
    public boolean isComplete() {
        return functions.stream().noneMatch(function -> function.state() == PointFunction.State.UNRESOLVED);
    }

    /** Whether it is hooked now. */
    public boolean isActive() {
        return functions.stream().anyMatch(function -> function.state() == PointFunction.State.ACTIVE);
    }
}
