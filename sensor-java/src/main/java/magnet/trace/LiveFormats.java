// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import magnet.record.RecordLayout;
import magnet.record.Words;
import org.jspecify.annotations.Nullable;

/**
 * What the running module's events look like: also those of dynamic points and of other modules, and of what was
 * inserted while somebody reads. An id that is not known makes it ask the module again, once for each id. An id that was
 * given away anew keeps its first description. Not thread-safe.
 */
public final class LiveFormats {

    /** Tells what the module's points are called, whenever it is asked. */
    @FunctionalInterface
    public interface NameSource {
        /** Names by the id of their events. */
        Map<Integer, String> names() throws IOException;
    }

    private final RecordFormats formats;
    private final TraceWriter.FormatSource source;
    private final NameSource names;
    private final Map<Integer, String> known = new HashMap<>();
    private final BitSet asked = new BitSet();

    /**
     * Looks for the first time.
     *
     * @param layout the layout that the module writes
     * @param source the control file, which root alone can read
     * @param names what is asked where the file cannot be read: events have names then, and no fields
     */
    public LiveFormats(RecordLayout layout, TraceWriter.FormatSource source, NameSource names) {
        this.formats = new RecordFormats(layout);
        this.source = source;
        this.names = names;
        look();
    }

    /** What an event looks like; null if that is not known. */
    public @Nullable EventFormat event(int id) {
        EventFormat format = formats.event(id);
        if (format != null || isKnown(id)) {
            return format;
        }
        look();
        asked.set(id);
        return formats.event(id);
    }

    /** What an event is called; null if nobody knows. */
    public @Nullable String name(int id) {
        EventFormat format = event(id);
        return format == null ? known.get(id) : format.name();
    }

    /** What numbers in its records mean, as far as the file says it and all kernels agree. */
    public Words words() {
        return formats.words();
    }

    /** Whether the module would say no more. */
    private boolean isKnown(int id) {
        return known.containsKey(id) || asked.get(id);
    }

    private void look() {
        try {
            ControlFormat.addTo(formats, source.lines());
        } catch (IOException withoutFormat) {
            lookAtNames();
        }
    }

    private void lookAtNames() {
        try {
            names.names().forEach(known::putIfAbsent);
        } catch (IOException withoutNames) {
            // Then what is not known stays so.
        }
    }
}
