// SPDX-License-Identifier: Apache-2.0
package magnet.cli.dump;

import java.io.IOException;
import magnet.cli.world.Folding;
import magnet.cli.world.Output;
import magnet.dump.PacketDump;

/** A command's output, for what prints packets. */
public final class OutputLines implements PacketDump.Lines {
    /** As far as journeys stand below their packets, and again. */
    private static final int INDENT = 8;

    private final Output out;
    private final int columns;

    /** @param columns how wide lines may be */
    OutputLines(Output out, int columns) {
        this.out = out;
        this.columns = columns;
    }

    @Override
    public void line(CharSequence text) throws IOException {
        out.line(text.length() > columns ? Folding.of(text.toString(), columns, INDENT) : text);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
