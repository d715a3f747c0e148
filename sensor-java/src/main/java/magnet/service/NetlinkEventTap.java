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
import magnet.magnetfs.BufferDirectory;
import magnet.measure.BufferReading;
import magnet.measure.OwnBuffer;
import magnet.measure.PointException;
import magnet.measure.Subscriptions;
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

    private final MagnetControl control;
    private final BufferReading reading;
    /** What is subscribed, with the rules that act in the kernel. */
    private final Map<EventType, String> selected = new EnumMap<>(EventType.class);

    private NetlinkEventTap(MagnetControl control, BufferReading reading) {
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
            ModuleInfo module = control.info();
            OwnBuffer buffer = create(control, module, config.bufferBytes());
            return new NetlinkEventTap(
                    control,
                    BufferReading.open(
                            buffer,
                            "magnet-muse-conductor",
                            handler,
                            module.clockModel(),
                            BufferSource.settings(config),
                            Set.of()));
        } catch (IOException e) {
            control.close();
            throw e;
        }
    }

    /** The module needs a moment to end what belonged to the last one. */
    private static OwnBuffer create(MagnetControl control, ModuleInfo module, long bytes) throws IOException {
        for (int tries = 0; ; tries++) {
            try {
                return OwnBuffer.create(control, module, BufferDirectory::find, BUFFER, bytes);
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
        if (rules.equals(selected)) {
            return;
        }
        reading.change(subscriptions -> {
            for (Map.Entry<EventType, String> each : rules.entrySet()) {
                subscribe(subscriptions, each.getKey(), each.getValue());
            }
            for (EventType type : List.copyOf(selected.keySet())) {
                if (!rules.containsKey(type)) {
                    selected.remove(type);
                    subscriptions.end(type.label());
                }
            }
        });
    }

    private void subscribe(Subscriptions subscriptions, EventType type, String rules) throws IOException {
        String before = selected.get(type);
        try {
            if (before == null) {
                subscriptions.add(type.label(), rules.isEmpty() ? Selection.NONE : Selection.NONE.withRules(rules));
            } else if (!before.equals(rules)) {
                subscriptions.change(type.label(), Selection.NONE.withRules(rules));
            }
            selected.put(type, rules);
        } catch (PointException | IllegalArgumentException e) {
            throw new IOException(type.label() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void read() throws IOException {
        // Which also finds CPUs that came online.
        reading.work(0);
        reading.catchUp();
        checkThere();
    }

    @Override
    public void readAll() throws IOException {
        reading.work(0);
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
