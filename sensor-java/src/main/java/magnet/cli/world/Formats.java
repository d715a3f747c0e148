// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import magnet.control.MagnetControl;
import magnet.control.PointInfo;
import magnet.record.RecordLayout;
import magnet.trace.LiveFormats;

/** What the running module's events look like, by its control file or, for who cannot read that, by its answers. Stateless. */
public final class Formats {
    private Formats() {}

    /**
     * Those of a module that runs.
     *
     * @param control is asked also later, by the thread that asks for the formats
     */
    public static LiveFormats of(World world, RecordLayout layout, MagnetControl control) {
        return new LiveFormats(layout, () -> Files.readAllLines(world.format()), () -> names(control));
    }

    private static Map<Integer, String> names(MagnetControl control) throws IOException {
        Map<Integer, String> names = new HashMap<>();
        for (PointInfo point : control.points()) {
            names.put(point.event(), point.name());
        }
        return names;
    }
}
