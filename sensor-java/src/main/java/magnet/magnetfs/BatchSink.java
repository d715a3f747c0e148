// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes what is read, batch by batch, before its records are put in order. */
@FunctionalInterface
public interface BatchSink {
    /**
     * Called with each batch of a CPU, in the collector's thread.
     *
     * @param cpu the CPU
     * @param batch holds whole records, which must stay as they are; valid during this call
     * @param offset index of the first record
     * @param length bytes
     */
    void onBatch(int cpu, ByteBuffer batch, int offset, int length) throws IOException;
}
