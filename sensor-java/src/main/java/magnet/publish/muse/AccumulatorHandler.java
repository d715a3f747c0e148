// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.nio.ByteBuffer;

/** Adds up the bytes of events. Its reply is the sum as u64. */
final class AccumulatorHandler extends ClientHandler {
    private long sum;

    AccumulatorHandler() {
        super(Kind.ACCUMULATOR);
    }

    @Override
    void onEvent(MuseEvent event) {
        sum += event.size;
    }

    @Override
    void reply(ByteBuffer into, long now) {
        into.putLong(sum);
    }
}
