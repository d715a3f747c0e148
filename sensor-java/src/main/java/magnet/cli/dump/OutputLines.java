// SPDX-License-Identifier: Apache-2.0
package magnet.cli.dump;

import java.io.IOException;
import magnet.cli.world.Output;
import magnet.dump.PacketDump;

/** A command's output, for what prints packets. */
public final class OutputLines implements PacketDump.Lines {
    private final Output out;

    OutputLines(Output out) {
        this.out = out;
    }

    @Override
    public void line(CharSequence text) throws IOException {
        out.line(text);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
