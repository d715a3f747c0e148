// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;

/** Where packets are shown. */
interface PacketSink {
    /** Shows a packet, which is used again afterwards. */
    void onPacket(CapturedPacket packet) throws IOException;

    /** Brings what was shown to where it belongs. */
    void flush() throws IOException;
}
