// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.config.MagnetConfig;
import magnet.control.ControlException;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.Selection;
import magnet.measure.ControlPoints;
import magnet.measure.PointException;
import magnet.measure.RecordSource;
import magnet.os.Errno;
import magnet.record.RecordHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The real module, by a control socket of its own, which owns what own handlers have in the kernel. */
final class NetlinkHandlerKernel implements HandlerKernel {
    private static final Logger LOGGER = LoggerFactory.getLogger(NetlinkHandlerKernel.class);

    private final MagnetControl control;
    private final SensorKernel.Facts facts;
    private final ControlPoints points;

    private NetlinkHandlerKernel(MagnetControl control, ModuleInfo info) {
        this.control = control;
        this.points = new ControlPoints(control, BUFFER, List.of(), Set.of());
        this.facts = NetlinkKernel.facts(info, info.clockModel());
    }

    static NetlinkHandlerKernel connect() throws ServiceException {
        try {
            MagnetControl control = MagnetControl.open();
            try {
                return new NetlinkHandlerKernel(control, control.info());
            } catch (IOException e) {
                control.close();
                throw e;
            }
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.NO_MODULE, e);
        }
    }

    @Override
    public SensorKernel.Facts facts() {
        return facts;
    }

    @Override
    public void createBuffer(long bytes) throws ServiceException {
        try {
            control.createBuffer(BUFFER, bytes, Set.of());
        } catch (ControlException e) {
            throw ServiceException.of(e.errno() == Errno.EEXIST ? ExitCode.ALREADY_RUNNING : ExitCode.INTERNAL, e);
        } catch (IOException e) {
            throw ServiceException.of(ExitCode.INTERNAL, e);
        }
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
    public RecordSource open(MagnetConfig config, RecordHandler handler) throws ServiceException {
        return BufferSource.open(BUFFER, facts, config, handler);
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
