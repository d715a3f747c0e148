// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import magnet.bench.Instructions.Instruction;
import magnet.control.Hook;
import magnet.control.PointInfo;

/**
 * Finds an instruction whose breakpoint the kernel replaces by a jump, and the one in front of it, whose breakpoint it
 * then can't: its jump would be in the other's way. So breakpoint and jump are measured on neighbours, without asking
 * the kernel to stop making jumps for everybody.
 */
final class KprobeSearch {
    /**
     * What was found.
     *
     * @param breakpoint an instruction that stays a breakpoint while {@code jump} is on
     * @param jump one that becomes a jump
     * @param whyNoJump why there is none; empty if there is
     */
    record Found(Instruction breakpoint, Optional<Instruction> jump, String whyNoJump) {}

    private final Sensor sensor;
    private final HookWatch watch;
    private final JumpOptimisation optimisation;

    KprobeSearch(Sensor sensor, HookWatch watch, JumpOptimisation optimisation) {
        this.sensor = sensor;
        this.watch = watch;
        this.optimisation = optimisation;
    }

    /**
     * Looks into a function.
     *
     * @return empty if it is too short
     * @throws magnet.control.ControlException if it can't be probed
     */
    Optional<Found> in(String function) throws IOException {
        Instructions instructions = Instructions.of(function, sensor);
        Optional<Instruction> first = instructions.first();
        if (first.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> whyNot = optimisation.whyNot();
        Optional<Instruction> jump = whyNot.isPresent() ? Optional.empty() : jump(instructions.candidates());
        Instruction breakpoint = jump.map(instructions::before).orElse(first.get());
        List<Instruction> used = new ArrayList<>(List.of(breakpoint));
        jump.ifPresent(used::add);
        instructions.keep(used);
        return Optional.of(new Found(breakpoint, jump, whyNot.orElse(jump.isPresent() ? "" : none(instructions))));
    }

    private static String none(Instructions instructions) {
        return instructions.candidates().isEmpty()
                ? "the function's first instructions leave no room for it"
                : "none of the instructions tried became a jump: "
                        + String.join(
                                ", ",
                                instructions.candidates().stream()
                                        .map(Instruction::place)
                                        .toList());
    }

    private Optional<Instruction> jump(List<Instruction> candidates) throws IOException {
        List<Long> on = new ArrayList<>();
        for (Instruction each : candidates) {
            on.add(sensor.switchOn(each.point(), false));
        }
        List<PointInfo> points = candidates.stream().map(Instruction::point).toList();
        Optional<PointInfo> jump = points.isEmpty() ? Optional.empty() : watch.awaitAny(points, Hook.JUMP);
        for (long subscription : on) {
            sensor.switchOff(subscription);
        }
        return jump.map(points::indexOf).map(candidates::get);
    }
}
