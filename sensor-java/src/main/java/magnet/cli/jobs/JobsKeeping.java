// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import magnet.cli.world.DurationOption;
import magnet.cli.world.Failure;
import magnet.cli.world.LiveReading;
import magnet.cli.world.PointChoice;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.control.Selection;
import magnet.measure.BufferReading;
import magnet.measure.OwnBuffer;
import magnet.record.RecordFlyweight;
import magnet.record.RecordHandler;

/** Looks for escapes whenever gtrace has told one, until the user interrupts or the time is over. For one run. */
final class JobsKeeping {
    private static final String POINT = "gtrace_escape";
    /** Some hundred events for each CPU; more of them say nothing more. */
    private static final long BUFFER_BYTES = 64 * 1024;

    private final World world;
    private final Escapes escapes;
    private final DurationOption duration;
    private final LiveReading live;

    /** Whether there was an event, or one may have been lost, since the last look. */
    private static final class Bell implements RecordHandler {
        private boolean rings = true;

        @Override
        public void onRecord(RecordFlyweight record) {
            rings = true;
        }

        @Override
        public void onGap(int cpu) {
            rings = true;
        }

        boolean take() {
            boolean rang = rings;
            rings = false;
            return rang;
        }
    }

    JobsKeeping(World world, Escapes escapes, DurationOption duration) {
        this.world = world;
        this.escapes = escapes;
        this.duration = duration;
        this.live = new LiveReading(world, "keep");
    }

    /** Runs. */
    void run() throws IOException {
        try (MagnetControl control = world.control().open()) {
            ModuleInfo module = control.info();
            checkPoint(control.points());
            Bell bell = new Bell();
            OwnBuffer buffer = live.buffer(control, module, BUFFER_BYTES);
            try (BufferReading reading =
                    BufferReading.open(buffer, "magnet-keep", bell, module.clockModel(), world.reading(), Set.of())) {
                live.endsAtInterrupt(reading, escapes::count);
                reading.subscribe(Map.of(POINT, Selection.NONE));
                escapes.tellMissing();
                keep(reading, bell);
                tellEnd(reading);
            }
        }
    }

    private static void checkPoint(List<PointInfo> known) throws Failure {
        if (!PointChoice.ids(known).containsKey(POINT)) {
            throw new Failure("the module magnet_gtrace is not loaded, so there are no tasks; load it: modprobe"
                    + " magnet_gtrace");
        }
    }

    private void keep(BufferReading reading, Bell bell) throws IOException {
        live.read(reading, world.clock().nanos(), duration.nanos(), () -> false, (now, left) -> {
            if (bell.take()) {
                escapes.look();
            }
            reading.work(LiveReading.sleepMillis(left));
        });
    }

    private void tellEnd(BufferReading reading) throws IOException {
        String seen = escapes.count() == 1
                ? "1 process outside of its cgroup"
                : escapes.count() + " processes outside of their cgroups";
        if (reading.hasEnded()) {
            live.tellRemoved(seen);
        } else {
            world.tell(seen);
        }
    }
}
