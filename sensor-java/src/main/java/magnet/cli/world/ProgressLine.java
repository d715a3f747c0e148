// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.function.BooleanSupplier;

/** One line on a terminal that says how far a command is, and is gone afterwards. Elsewhere nothing. */
public final class ProgressLine {
    private static final String BEGINNING_OF_EMPTY_LINE = "\r\033[K";

    private final Output err;
    private final BooleanSupplier terminal;
    private boolean shown;

    public ProgressLine(World world) {
        this.err = world.err();
        this.terminal = world.terminal();
    }

    public void show(String what) throws Output.ClosedException {
        if (terminal.getAsBoolean()) {
            err.text(BEGINNING_OF_EMPTY_LINE + "magnet: " + what);
            err.flush();
            shown = true;
        }
    }

    public void clear() throws Output.ClosedException {
        if (shown) {
            err.text(BEGINNING_OF_EMPTY_LINE);
            err.flush();
            shown = false;
        }
    }
}
