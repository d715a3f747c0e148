// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import magnet.agent.AgentHealth;
import magnet.cli.world.Formats;
import magnet.cli.world.Interruption;
import magnet.cli.world.PointChoice;
import magnet.cli.world.Unread;
import magnet.cli.world.World;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.machine.LinuxMachine;
import magnet.magnetfs.Collector;
import magnet.magnetfs.CollectorCounter;
import magnet.measure.CollectorSource;
import magnet.measure.ControlPoints;
import magnet.measure.MeasuringCore;
import magnet.measure.OwnBuffer;
import magnet.measure.Points;
import magnet.measure.Subscriptions;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.SensorMetrics;
import magnet.metric.TopOrder;
import magnet.os.MonotonicClock;
import magnet.record.ClockModel;
import magnet.summary.EventSummary;
import magnet.summary.ProcessRanking;
import magnet.summary.SummarySetup;
import magnet.summary.TimerScale;
import magnet.trace.LiveFormats;
import org.jspecify.annotations.Nullable;

/**
 * Lets the events that the service's default metrics are made of, and those of whole journeys and processes, go to a
 * buffer of its own, summarises them as the service does, and shows each window. For one run.
 */
public final class TopReading {
    /**
     * What was asked for.
     *
     * @param intervalNanos length of a window
     * @param iterations windows to show
     * @param bufferBytes size of the buffer, per CPU
     * @param order what processes are ranked by
     * @param processes how many of them
     * @param points points that are counted beside the others
     */
    record Plan(
            long intervalNanos,
            long iterations,
            long bufferBytes,
            TopOrder order,
            int processes,
            List<String> points) {}

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final World world;
    private final Plan plan;
    private final TopScreen screen;
    private final ProcessRanking ranking;
    private final String name = "top-" + ProcessHandle.current().pid();
    private @Nullable LiveFormats formats;
    private Map<Integer, Long> eventsAtStart = Map.of();
    private Map<Integer, Long> eventsBefore = Map.of();
    private Map<Integer, Long> eventsNow = Map.of();
    /** What points had lost at the end of the last window: of the conductor, then of the snapshot's taker. */
    private Map<String, HitCounts> losses = Map.of();

    private long lostBefore;
    /** Asked for by a key, in its thread. */
    private volatile TopOrder order;

    private int cpus;

    TopReading(World world, Plan plan, TopScreen screen) {
        this.world = world;
        this.plan = plan;
        this.screen = screen;
        this.ranking = new ProcessRanking(plan.order(), plan.processes());
        this.order = plan.order();
    }

    /** Shows windows until there were enough, the user interrupts, or somebody removes the buffer. */
    void run() throws IOException {
        try (MagnetControl control = world.control().open()) {
            ModuleInfo module = control.info();
            List<PointInfo> known = control.points();
            formats = Formats.of(world, module.layout(), control);
            List<String> others = plan.points().isEmpty() ? List.of() : PointChoice.of(plan.points(), known);
            OwnBuffer buffer = OwnBuffer.create(control, module, world.buffers(), name, plan.bufferBytes());
            cpus = buffer.cpus();
            ClockModel clockModel = module.clockModel();
            EventSummary summary = summary(module, clockModel, control.dropReasons());
            ControlPoints kernel = buffer.points(known, Set.of());
            try (CollectorSource source = buffer.read(summary, clockModel, world.reading(), MonotonicClock.SYSTEM);
                    MeasuringCore core = new MeasuringCore(
                            "magnet-top",
                            source,
                            answered -> new Points(kernel, answered, line -> {}),
                            summary,
                            world.clock(),
                            AgentHealth.unheard())) {
                Collector collector = source.collector();
                world.interruption().onInterrupt(ending(collector, core));
                obeyKeys(collector);
                long start = core.begin(wanted(module), others);
                summary.startTotal(SensorMetrics.LATE, collector.count(CollectorCounter.LATE));
                eventsAtStart = summary.eventsById();
                eventsBefore = eventsAtStart;
                work(core, collector, summary, start);
                screen.leave();
                finish(core, buffer, collector, summary);
            } finally {
                screen.leave();
            }
        }
    }

    private void obeyKeys(Collector collector) {
        if (screen.isTerminal()) {
            world.jobs().around(screen::pause, screen::goOn);
            world.keys().get().ifPresent(keys -> {
                screen.usedWith(keys, TopKeys.HELP);
                new TopKeys(keys, chosen -> order = chosen, screen, collector::stop).start();
            });
        }
    }

    private Interruption.Ending ending(Collector collector, MeasuringCore core) {
        return new Interruption.Ending(
                () -> {
                    collector.stop();
                    screen.leave();
                },
                () -> world.out().taken() + core.points().subscriptions().ended(),
                () -> Unread.of(world, name, 0));
    }

    private EventSummary summary(ModuleInfo module, ClockModel clockModel, Map<Integer, String> dropReasons) {
        SummarySetup setup = new SummarySetup(
                cpus,
                1,
                TimerScale.ofKhz(module.ticksPerMilli()),
                clockModel,
                new LinuxMachine(
                        world.processes(),
                        dropReasons,
                        world.clock(),
                        System.getProperty("os.arch", ""),
                        world.root().resolve("sys/class/net")),
                ranking);
        return new EventSummary(setup, world.clock().nanos());
    }

    /** What the service publishes by default, and what is shown beside it. */
    private static List<Metric> wanted(ModuleInfo module) {
        Set<Metric> wanted = new LinkedHashSet<>(Metrics.DEFAULT);
        for (TopLatency latency : TopLatency.values()) {
            wanted.addAll(latency.shown());
        }
        wanted.addAll(TopOrder.all());
        wanted.add(SensorMetrics.LATE);
        return wanted.stream()
                .filter(metric -> module.layout().hasTid() || !metric.byThread())
                .toList();
    }

    private void work(MeasuringCore core, Collector collector, EventSummary summary, long start) throws IOException {
        long next = start + plan.intervalNanos();
        long shown = 0;
        while (shown < plan.iterations() && !collector.isStopped() && !collector.hasEnded()) {
            long wait = Math.max(0, next - world.clock().nanos());
            int handed = core.work(wait / NANOS_PER_MILLI + 1);
            long now = world.clock().nanos();
            if (handed > 0) {
                summary.noteLag(now);
            }
            Optional<MetricSnapshot> ended = core.takeSnapshot();
            if (ended.isPresent()) {
                screen.show(frame(ended.get(), core));
                shown++;
            }
            if (now - next >= 0 && !core.isClosing() && !collector.isStopped() && !collector.hasEnded()) {
                ranking.rankBy(order);
                summary.noteTotal(SensorMetrics.LATE, collector.count(CollectorCounter.LATE));
                eventsNow = summary.eventsById();
                core.closeWindow(
                        now, world.wall().instant(), List.of(), sensors -> losses = lossesOf(core), snapshot -> {});
                // What was missed while the machine stood still is not made up for.
                next += (now - next) / plan.intervalNanos() * plan.intervalNanos() + plan.intervalNanos();
            }
        }
    }

    private static Map<String, HitCounts> lossesOf(MeasuringCore core) {
        try {
            return core.points().subscriptions().losses();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TopFrame frame(MetricSnapshot snapshot, MeasuringCore core) {
        long lost = Subscriptions.lost(losses);
        Map<TopLatency, List<Double>> latencies = new EnumMap<>(TopLatency.class);
        for (TopLatency latency : TopLatency.values()) {
            latencies.put(latency, latency.micros(snapshot));
        }
        TopFrame frame = new TopFrame(
                TIME.format(snapshot.taken().atZone(world.zone())),
                snapshot.windowSeconds(),
                cpus,
                core.state().points(),
                List.copyOf(core.state().failed().keySet()),
                events(snapshot.windowSeconds()),
                Math.max(0, lost - lostBefore),
                lost,
                snapshot.value(SensorMetrics.LATE).orElse(0),
                snapshot.value(SensorMetrics.DISCARDED).orElse(0),
                snapshot.value(SensorMetrics.LAG).orElse(0),
                latencies,
                ranking.order(),
                ranking.rows(),
                losses);
        lostBefore = lost;
        return frame;
    }

    /** Those that happened since the beginning. */
    private List<TopFrame.EventRow> events(double seconds) {
        Map<Integer, Long> now = eventsNow;
        List<TopFrame.EventRow> rows = new ArrayList<>();
        now.forEach((id, count) -> {
            long total = count - eventsAtStart.getOrDefault(id, 0L);
            long inWindow = count - eventsBefore.getOrDefault(id, 0L);
            if (total > 0) {
                rows.add(new TopFrame.EventRow(name(id), seconds > 0 ? inWindow / seconds : 0, total));
            }
        });
        eventsBefore = now;
        rows.sort(Comparator.comparingDouble(TopFrame.EventRow::perSecond)
                .reversed()
                .thenComparing(TopFrame.EventRow::name));
        return rows;
    }

    private String name(int id) {
        String name = formats == null ? null : formats.name(id);
        return name == null ? "event_0x" + Integer.toHexString(id) : name;
    }

    private void finish(MeasuringCore core, OwnBuffer buffer, Collector collector, EventSummary summary)
            throws IOException {
        if (collector.hasEnded()) {
            world.tell(summary.events() + " events read, then somebody else removed the buffer");
            return;
        }
        core.end();
        core.rest();
        Subscriptions own = core.points().subscriptions();
        if (own.untold().isPresent()) {
            throw own.untold().get();
        }
        buffer.remove();
        world.tell(summary.events() + " events read; " + Subscriptions.account(own.total())
                + Unread.late(collector.count(CollectorCounter.LATE)));
    }
}
