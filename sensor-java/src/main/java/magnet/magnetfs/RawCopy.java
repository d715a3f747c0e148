// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that gets the bytes of every batch as they were read. Not thread-safe. */
final class RawCopy implements AutoCloseable {
    private final FileChannel channel;

    /** Begins an empty file {@code cpuN.raw} in a folder. */
    RawCopy(Path directory, int cpu) throws IOException {
        channel = FileChannel.open(
                directory.resolve("cpu" + cpu + ".raw"),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE);
    }

    void write(ByteBuffer batch, int offset, int length) throws IOException {
        ByteBuffer range = batch.slice(offset, length);
        while (range.hasRemaining()) {
            channel.write(range);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
