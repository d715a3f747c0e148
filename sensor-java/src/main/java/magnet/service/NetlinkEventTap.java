// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.config.MagnetConfig;
import magnet.control.ControlException;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.Selection;
import magnet.measure.ControlPoints;
import magnet.measure.RecordSource;
import magnet.os.Errno;
import magnet.publish.muse.EventTap;
import magnet.record.EventType;
import magnet.record.RecordHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events of the real module, by a control socket and a buffer of their own, so that the rules of clients keep nothing from
 * anybody else. For one thread.
 */
final class NetlinkEventTap implements EventTap {
    private static final Logger LOGGER = LoggerFactory.getLogger(NetlinkEventTap.class);

    /** The buffer's name. */
    static final String BUFFER = "magnetd-muse";

    private static final int AGAIN_MILLIS = 20;
    private static final int AGAIN_TIMES = 150;

    /**
     * What is subscribed of an event.
     *
     * @param id number of the subscription
     * @param rules that act in the kernel
     */
    private record Subscribed(long id, String rules) {}

    private final MagnetControl control;
    private final RecordSource reading;
    private final Map<EventType, Subscribed> subscribed = new EnumMap<>(EventType.class);

    private NetlinkEventTap(MagnetControl control, RecordSource reading) {
        this.control = control;
        this.reading = reading;
    }

    /**
     * Makes the buffer, with nothing subscribed.
     *
     * @throws IOException if the module does not grant it
     */
    static EventTap open(MagnetConfig config, RecordHandler handler) throws IOException {
        MagnetControl control = MagnetControl.open();
        try {
            ModuleInfo info = control.info();
            SensorKernel.Facts facts = NetlinkKernel.facts(info, info.clockModel());
            create(control, config.bufferBytes());
            return new NetlinkEventTap(control, BufferSource.open(BUFFER, facts, config, handler));
        } catch (ServiceException e) {
            control.close();
            throw new IOException(e.getMessage(), e);
        } catch (IOException e) {
            control.close();
            throw e;
        }
    }

    /** The module needs a moment to end what belonged to the last one. */
    private static void create(MagnetControl control, long bytes) throws IOException {
        for (int tries = 0; ; tries++) {
            try {
                control.createBuffer(BUFFER, bytes, Set.of());
                return;
            } catch (ControlException e) {
                if (e.errno() != Errno.EEXIST || tries == AGAIN_TIMES) {
                    throw e;
                }
            }
            try {
                Thread.sleep(AGAIN_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }

    /** Adds before it takes away, so that who stays misses nothing. */
    @Override
    public void select(Map<EventType, String> rules) throws IOException {
        for (Map.Entry<EventType, String> each : rules.entrySet()) {
            subscribe(each.getKey(), each.getValue());
        }
        for (EventType type : List.copyOf(subscribed.keySet())) {
            if (!rules.containsKey(type)) {
                Subscribed ended = subscribed.remove(type);
                if (ended != null) {
                    ControlPoints.unsubscribe(control, ended.id);
                }
            }
        }
    }

    private void subscribe(EventType type, String rules) throws IOException {
        Subscribed before = subscribed.get(type);
        try {
            if (before == null) {
                Selection selection = rules.isEmpty() ? Selection.NONE : Selection.NONE.withRules(rules);
                long id = control.subscribe(type.label(), BUFFER, Set.of(), selection)
                        .id();
                subscribed.put(type, new Subscribed(id, rules));
            } else if (!before.rules.equals(rules)) {
                control.changeSubscription(before.id, Selection.NONE.withRules(rules));
                subscribed.put(type, new Subscribed(before.id, rules));
            }
        } catch (ControlException e) {
            throw new IOException(type.label() + ": " + e.kernelText().orElse(String.valueOf(e.getMessage())), e);
        } catch (IllegalArgumentException e) {
            throw new IOException(type.label() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void read() throws IOException {
        // Which also finds CPUs that came online.
        reading.doWork(0);
        reading.catchUp();
        checkThere();
    }

    @Override
    public void readAll() throws IOException {
        reading.doWork(0);
        reading.drainWhatIsThere();
        checkThere();
    }

    private void checkThere() throws IOException {
        if (reading.hasEnded()) {
            throw new IOException("the buffer " + BUFFER + " was removed");
        }
    }

    @Override
    public void close() {
        try {
            reading.close();
        } catch (IOException e) {
            LOGGER.debug("closing {} failed", BUFFER, e);
        } finally {
            control.close();
        }
    }
}
