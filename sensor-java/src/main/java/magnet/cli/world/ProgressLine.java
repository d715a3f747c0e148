// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.Optional;
import java.util.function.Supplier;
import magnet.os.TerminalSize;

/** One line on a terminal that says how far a command is, and is gone afterwards. Elsewhere nothing. */
public final class ProgressLine {
    private static final String BEGINNING_OF_EMPTY_LINE = "\r\033[K";

    private final Output err;
    private final Supplier<Optional<TerminalSize>> terminal;
    private boolean shown;

    public ProgressLine(World world) {
        this.err = world.err();
        this.terminal = world.terminal();
    }

    public void show(String what) throws Output.ClosedException {
        Optional<TerminalSize> size = terminal.get();
        if (size.isPresent()) {
            // A second line would stay.
            String line = "magnet: " + what;
            int most = Math.max(0, size.get().columns() - 1);
            err.text(BEGINNING_OF_EMPTY_LINE + line.substring(0, Math.min(line.length(), most)));
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
