// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * When an RRD file was updated, as it stands in it: what is written through a mapping of a tmpfs file does not change the
 * file's own time. The layout is that of {@code rrd_format.h}, version 3, on machines of 64 bits:
 *
 * <pre>
 *   0 cookie, version   16 a float   24 data sources   32 archives   40 step, parameters
 * 128 data sources and archives, 120 bytes each, and after them the time of the last update
 * </pre>
 */
final class RrdFile {
    private static final int SOURCES_AT = 24;
    private static final int ARCHIVES_AT = 32;
    private static final int DEFINITIONS_AT = 128;
    private static final int DEFINITION_BYTES = 120;
    private static final int HEADER_BYTES = 2_048;

    private RrdFile() {}

    /** The time of its newest value. */
    static Instant updated(Path file) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.nativeOrder());
        try (SeekableByteChannel channel = Files.newByteChannel(file)) {
            if (channel.read(header) < HEADER_BYTES) {
                throw new EOFException(file + " is too short");
            }
        }
        long definitions = header.getLong(SOURCES_AT) + header.getLong(ARCHIVES_AT);
        return Instant.ofEpochSecond(header.getLong((int) (DEFINITIONS_AT + definitions * DEFINITION_BYTES)));
    }
}
