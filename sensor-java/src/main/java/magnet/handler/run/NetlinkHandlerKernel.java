// SPDX-License-Identifier: Apache-2.0
package magnet.handler.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import magnet.control.ControlException;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.Selection;
import magnet.machine.SystemCalls;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.ControlPoints;
import magnet.measure.KernelFacts;
import magnet.measure.OwnBuffer;
import magnet.measure.PointException;
import magnet.measure.RecordSource;
import magnet.record.RecordHandler;
import magnet.record.WordKind;
import magnet.record.Words;
import magnet.trace.LiveFormats;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The real module, by a control socket of its own, which owns what own handlers have in the kernel. */
public final class NetlinkHandlerKernel implements HandlerKernel {
    private static final Logger LOGGER = LoggerFactory.getLogger(NetlinkHandlerKernel.class);

    /** A machine that has much to do takes its time to end the last run's points. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private static final Path FORMAT = Path.of("/sys/kernel/debug/magnet/control/format");

    private final MagnetControl control;
    private final ModuleInfo info;
    private final KernelFacts facts;
    private final ControlPoints points;
    private @Nullable OwnBuffer buffer;

    private NetlinkHandlerKernel(MagnetControl control, ModuleInfo info) {
        this.control = control;
        this.info = info;
        this.points = new ControlPoints(control, BUFFER, List.of(), Set.of());
        this.facts = KernelFacts.of(info);
    }

    /**
     * Connects to the module.
     *
     * @throws IOException if there is none that can be talked to
     */
    public static NetlinkHandlerKernel connect() throws IOException {
        MagnetControl control = MagnetControl.open();
        try {
            return new NetlinkHandlerKernel(control, control.info());
        } catch (IOException e) {
            control.close();
            throw e;
        }
    }

    @Override
    public KernelFacts facts() {
        return facts;
    }

    /** As far as the control file can be read, and with the kernel's reasons to drop a packet. */
    @Override
    public Words words() throws IOException {
        LiveFormats formats = new LiveFormats(info.layout(), () -> Files.readAllLines(FORMAT), Map::of);
        return formats.words()
                .with(WordKind.DROP_REASON, control.dropReasons())
                .with(
                        WordKind.SYSTEM_CALL,
                        SystemCalls.of(SystemCalls.runningMachine()).own());
    }

    @Override
    public void createBuffer(long bytes, BooleanSupplier isOver) throws IOException {
        buffer = OwnBuffer.createSoon(control, info, BufferDirectory::find, BUFFER, bytes, LONGEST_WAIT, isOver);
    }

    @Override
    public int insert(String name, String definition) throws PointException {
        try {
            return control.insertPoint(name, definition, Set.of()).event();
        } catch (IOException e) {
            throw refused(e);
        }
    }

    @Override
    public void remove(String name) {
        try {
            control.removePoint(name);
        } catch (IOException e) {
            LOGGER.debug("point {} is not removed: {}", name, e.getMessage());
        }
    }

    @Override
    public Subscription subscribe(String point, Selection selection) throws PointException, IOException {
        return points.subscribe(point, selection);
    }

    @Override
    public void change(long id, Selection selection) throws PointException, IOException {
        points.change(id, selection);
    }

    @Override
    public List<HitCounts> unsubscribe(long id) throws IOException {
        return points.unsubscribe(id);
    }

    @Override
    public Map<Long, HitCounts> counts() throws IOException {
        return points.counts();
    }

    @Override
    public RecordSource open(CollectorSettings settings, RecordHandler handler) throws IOException {
        return Objects.requireNonNull(buffer).read(handler, facts.clockModel(), settings);
    }

    @Override
    public void close() {
        control.close();
    }

    private static PointException refused(IOException e) {
        String why = e instanceof ControlException refusal
                ? refusal.kernelText().orElse(String.valueOf(e.getMessage()))
                : String.valueOf(e.getMessage());
        return new PointException(why);
    }
}
