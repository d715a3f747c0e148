// SPDX-License-Identifier: Apache-2.0
package magnet.cli.dump;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import magnet.cli.world.Output;

/** A command's output, for what writes bytes. Each write comes out at once. Not thread-safe. */
public final class OutputChannel implements WritableByteChannel {
    private final Output out;

    OutputChannel(Output out) {
        this.out = out;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int bytes = source.remaining();
        out.bytes(source);
        out.flush();
        return bytes;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    /** It is not this channel's to close. */
    @Override
    public void close() {}
}
