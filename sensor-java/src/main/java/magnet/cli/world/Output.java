// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import magnet.os.BrokenPipe;
import org.jspecify.annotations.Nullable;

/**
 * Where a command prints to. Unlike a PrintStream it says when it cannot be written any more, once: what is in memory by
 * then is lost, and there is nothing left to flush. Not thread-safe, but for {@link #taken()}.
 */
public final class Output {
    /** Nothing can be printed any more. */
    public static final class ClosedException extends IOException {
        private static final long serialVersionUID = 1;

        private final boolean byReader;

        public ClosedException(IOException cause) {
            super("cannot write what was asked for: " + Complaint.about(cause), cause);
            this.byReader = BrokenPipe.is(cause);
        }

        /** Whether nobody reads any more, which is no error, but the end. */
        public boolean isByReader() {
            return byReader;
        }
    }

    private static final int BUFFER_BYTES = 64 * 1024;

    private final OutputStream stream;
    private final AtomicLong taken = new AtomicLong();
    private @Nullable ClosedException closed;

    public Output(OutputStream stream) {
        this.stream = new BufferedOutputStream(stream, BUFFER_BYTES);
    }

    public void line(CharSequence text) throws ClosedException {
        text(text + "\n");
    }

    /** Without an end of the line. */
    public void text(CharSequence text) throws ClosedException {
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        bytes(bytes, 0, bytes.length);
    }

    /** As they are. */
    public void bytes(byte[] bytes, int offset, int length) throws ClosedException {
        if (closed != null) {
            throw closed;
        }
        try {
            stream.write(bytes, offset, length);
            taken.lazySet(taken.get() + length);
        } catch (IOException e) {
            throw close(e);
        }
    }

    /** Bytes that are no text: from position to limit, to which the position moves. */
    public void bytes(ByteBuffer buffer) throws ClosedException {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        bytes(bytes, 0, bytes.length);
    }

    /** Bytes so far; for any thread. */
    public long taken() {
        return taken.get();
    }

    public void line() throws ClosedException {
        line("");
    }

    public void flush() throws ClosedException {
        if (closed != null) {
            return;
        }
        try {
            stream.flush();
        } catch (IOException e) {
            throw close(e);
        }
    }

    private ClosedException close(IOException cause) {
        ClosedException e = new ClosedException(cause);
        closed = e;
        return e;
    }
}
