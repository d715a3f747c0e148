// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import magnet.control.ControlException;
import magnet.control.PointInfo;
import magnet.os.Errno;

/** The first instructions of a function behind what its entry has for ftrace, with a point at each. */
final class Instructions {
    /** What a jump takes the place of: five bytes, and what is left of the last instruction in them. */
    private static final int JUMP_BYTES = 5;

    private static final int FIRST_OFFSET = 5;
    private static final int LAST_OFFSET = 48;
    private static final int ENOUGH = 3;

    /**
     * An instruction.
     *
     * @param place {@code function+0xoffset}
     * @param point off
     */
    record Instruction(int offset, String place, PointInfo point) {}

    private final Sensor sensor;
    private final List<Instruction> all = new ArrayList<>();

    private Instructions(Sensor sensor) {
        this.sensor = sensor;
    }

    /**
     * Finds some, by trying: the kernel refuses to probe inside an instruction. Each try takes it milliseconds.
     *
     * @throws ControlException if the function can't be probed
     */
    static Instructions of(String function, Sensor sensor) throws IOException {
        Instructions found = new Instructions(sensor);
        for (int offset = FIRST_OFFSET;
                offset <= LAST_OFFSET && found.candidates().size() < ENOUGH;
                offset++) {
            String place = function + "+0x" + Integer.toHexString(offset);
            try {
                found.all.add(new Instruction(offset, place, sensor.insert("p:" + place)));
            } catch (ControlException e) {
                if (e.errno() == Errno.ERANGE) {
                    break;
                }
                if (e.errno() != Errno.EILSEQ) {
                    throw e;
                }
            }
        }
        return found;
    }

    Optional<Instruction> first() {
        return all.stream().findFirst();
    }

    /**
     * Those that could be jumps at the same time, each with another instruction in front of it so short that a jump
     * there would reach into it.
     */
    List<Instruction> candidates() {
        List<Instruction> candidates = new ArrayList<>();
        int free = 0;
        for (int i = 1; i < all.size(); i++) {
            Instruction each = all.get(i);
            if (each.offset() - all.get(i - 1).offset() < JUMP_BYTES && each.offset() >= free) {
                candidates.add(each);
                free = each.offset() + JUMP_BYTES;
            }
        }
        return candidates;
    }

    /** The one in front of another. */
    Instruction before(Instruction instruction) {
        return all.get(all.indexOf(instruction) - 1);
    }

    /** Removes all points but those of some. */
    void keep(List<Instruction> some) throws IOException {
        for (Instruction each : all) {
            if (!some.contains(each)) {
                sensor.remove(each.point());
            }
        }
    }
}
