// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.nio.file.Path;

/** Is told which file and which packet the next records of a CPU are of. All records before them were handed on. */
interface PacketListener {
    /** Nobody wants to know. */
    PacketListener NOBODY = new PacketListener() {
        @Override
        public void onFile(int cpu, Path file, RecordFormats formats) {
            // Nobody wants to know.
        }

        @Override
        public void onPacket(int cpu, long begin, long end, long discarded) {
            // Nobody wants to know.
        }
    };

    /**
     * The next records are of a file.
     *
     * @param formats what they look like
     */
    void onFile(int cpu, Path file, RecordFormats formats) throws IOException;

    /**
     * What a packet's header says; it may have no records.
     *
     * @param begin timer
     * @param end timer
     * @param discarded events that were lost from the beginning of the file to the end of the packet
     */
    void onPacket(int cpu, long begin, long end, long discarded) throws IOException;
}
