// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import magnet.control.BufferInfo;
import magnet.control.MagnetControl;
import magnet.magnetfs.CollectorCounter;
import magnet.measure.BufferReading;

/** Says what a command leaves in its buffer, and what came out of order. Stateless. */
public final class Unread {
    private Unread() {}

    /**
     * As of now, by a socket of its own, so that it can be asked in any thread.
     *
     * @param buffer the command's own
     * @param taken bytes that the command has read, and not brought to where they belong
     */
    public static String of(World world, String buffer, long taken) {
        try (MagnetControl control = world.control().open()) {
            long bytes = taken;
            for (BufferInfo each : control.buffers()) {
                bytes += each.name().equals(buffer) ? each.unread() : 0;
            }
            return Counted.of(bytes, "byte of events was", "bytes of events were") + " left unread";
        } catch (IOException e) {
            return "how many events were left unread is not known: " + Complaint.about(e);
        }
    }

    /** How many came too late to be in order, if any did. */
    public static String late(BufferReading reading) {
        return late(reading.count(CollectorCounter.LATE));
    }

    /** The same of so many. */
    public static String late(long late) {
        return late == 0 ? "" : "; " + late + " came after younger ones of other CPUs";
    }
}
