// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import magnet.cli.world.Interruption;
import magnet.cli.world.Output;
import magnet.cli.world.World;

/** This machine for commands, without its configuration; what they print is kept. */
public final class PrintingWorld {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Interruption interruption = new Interruption();
    private final World world;

    /** @param root of all files that have no component of their own, such as magnet.conf */
    public PrintingWorld(Path root) {
        World real = World.real(interruption);
        world = new World(
                new Output(out),
                new Output(err),
                real.control(),
                real.notices(),
                real.buffers(),
                real.reading(),
                real.caller(),
                real.modules(),
                real.loader(),
                real.processes(),
                real.lockdown(),
                real.format(),
                real.clock(),
                real.wall(),
                interruption,
                real.zone(),
                Optional::empty,
                root,
                real.route(),
                Optional::empty,
                real.keys(),
                real.jobs());
    }

    /** What a command gets. */
    public World world() {
        return world;
    }

    /** The user presses Ctrl-C. */
    public void interrupt() {
        interruption.interrupt();
    }

    /** What was printed on standard output. */
    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The lines on standard error. */
    public List<String> errLines() {
        return err.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
