// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.IOException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.cli.world.Counted;
import magnet.cli.world.Folding;
import magnet.cli.world.Output;
import magnet.cli.world.World;
import magnet.control.ControlException;
import magnet.control.LossNotice;
import magnet.control.MagnetControl;
import magnet.control.Notice;
import magnet.control.NoticeListener;
import magnet.control.UrgentNotice;
import magnet.json.Json;
import magnet.os.Errno;
import magnet.os.OsException;

/**
 * Prints the module's notices, each in a line with the time of its arrival, until there were enough, the time is over,
 * the user interrupts or the module is unloaded. For one run.
 */
public final class NoticeWatch {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int LONGEST_WAIT_MS = 500;
    /** Where it says what. */
    private static final int INDENT = 22;

    private final World world;
    private final EventOptions options;
    private volatile boolean interrupted;
    private long printed;

    /** @param options how many notices, for how long, and whether as JSON */
    NoticeWatch(World world, EventOptions options) {
        this.world = world;
        this.options = options;
    }

    void run() throws IOException {
        try (MagnetControl control = world.control().open();
                NoticeListener listener = world.notices().open()) {
            world.interruption().onInterrupt(() -> interrupted = true);
            if (!options.json()) {
                world.out().line("%-12s  %-6s  %s".formatted("TIME", "NOTICE", "WHAT"));
            }
            world.out().flush();
            listen(control, listener);
        }
        world.tell(Counted.of(printed, "notice") + " printed");
    }

    private void listen(MagnetControl control, NoticeListener listener) throws IOException {
        long start = world.clock().nanos();
        long longest = (long) (options.seconds() * NANOS_PER_SECOND);
        while (!interrupted && printed < options.count()) {
            long left = longest - (world.clock().nanos() - start);
            if (left <= 0) {
                return;
            }
            List<Notice> notices = next(listener, (int) Math.min(LONGEST_WAIT_MS, left / NANOS_PER_MILLI + 1));
            for (Notice notice : notices) {
                print(notice);
            }
            world.out().flush();
            if (notices.isEmpty() && isGone(control)) {
                world.tell("the kernel module was unloaded");
                return;
            }
        }
    }

    private List<Notice> next(NoticeListener listener, int waitMs) throws IOException {
        try {
            return listener.next(waitMs);
        } catch (OsException e) {
            if (e.errno() != Errno.ENOBUFS) {
                throw e;
            }
            world.tell("notices came faster than they were printed, some are gone; the numbers in the next are right");
            return List.of();
        }
    }

    /** A family that has gone does not end its listeners' sockets: it has to be asked for. */
    private static boolean isGone(MagnetControl control) throws IOException {
        try {
            control.info();
            return false;
        } catch (ControlException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
            return true;
        }
    }

    private void print(Notice notice) throws Output.ClosedException {
        if (printed >= options.count()) {
            return;
        }
        Instant now = world.wall().instant();
        if (options.json()) {
            world.out().line(Json.of(asMap(notice, now)));
        } else if (notice instanceof UrgentNotice urgent) {
            line("%s  urgent  point=%s buffer=%s subscription=%d urgents=%d"
                    .formatted(local(now), urgent.point(), urgent.buffer(), urgent.subscription(), urgent.urgents()));
        } else if (notice instanceof LossNotice loss) {
            line("%s  loss    buffer=%s lost=%d".formatted(local(now), loss.buffer(), loss.lost()));
        }
        printed++;
    }

    private void line(String text) throws Output.ClosedException {
        world.out().line(Folding.of(text, world.columns(), INDENT));
    }

    private String local(Instant time) {
        return TIME.format(time.atZone(world.zone().get()));
    }

    private static Map<String, Object> asMap(Notice notice, Instant time) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("time", time);
        if (notice instanceof UrgentNotice urgent) {
            map.put("notice", "urgent");
            map.put("point", urgent.point());
            map.put("buffer", urgent.buffer());
            map.put("subscription", urgent.subscription());
            map.put("urgents", urgent.urgents());
        } else if (notice instanceof LossNotice loss) {
            map.put("notice", "loss");
            map.put("buffer", loss.buffer());
            map.put("lost", loss.lost());
        }
        return map;
    }
}
