// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.nio.ByteBuffer;

/** Counts events. Its reply is the count as u32, which begins anew after 2^32. */
final class CountHandler extends ClientHandler {
    private int count;

    CountHandler() {
        super(Kind.COUNT);
    }

    @Override
    void onEvent(MuseEvent event) {
        count++;
    }

    @Override
    void reply(ByteBuffer into, long now) {
        into.putInt(count);
    }
}
