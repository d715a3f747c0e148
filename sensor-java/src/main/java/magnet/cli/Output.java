// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/** Where a command prints to. Unlike a PrintStream it says when nobody reads any more. Not thread-safe, but for {@link #taken()}. */
final class Output {
    /** Nobody reads any more: no error, but the end. */
    static final class ClosedException extends IOException {
        private static final long serialVersionUID = 1;

        ClosedException(IOException cause) {
            super("the output was closed", cause);
        }
    }

    private static final int BUFFER_BYTES = 64 * 1024;

    private final OutputStream stream;
    private final AtomicLong taken = new AtomicLong();

    Output(OutputStream stream) {
        this.stream = new BufferedOutputStream(stream, BUFFER_BYTES);
    }

    void line(CharSequence text) throws ClosedException {
        text(text + "\n");
    }

    /** Without an end of the line. */
    void text(CharSequence text) throws ClosedException {
        try {
            byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
            stream.write(bytes);
            taken.lazySet(taken.get() + bytes.length);
        } catch (IOException e) {
            throw new ClosedException(e);
        }
    }

    /** Bytes so far; for any thread. */
    long taken() {
        return taken.get();
    }

    void line() throws ClosedException {
        line("");
    }

    void flush() throws ClosedException {
        try {
            stream.flush();
        } catch (IOException e) {
            throw new ClosedException(e);
        }
    }
}
