// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import magnet.config.MagnetConfig;
import magnet.control.ControlException;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import magnet.magnetfs.BufferDirectory;
import magnet.os.Errno;
import magnet.publish.muse.EventTap;
import magnet.record.ClockModel;
import magnet.record.RecordHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The real module, by its control socket and data files. */
final class NetlinkKernel implements SensorKernel {
    private static final Logger LOGGER = LoggerFactory.getLogger(NetlinkKernel.class);

    private final MagnetControl control;
    private final ModuleInfo info;
    private final ClockModel clockModel;
    private final Map<Integer, String> dropReasons;
    private final Map<String, String> gaps = new HashMap<>();

    private NetlinkKernel(MagnetControl control, ModuleInfo info, Map<Integer, String> dropReasons) {
        this.control = control;
        this.info = info;
        this.dropReasons = dropReasons;
        this.clockModel = info.clockModel();
    }

    /**
     * Connects to the module.
     *
     * @throws ServiceException with NO_MODULE if there is none that can be talked to
     */
    static NetlinkKernel connect() throws ServiceException {
        try {
            MagnetControl control = MagnetControl.open();
            try {
                NetlinkKernel kernel = new NetlinkKernel(control, control.info(), control.dropReasons());
                for (PointInfo point : control.points()) {
                    kernel.gaps.put(point.name(), gapsOf(point));
                }
                return kernel;
            } catch (IOException e) {
                control.close();
                throw e;
            }
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.NO_MODULE, e);
        }
    }

    @Override
    public Facts facts() {
        return facts(info, clockModel);
    }

    @Override
    public Map<Integer, String> dropReasons() {
        return dropReasons;
    }

    /** What the module says of itself. */
    static Facts facts(ModuleInfo info, ClockModel clockModel) {
        return new Facts(
                info.layout(),
                info.ticksPerMilli(),
                clockModel,
                String.format(
                        Locale.ROOT,
                        "module %s, layout %s, clock %s at %d kHz",
                        info.version(),
                        info.layout().name().toLowerCase(Locale.ROOT),
                        info.clock().name().toLowerCase(Locale.ROOT),
                        info.ticksPerMilli()));
    }

    @Override
    public int createBuffer(long bytes) throws ServiceException {
        try {
            control.createBuffer(BUFFER, bytes, Set.of());
            return Math.max(1, BufferDirectory.find(BUFFER).cpus().size());
        } catch (ControlException e) {
            if (e.errno() == Errno.EEXIST) {
                throw new ServiceException(
                        ExitCode.ALREADY_RUNNING, "another magnetd is running: it has the kernel buffer " + BUFFER, e);
            }
            throw refused(e);
        } catch (NoSuchFileException e) {
            throw ServiceException.of(ExitCode.NO_PERMISSION, e);
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.INTERNAL, e);
        }
    }

    @Override
    public Subscription subscribe(String point) throws PointException, ServiceException {
        try {
            long id = control.subscribe(point, BUFFER, Set.of()).id();
            return new Subscription(id, gaps.getOrDefault(point, ""));
        } catch (ControlException e) {
            if (e.errno() == Errno.EPERM) {
                throw refused(e);
            }
            throw new PointException(e.kernelText().orElse(e.getMessage()));
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.INTERNAL, e);
        }
    }

    @Override
    public List<HitCounts> unsubscribe(long id) {
        return unsubscribe(control, id);
    }

    /** Ends a subscription; gives its final counters, or none if they cannot be had any more. */
    static List<HitCounts> unsubscribe(MagnetControl control, long id) {
        try {
            return control.unsubscribe(id).counts();
        } catch (IOException e) {
            LOGGER.debug("no final counters: {}", e.getMessage());
            return List.of();
        }
    }

    @Override
    public OptionalLong missed(long id) {
        return missed(control, Set.of(id));
    }

    /** Hits that probes of these subscriptions have missed so far; empty if that cannot be asked. */
    static OptionalLong missed(MagnetControl control, Set<Long> ids) {
        try {
            return OptionalLong.of(control.subscriptions().stream()
                    .filter(each -> ids.contains(each.id()))
                    .mapToLong(each -> each.total().missed())
                    .sum());
        } catch (IOException e) {
            LOGGER.debug("no counters: {}", e.getMessage());
            return OptionalLong.empty();
        }
    }

    @Override
    public RecordSource open(MagnetConfig config, RecordHandler handler) throws ServiceException {
        return CollectorSource.open(BUFFER, facts(), config, handler);
    }

    @Override
    public HandlerKernel connectHandlers() throws ServiceException {
        return NetlinkHandlerKernel.connect();
    }

    @Override
    public EventTap tap(MagnetConfig config, RecordHandler handler) throws IOException {
        return NetlinkEventTap.open(config, handler);
    }

    @Override
    public void close() {
        control.close();
    }

    private static String gapsOf(PointInfo point) {
        if (!point.isAvailable()) {
            return "";
        }
        return point.functions().stream()
                .filter(function -> function.state() == PointFunction.State.UNRESOLVED)
                .map(function -> (function.family() + " none of " + String.join(", ", function.tried())).strip())
                .collect(Collectors.joining("; "));
    }

    private static ServiceException refused(ControlException e) {
        if (e.errno() == Errno.EPERM) {
            return ServiceException.of(ExitCode.NO_PERMISSION, e);
        }
        return ServiceException.of(ExitCode.INTERNAL, e);
    }
}
