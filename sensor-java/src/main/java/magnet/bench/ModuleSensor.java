// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.CollectorSource;
import magnet.measure.ControlPoints;
import magnet.measure.OwnBuffer;
import magnet.measure.PointException;
import magnet.record.RecordFlyweight;

/** The kernel module, with a buffer and points of its own that end with its socket, whatever becomes of the process. */
public final class ModuleSensor implements Sensor {
    private static final Selection DROPPED = Selection.NONE.withRules("drop");
    private static final int RECORD_ROOM = 64;

    private final MagnetControl control;
    private final String name = "bench_" + ProcessHandle.current().pid();
    private final long tgid = ProcessHandle.current().pid();
    private final ControlPoints points;
    private final CollectorSource source;
    private int inserted;
    private int counted;
    private long events;

    private ModuleSensor(MagnetControl control, OwnBuffer.Finder finder, CollectorSettings reading, Plan plan)
            throws IOException {
        this.control = control;
        ModuleInfo module = control.info();
        // All of a round's records have room: nobody reads while it is measured.
        long room = (long) plan.eventsOfRound() * RECORD_ROOM;
        OwnBuffer buffer =
                OwnBuffer.create(control, module, finder, name, Math.max(MagnetControl.BUFFER_SIZE_DEFAULT, room));
        this.points = buffer.points(List.of(), Set.of());
        this.source = buffer.read(this::onRecord, module.clockModel(), buffer.fitted(reading));
    }

    /**
     * Makes a buffer and becomes its reader.
     *
     * @param control closed with the sensor, also when this fails
     */
    public static ModuleSensor open(
            MagnetControl control, OwnBuffer.Finder finder, CollectorSettings reading, Plan plan) throws IOException {
        try {
            return new ModuleSensor(control, finder, reading, plan);
        } catch (IOException e) {
            control.close();
            throw e;
        }
    }

    @Override
    public PointInfo insert(String definition) throws IOException {
        return control.insertPoint(name + "_" + inserted++, definition, Set.of());
    }

    @Override
    public void remove(PointInfo point) throws IOException {
        control.removePoint(point.name());
    }

    @Override
    public List<PointInfo> points() throws IOException {
        return control.points();
    }

    @Override
    public long switchOn(PointInfo point, boolean logged) throws IOException {
        try {
            return points.subscribe(point.name(), logged ? Selection.NONE : DROPPED)
                    .id();
        } catch (PointException e) {
            throw e.refusal().orElseGet(() -> new IOException(e.getMessage(), e));
        }
    }

    @Override
    public void switchOff(long subscription) throws IOException {
        points.unsubscribe(subscription);
    }

    @Override
    public long takeEvents(PointInfo point) throws IOException {
        counted = point.event();
        events = 0;
        source.drainWhatIsThere();
        return events;
    }

    private void onRecord(RecordFlyweight record) {
        if (record.event() == counted && record.tgid() == tgid) {
            events++;
        }
    }

    @Override
    public void close() throws IOException {
        try (control) {
            source.close();
        }
    }
}
