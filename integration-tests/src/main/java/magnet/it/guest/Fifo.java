// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * A pair of named pipes to and from a port of QEMU, for lines of text. Each is opened for reading and writing, so
 * that opening never waits for QEMU. Writing is safe from any thread.
 */
final class Fifo implements Closeable {
    private static final String LAST_LINE = "\u0004";

    private final RandomAccessFile toGuest;
    private final RandomAccessFile fromGuest;
    private final Thread reader;

    /** Opens the pipes {@code base.in} and {@code base.out}; {@code lines} gets each line, in a thread of its own. */
    Fifo(Path base, Consumer<String> lines) throws IOException {
        toGuest = new RandomAccessFile(base + ".in", "rw");
        fromGuest = new RandomAccessFile(base + ".out", "rw");
        reader = new Thread(() -> read(lines), "fifo " + base.getFileName());
        reader.setDaemon(true);
        reader.start();
    }

    synchronized void send(String line) {
        try {
            toGuest.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(Consumer<String> lines) {
        try {
            BufferedReader in = new BufferedReader(
                    new InputStreamReader(Channels.newInputStream(fromGuest.getChannel()), StandardCharsets.UTF_8));
            String line = in.readLine();
            while (line != null && !line.endsWith(LAST_LINE)) {
                lines.accept(line);
                line = in.readLine();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the reader by a line of its own, as nothing else wakes it, and closes both pipes. */
    @Override
    public void close() throws IOException {
        fromGuest.write((LAST_LINE + "\n").getBytes(StandardCharsets.UTF_8));
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        toGuest.close();
        fromGuest.close();
    }
}
