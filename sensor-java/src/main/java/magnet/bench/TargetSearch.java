// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import magnet.bench.Instructions.Instruction;
import magnet.control.ControlException;
import magnet.control.Hook;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import magnet.os.CheapCall;
import org.jspecify.annotations.Nullable;

/** Finds for each way a point that it can be measured by. For one search. */
final class TargetSearch {
    private static final List<String> PREFIXES = List.of("__x64_sys_", "__arm64_sys_");
    private static final String TRACEPOINT = "itimer_state";

    private final Sensor sensor;
    private final HookWatch watch;
    private final KprobeSearch kprobes;
    private final Map<Way, Target> found = new EnumMap<>(Way.class);
    private final Map<Way, String> missing = new EnumMap<>(Way.class);

    TargetSearch(Sensor sensor, HookWatch watch, JumpOptimisation optimisation) {
        this.sensor = sensor;
        this.watch = watch;
        this.kprobes = new KprobeSearch(sensor, watch, optimisation);
    }

    /** What was found, by way. */
    Map<Way, Target> found() {
        return found;
    }

    /** Why there is none. */
    String whyMissing(Way way) {
        return missing.getOrDefault(way, "");
    }

    /**
     * Searches.
     *
     * @throws BenchException if there is no function to measure by, or somebody else measures there
     */
    void run() throws IOException {
        @Nullable ControlException refusal = null;
        for (CheapCall call : CheapCall.values()) {
            for (String prefix : PREFIXES) {
                try {
                    if (take(call, prefix + call)) {
                        return;
                    }
                } catch (ControlException e) {
                    refuseOnlyPlaces(e);
                    refusal = refusal == null ? e : refusal;
                }
            }
        }
        throw new BenchException("no system call can be probed to measure by: "
                + (refusal == null ? "their functions are too short" : refusal.getMessage()));
    }

    private boolean take(CheapCall call, String function) throws IOException {
        Optional<KprobeSearch.Found> inside = kprobes.in(function);
        if (inside.isEmpty()) {
            return false;
        }
        refuseIfTaken(function);
        addKprobes(call, inside.get());
        add(Way.ENTRY, call, "f:" + function, Hook.FTRACE);
        add(Way.RETURN, call, "r:" + function, null);
        add(Way.TRACEPOINT, CheapCall.SETITIMER, "t:" + TRACEPOINT, Hook.TRACEPOINT);
        return true;
    }

    private void addKprobes(CheapCall call, KprobeSearch.Found inside) {
        Instruction breakpoint = inside.breakpoint();
        Optional<PointInfo> jump = inside.jump().map(Instruction::point);
        found.put(
                Way.BREAKPOINT,
                new Target(Way.BREAKPOINT, call, breakpoint.place(), breakpoint.point(), Hook.BREAKPOINT, jump));
        inside.jump()
                .ifPresentOrElse(
                        each -> found.put(
                                Way.JUMP,
                                new Target(Way.JUMP, call, each.place(), each.point(), Hook.JUMP, Optional.empty())),
                        () -> missing.put(Way.JUMP, "not jump-optimised here: " + inside.whyNoJump()));
    }

    private void add(Way way, CheapCall call, String definition, @Nullable Hook hook) throws IOException {
        try {
            PointInfo point = sensor.insert(definition);
            Hook expected = hook == null ? settled(point) : hook;
            found.put(way, new Target(way, call, definition.substring(2), point, expected, Optional.empty()));
        } catch (ControlException e) {
            refuseOnlyPlaces(e);
            missing.put(way, Objects.requireNonNull(e.getMessage()));
        }
    }

    /** How the kernel gets to a point for which it has a choice, once it has chosen. */
    private Hook settled(PointInfo point) throws IOException {
        long on = sensor.switchOn(point, false);
        Hook hook = watch.look(point).hook();
        if (hook == Hook.BREAKPOINT && found.containsKey(Way.JUMP)) {
            hook = watch.awaitAny(List.of(point), Hook.JUMP).isPresent() ? Hook.JUMP : hook;
        }
        sensor.switchOff(on);
        return hook;
    }

    private void refuseIfTaken(String function) throws IOException {
        for (PointInfo point : sensor.points()) {
            boolean here = point.functions().stream()
                    .map(PointFunction::name)
                    .anyMatch(name ->
                            name.equals(function) || name.startsWith(function + "+") || name.equals(TRACEPOINT));
            if (here && point.isActive()) {
                throw new BenchException("the point " + point.name() + " is on in " + function
                        + ", and its cost would be measured too; end its subscriptions first");
            }
        }
    }

    /** Another place may do better, but not for somebody who has no rights. */
    private static void refuseOnlyPlaces(ControlException e) throws ControlException {
        switch (e.errno()) {
            case ENOENT, EINVAL, EADDRNOTAVAIL, EOPNOTSUPP -> {}
            default -> throw e;
        }
    }
}
