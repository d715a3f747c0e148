// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import magnet.control.BufferInfo;
import magnet.control.ControlException;
import magnet.control.Flag;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorSettings;
import magnet.os.Errno;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A buffer that somebody makes in the kernel for events of his own. It ends with the control socket, whatever becomes of
 * the process. For one thread at a time.
 */
public final class OwnBuffer {
    /** Finds a buffer's data files. */
    @FunctionalInterface
    public interface Finder {
        /** The folder of a buffer's files. */
        BufferDirectory find(String buffer) throws IOException;
    }

    private static final Logger LOGGER = LoggerFactory.getLogger(OwnBuffer.class);
    private static final int AGAIN_MILLIS = 20;

    private final MagnetControl control;
    private final ModuleInfo module;
    private final String name;
    private final long bytes;
    private final BufferDirectory directory;

    private OwnBuffer(MagnetControl control, ModuleInfo module, String name, long bytes, BufferDirectory directory) {
        this.control = control;
        this.module = module;
        this.name = name;
        this.bytes = bytes;
        this.directory = directory;
    }

    /**
     * Makes one.
     *
     * @param control whose it is
     * @param module what the module says of itself
     * @param bytes size for each CPU; the kernel rounds up
     */
    public static OwnBuffer create(MagnetControl control, ModuleInfo module, Finder finder, String name, long bytes)
            throws IOException {
        control.createBuffer(name, bytes, Set.of());
        return new OwnBuffer(control, module, name, bytes, finder.find(name));
    }

    /**
     * The same where one of the name may still be there, for a moment: the module ends what belonged to another socket soon
     * after that is closed. Sleeps meanwhile.
     *
     * @param longest after which one that is there is not waited for
     * @param isOver whether nobody wants it any more
     * @throws IOException EEXIST if it is still there then
     */
    public static OwnBuffer createSoon(
            MagnetControl control,
            ModuleInfo module,
            Finder finder,
            String name,
            long bytes,
            Duration longest,
            BooleanSupplier isOver)
            throws IOException {
        for (long left = longest.toMillis(); ; left -= AGAIN_MILLIS) {
            try {
                return create(control, module, finder, name, bytes);
            } catch (ControlException e) {
                if (e.errno() != Errno.EEXIST || left <= 0 || isOver.getAsBoolean()) {
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

    /** CPUs that it has a ring for, at least one. */
    public int cpus() throws IOException {
        return Math.max(1, directory.cpus().size());
    }

    /**
     * What subscribes into it.
     *
     * @param known all points that this kernel tells of, if their gaps are of interest
     * @param flags of the subscriptions
     */
    public ControlPoints points(List<PointInfo> known, Set<Flag> flags) {
        return points(known, flags, Map.of());
    }

    /**
     * The same where some points do not log every event.
     *
     * @param rules the rules of each of these, by its name
     */
    ControlPoints points(List<PointInfo> known, Set<Flag> flags, Map<String, String> rules) {
        return new ControlPoints(control, name, known, flags, rules);
    }

    /** These settings where nobody has chosen them for a buffer of this size. */
    public CollectorSettings fitted(CollectorSettings settings) {
        return settings.forBuffersOf(bytes);
    }

    /**
     * Becomes its reader.
     *
     * @param clockModel ties its timer to CLOCK_MONOTONIC
     */
    public CollectorSource read(RecordHandler handler, ClockModel clockModel, CollectorSettings settings)
            throws IOException {
        return new CollectorSource(
                Collector.open(directory, module.layout(), clockModel, handler, settings),
                mostBytes(),
                this::ringBytes);
    }

    /** The kernel rounds up to a power of two. */
    private long mostBytes() {
        return 2 * bytes;
    }

    /** Bytes of one CPU's ring at most, as of now: the buffer may have been resized. As it was made if that cannot be asked. */
    long ringBytes() {
        try {
            return control.buffers().stream()
                    .filter(each -> each.name().equals(name))
                    .mapToLong(BufferInfo::size)
                    .max()
                    .orElse(mostBytes());
        } catch (IOException e) {
            LOGGER.debug("no size of {}: {}", name, e.getMessage());
            return mostBytes();
        }
    }

    /** Removes it, with what is in it. */
    public void remove() throws IOException {
        control.removeBuffer(name);
    }

    /** Its name. */
    public String name() {
        return name;
    }
}
