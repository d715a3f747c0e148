// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.nio.ByteBuffer;

/** Where packets of one channel go. For one thread. */
interface PacketChannel extends AutoCloseable {

    /** Begins to make itself ready for a burst of packets, if that is due. Does not wait. */
    void begin();

    /** Waits, for a short time at most, until it is ready; false if it cannot be used now, which is counted. */
    boolean prepare();

    /** Sends one packet, without changing the buffer's position. Never throws: what is not sent is counted. */
    void send(ByteBuffer packet);

    /** Packets that were not sent, and times that it could not be made ready. */
    long errors();

    @Override
    void close();
}
