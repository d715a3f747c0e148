// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The file of a CPU, which has whole packets at every moment. For one thread. */
final class PacketFile implements AutoCloseable {
    private final Path file;
    private final FileChannel channel;
    private long size;

    /** Makes it; there is none yet. */
    PacketFile(Path file) throws IOException {
        this.file = file;
        try {
            this.channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw named(file, e);
        }
    }

    /** All of it or nothing. */
    void write(ByteBuffer packet) throws IOException {
        long whole = packet.remaining();
        try {
            while (packet.hasRemaining()) {
                channel.write(packet);
            }
        } catch (IOException e) {
            channel.truncate(size);
            channel.position(size);
            throw named(file, e);
        }
        size += whole;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** Errors of a channel do not say of which file they are. */
    static IOException named(Path file, IOException e) {
        if (e instanceof FileSystemException known && known.getReason() != null) {
            return new FileSystemException(file.toString(), null, known.getReason());
        }
        return new FileSystemException(file.toString(), null, String.valueOf(e.getMessage()));
    }
}
