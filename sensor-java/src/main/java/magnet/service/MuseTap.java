// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.util.Map;
import magnet.config.MagnetConfig;
import magnet.measure.SelectedEvents;
import magnet.os.MonotonicClock;
import magnet.publish.muse.EventTap;
import magnet.publish.muse.TickClock;
import magnet.record.EventType;
import magnet.record.RecordHandler;

/** Lets MUSE's server have events of the module. For one thread. */
record MuseTap(SelectedEvents events, TickClock clock) implements EventTap {
    /** The buffer's name. */
    private static final String BUFFER = "magnetd-muse";

    /**
     * Makes the buffer.
     *
     * @throws IOException if the module does not grant it
     */
    static EventTap open(MagnetConfig config, RecordHandler handler) throws IOException {
        SelectedEvents events = SelectedEvents.open(
                BUFFER, "magnet-muse-conductor", BufferSource.settings(config), config.bufferBytes(), handler);
        return new MuseTap(events, new RecordClock(events.clockModel(), events.ticksPerMilli(), MonotonicClock.SYSTEM));
    }

    @Override
    public void select(Map<EventType, String> rules) throws IOException {
        events.select(rules);
    }

    @Override
    public void read() throws IOException {
        events.read();
    }

    @Override
    public void readAll() throws IOException {
        events.readAll();
    }

    @Override
    public void close() {
        events.close();
    }
}
