// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.nio.ByteBuffer;

/**
 * How much programs send and receive, in bytes per second: since the start, and in the last whole block of time.
 *
 * <p>Its reply: five doubles, sent and received since the start, sent and received in the last block, and when the
 * present block began, in seconds since 1970; u32 number of the present block, from 0; u32 events lost.
 */
final class BandwidthHandler extends ClientHandler {
    private static final int SENT = 0;
    private static final int RECEIVED = 1;

    private final boolean tcpOnly;
    private final long ticksPerSecond;
    private final long blockTicks;
    private final TickClock clock;
    private final long[] all = new long[2];
    private final long[] inBlock = new long[2];
    private final long[] inLastBlock = new long[2];
    private long block;
    private double endedSeconds;

    /**
     * @param kind for all of internet sockets, or TCP's only
     * @param blockSeconds length of a block
     */
    BandwidthHandler(Kind kind, double blockSeconds, TickClock clock) {
        super(kind);
        this.tcpOnly = kind == Kind.TCP_BANDWIDTH;
        this.clock = clock;
        this.ticksPerSecond = clock.ticksPerSecond();
        this.blockTicks = Math.max(1, Math.round(blockSeconds * ticksPerSecond));
    }

    @Override
    void onEvent(MuseEvent event) {
        if (tcpOnly && !event.isTcp) {
            return;
        }
        goOn(event.timer);
        int way = event.number == MuseEvent.SOCKET_SEND ? SENT : RECEIVED;
        all[way] += event.size;
        inBlock[way] += event.size;
    }

    @Override
    void ended(long timer) {
        goOn(timer);
        endedSeconds = clock.realtimeSeconds(timer);
    }

    private void goOn(long timer) {
        long now = ticks(timer) / blockTicks;
        if (now > block) {
            for (int way = 0; way < all.length; way++) {
                inLastBlock[way] = now == block + 1 ? inBlock[way] : 0;
                inBlock[way] = 0;
            }
            block = now;
        }
    }

    @Override
    void reply(ByteBuffer into, long now) {
        if (isStarted()) {
            goOn(now);
        }
        double seconds = (double) ticks(now) / ticksPerSecond;
        double blockSeconds = (double) blockTicks / ticksPerSecond;
        into.putDouble(rate(all[SENT], seconds)).putDouble(rate(all[RECEIVED], seconds));
        into.putDouble(inLastBlock[SENT] / blockSeconds).putDouble(inLastBlock[RECEIVED] / blockSeconds);
        double asOf = isStarted() ? clock.realtimeSeconds(now) : endedSeconds;
        into.putDouble(asOf - (double) (ticks(now) - block * blockTicks) / ticksPerSecond);
        into.putInt((int) block).putInt((int) Math.min(lost(), 0xffff_ffffL));
    }

    private static double rate(long bytes, double seconds) {
        return seconds > 0 ? bytes / seconds : 0;
    }
}
