// SPDX-License-Identifier: Apache-2.0
package magnet.testing;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** A named pipe: behaves towards poll, O_NONBLOCK and the end of file as a data file of the module does. */
public final class Fifo implements AutoCloseable {
    private final Path path;
    private final RandomAccessFile writer;

    private Fifo(Path path, RandomAccessFile writer) {
        this.path = path;
        this.writer = writer;
    }

    /** Makes one and opens it for writing: readers reach its end when it is closed. */
    public static Fifo create(Path path) throws IOException {
        Process mkfifo =
                new ProcessBuilder("mkfifo", path.toString()).inheritIO().start();
        try {
            if (mkfifo.waitFor() != 0) {
                throw new IOException("mkfifo " + path + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        return new Fifo(path, new RandomAccessFile(path.toFile(), "rw"));
    }

    public Path path() {
        return path;
    }

    public void write(byte[] bytes) throws IOException {
        writer.write(bytes);
    }

    /** Writes the first bytes of a buffer. */
    public void write(ByteBuffer buffer, int size) throws IOException {
        byte[] bytes = new byte[size];
        buffer.get(0, bytes);
        write(bytes);
    }

    /** Whether all that was written was read. */
    @SuppressWarnings("resource") // the descriptor is the writer's
    public boolean isEmpty() throws IOException {
        return new FileInputStream(writer.getFD()).available() == 0;
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
