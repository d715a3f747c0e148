// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import magnet.config.MagnetConfig;
import magnet.control.ControlException;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.NoticeListener;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.handler.run.HandlerKernel;
import magnet.handler.run.NetlinkHandlerKernel;
import magnet.job.JobNames;
import magnet.machine.ServiceProcess;
import magnet.machine.UnwatchedJobs;
import magnet.magnetfs.BufferDirectory;
import magnet.measure.ControlPoints;
import magnet.measure.KernelFacts;
import magnet.measure.OwnBuffer;
import magnet.measure.PointException;
import magnet.measure.RecordSource;
import magnet.os.Errno;
import magnet.publish.muse.EventTap;
import magnet.record.RecordHandler;
import magnet.recorder.RecorderSave;
import magnet.recorder.TriggeredSaves;
import org.jspecify.annotations.Nullable;

/** The real module, by its control socket and data files. */
final class NetlinkKernel implements SensorKernel {
    private final MagnetControl control;
    private final ModuleInfo info;
    private final KernelFacts facts;
    private final Map<Integer, String> dropReasons;
    private final ControlPoints points;
    private @Nullable OwnBuffer buffer;

    private NetlinkKernel(
            MagnetControl control, ModuleInfo info, Map<Integer, String> dropReasons, List<PointInfo> known) {
        this.points = new ControlPoints(control, BUFFER, known, Set.of());
        this.control = control;
        this.info = info;
        this.dropReasons = dropReasons;
        this.facts = KernelFacts.of(info);
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
                return new NetlinkKernel(control, control.info(), control.dropReasons(), control.points());
            } catch (IOException e) {
                control.close();
                throw e;
            }
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.NO_MODULE, e);
        }
    }

    @Override
    public KernelFacts facts() {
        return facts;
    }

    @Override
    public Map<Integer, String> dropReasons() {
        return dropReasons;
    }

    @Override
    public Optional<UnwatchedJobs> unwatchedJobs(JobNames names) throws IOException {
        return UnwatchedJobs.find(Path.of("/"), Path.of("/proc"), names::nameOf);
    }

    @Override
    public int createBuffer(long bytes) throws ServiceException {
        try {
            OwnBuffer made = OwnBuffer.create(control, info, BufferDirectory::find, BUFFER, bytes);
            buffer = made;
            return made.cpus();
        } catch (ControlException e) {
            if (e.errno() == Errno.EEXIST) {
                throw new ServiceException(
                        ExitCode.ALREADY_RUNNING,
                        "another magnetd is running" + which(Path.of("/proc")) + ": it has the kernel buffer " + BUFFER,
                        e);
            }
            throw refused(e);
        } catch (NoSuchFileException e) {
            throw ServiceException.of(ExitCode.NO_PERMISSION, e);
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.INTERNAL, e);
        }
    }

    /** To follow "another magnetd is running": the process, if it can be seen. */
    static String which(Path processes) {
        try {
            OptionalLong process = ServiceProcess.find(processes);
            return process.isPresent() ? ", process " + process.getAsLong() : "";
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public Subscription subscribe(String point, Selection selection) throws PointException, IOException {
        return points.subscribe(point, selection);
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
    public Doubts doubts() {
        return points.doubts(Set.of(BUFFER, HandlerKernel.BUFFER));
    }

    @Override
    public RecordSource open(MagnetConfig config, RecordHandler handler) throws ServiceException {
        return BufferSource.open(Objects.requireNonNull(buffer), facts, config, handler);
    }

    @Override
    public HandlerKernel connectHandlers() throws IOException {
        return NetlinkHandlerKernel.connect();
    }

    @Override
    public EventTap tap(MagnetConfig config, RecordHandler handler) throws IOException {
        return MuseTap.open(config, handler);
    }

    @Override
    public TriggeredSaves.Kernel recorders() {
        return new TriggeredSaves.Kernel() {
            @Override
            public MagnetControl control() throws IOException {
                return MagnetControl.open();
            }

            @Override
            public NoticeListener notices() throws IOException {
                return NoticeListener.open();
            }

            @Override
            public RecorderSave.Machine machine() {
                return RecorderSave.Machine.running(BufferDirectory::find);
            }
        };
    }

    @Override
    public void close() {
        control.close();
    }

    /** What a refusal by the kernel means to the service. */
    static ServiceException refused(ControlException e) {
        if (e.errno() == Errno.EPERM) {
            return ServiceException.of(ExitCode.NO_PERMISSION, e);
        }
        return ServiceException.of(ExitCode.INTERNAL, e);
    }
}
