// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.Selection;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.CollectorSettings;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events that are selected by rules, which act in the kernel and change under way: by a control socket and a buffer of their
 * own, so that the rules keep nothing from anybody else. For one thread.
 */
public final class SelectedEvents implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(SelectedEvents.class);

    /** For the end of the last one's buffer. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(3);

    private final String buffer;
    private final MagnetControl control;
    private final BufferReading reading;
    private final ModuleInfo module;
    private final ClockModel clockModel;
    /** What is subscribed, with the rules that act in the kernel. */
    private final Map<EventType, String> selected = new EnumMap<>(EventType.class);

    private SelectedEvents(
            String buffer, MagnetControl control, BufferReading reading, ModuleInfo module, ClockModel clockModel) {
        this.buffer = buffer;
        this.control = control;
        this.reading = reading;
        this.module = module;
        this.clockModel = clockModel;
    }

    /**
     * Makes the buffer, with nothing subscribed.
     *
     * @param buffer its name
     * @param thread name of the thread that asks the kernel
     * @param settings how it is read
     * @param bytes its size for each CPU
     * @param handler gets the records
     * @throws IOException if the module does not grant it
     */
    public static SelectedEvents open(
            String buffer, String thread, CollectorSettings settings, long bytes, RecordHandler handler)
            throws IOException {
        MagnetControl control = MagnetControl.open();
        try {
            ModuleInfo module = control.info();
            OwnBuffer own = OwnBuffer.createSoon(
                    control, module, BufferDirectory::find, buffer, bytes, LONGEST_WAIT, () -> false);
            ClockModel clockModel = module.clockModel();
            BufferReading reading = BufferReading.open(own, thread, handler, clockModel, settings, Set.of());
            return new SelectedEvents(buffer, control, reading, module, clockModel);
        } catch (IOException e) {
            control.close();
            throw e;
        }
    }

    /**
     * Has these events from now on, and no others. Adds before it takes away, so that who stays misses nothing.
     *
     * @param rules for each event the rules that act in the kernel; all of its events if they are empty
     * @throws IOException if this kernel does not have one of them; then it has those that it had before, or more
     */
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

    /** Places the timers of the records in time, as far as they are handed on. */
    public ClockModel clockModel() {
        return clockModel;
    }

    /** Ticks of the records' timer in a millisecond. */
    public long ticksPerMilli() {
        return module.ticksPerMilli();
    }

    /** Hands on what is there but for the newest, which may not be in order yet. */
    public void read() throws IOException {
        // Which also finds CPUs that came online.
        reading.work(0);
        reading.catchUp();
        checkThere();
    }

    /** Hands on everything that was logged before the call. */
    public void readAll() throws IOException {
        reading.work(0);
        reading.drainWhatIsThere();
        checkThere();
    }

    private void checkThere() throws IOException {
        if (reading.hasEnded()) {
            throw new IOException("the buffer " + buffer + " was removed");
        }
    }

    @Override
    public void close() {
        try {
            reading.close();
        } catch (IOException e) {
            LOGGER.debug("closing {} failed", buffer, e);
        } finally {
            control.close();
        }
    }
}
