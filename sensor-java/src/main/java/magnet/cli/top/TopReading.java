// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.io.IOException;
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
import magnet.cli.world.Counted;
import magnet.cli.world.Formats;
import magnet.cli.world.Interruption;
import magnet.cli.world.LossAdvice;
import magnet.cli.world.PointChoice;
import magnet.cli.world.Unread;
import magnet.cli.world.World;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.ModuleInfo;
import magnet.control.PointInfo;
import magnet.job.JobNames;
import magnet.machine.LinuxMachine;
import magnet.magnetfs.CollectorCounter;
import magnet.measure.BufferMeasuring;
import magnet.measure.OwnBuffer;
import magnet.measure.Subscriptions;
import magnet.metric.Metric;
import magnet.metric.MetricSnapshot;
import magnet.metric.Metrics;
import magnet.metric.SensorMetrics;
import magnet.metric.TopOrder;
import magnet.summary.ProcessRanking;
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
     * @param byJob whether jobs are shown in place of processes
     * @param jobs which control groups are jobs
     * @param order what they are ranked by
     * @param processes how many of them
     * @param points points that are counted beside the others
     * @param filter processes that are shown alone
     * @param device device whose events are logged alone
     */
    record Plan(
            long intervalNanos,
            long iterations,
            long bufferBytes,
            boolean byJob,
            JobNames jobs,
            TopOrder order,
            int processes,
            List<String> points,
            TopFilter filter,
            Optional<TopDevice> device) {}

    /** Most processes that are ranked, of which the filter and the screen leave some. */
    static final int RANKED = 1_000;

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    private final World world;
    private final Plan plan;
    private final TopScreen screen;
    private final ProcessRanking ranking;
    private final String name = "top-" + ProcessHandle.current().pid();
    private @Nullable LiveFormats formats;
    private Map<Integer, Long> eventsAtStart = Map.of();
    private Map<Integer, Long> eventsBefore = Map.of();
    private Map<Integer, Long> eventsNow = Map.of();
    private long lostBefore;
    /** Asked for by a key, in its thread. */
    private volatile TopOrder order;

    /** Likewise. */
    private volatile TopFilter filter;

    private final TopRows rows = new TopRows();

    private int cpus;

    TopReading(World world, Plan plan, TopScreen screen) {
        this.world = world;
        this.plan = plan;
        this.screen = screen;
        this.filter = plan.filter();
        this.ranking = new ProcessRanking(
                plan.order(), screen.isTerminal() || !plan.filter().isNone() ? RANKED : plan.processes());
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
            try (BufferMeasuring measuring = BufferMeasuring.open(
                    buffer,
                    module,
                    known,
                    "magnet-top",
                    world.reading(),
                    machine(control.dropReasons()),
                    new BufferMeasuring.MeasuringClocks(world.clock(), world.wall()),
                    new BufferMeasuring.Assignment(
                            wanted(module, plan.byJob()),
                            others,
                            plan.jobs(),
                            ranking,
                            plan.intervalNanos(),
                            plan.device().map(TopDevice::rules).orElse(Map.of())))) {
                world.interruption().onInterrupt(ending(measuring));
                obeyKeys(measuring);
                measuring.begin();
                eventsAtStart = measuring.summary().eventsById();
                eventsBefore = eventsAtStart;
                work(measuring);
                screen.leave();
                finish(measuring, buffer);
            } finally {
                screen.leave();
            }
        }
    }

    private void obeyKeys(BufferMeasuring measuring) throws IOException {
        if (screen.isTerminal()) {
            world.jobs().around(screen::pause, screen::goOn);
            Optional<World.Keys> keys = world.keys().get();
            if (keys.isPresent()) {
                screen.usedWith(keys.get(), TopKeys.HELP);
                new TopKeys(
                                keys.get(),
                                chosen -> order = chosen,
                                typed -> filter = filter.named(typed),
                                screen,
                                measuring::stop)
                        .start();
            }
        }
    }

    private Interruption.Ending ending(BufferMeasuring measuring) {
        return new Interruption.Ending(
                () -> {
                    measuring.stop();
                    screen.leave();
                },
                () -> world.out().taken() + measuring.ended(),
                () -> Unread.of(world, name, 0));
    }

    private LinuxMachine machine(Map<Integer, String> dropReasons) {
        return new LinuxMachine(
                world.processes(),
                dropReasons,
                world.clock(),
                System.getProperty("os.arch", ""),
                world.root().resolve("sys/class/net"));
    }

    /** What the service publishes by default, and what is shown beside it. */
    private static List<Metric> wanted(ModuleInfo module, boolean byJob) {
        Set<Metric> wanted = new LinkedHashSet<>(Metrics.DEFAULT);
        for (TopLatency latency : TopLatency.values()) {
            wanted.addAll(latency.shown());
        }
        wanted.addAll(byJob ? TopJobs.metrics() : TopOrder.all());
        wanted.add(SensorMetrics.LATE);
        return wanted.stream()
                .filter(metric -> module.layout().hasTid() || !metric.byThread())
                .toList();
    }

    private void work(BufferMeasuring measuring) throws IOException {
        long shown = 0;
        while (shown < plan.iterations() && !measuring.isStopped() && !measuring.hasEnded()) {
            Optional<MetricSnapshot> ended = measuring.work(() -> {
                ranking.rankBy(order);
                eventsNow = measuring.summary().eventsById();
            });
            if (ended.isPresent()) {
                screen.show(frame(ended.get(), measuring));
                shown++;
            }
        }
    }

    private TopFrame frame(MetricSnapshot snapshot, BufferMeasuring measuring) {
        Map<String, HitCounts> losses = measuring.losses();
        long lost = Subscriptions.lost(losses);
        Map<TopLatency, List<Double>> latencies = new EnumMap<>(TopLatency.class);
        for (TopLatency latency : TopLatency.values()) {
            latencies.put(latency, latency.micros(snapshot));
        }
        TopFrame frame = new TopFrame(
                snapshot.taken(),
                TIME.format(snapshot.taken().atZone(world.zone().get())),
                snapshot.windowSeconds(),
                cpus,
                measuring.state().points(),
                List.copyOf(measuring.state().failed().keySet()),
                events(snapshot.windowSeconds()),
                Math.max(0, lost - lostBefore),
                lost,
                snapshot.value(SensorMetrics.LATE).orElse(0),
                snapshot.value(SensorMetrics.DISCARDED).orElse(0),
                snapshot.value(SensorMetrics.LAG).orElse(0),
                latencies,
                ranking.order(),
                processes(),
                plan.byJob(),
                TopJobs.ranked(snapshot.jobs(), ranking.order(), filter, plan.processes()),
                (int) ProcessHandle.current().pid(),
                only(),
                losses);
        lostBefore = lost;
        return frame;
    }

    private List<ProcessRanking.Row> processes() {
        TopFilter now = filter;
        List<ProcessRanking.Row> kept = ranking.rows();
        if (!now.isNone()) {
            kept = kept.stream()
                    .filter(row -> now.keeps(row, world.processes()))
                    .toList();
        }
        kept = screen.isTerminal() ? rows.arranged(kept, ranking.order()) : kept;
        return kept.subList(0, Math.min(plan.processes(), kept.size()));
    }

    private Optional<String> only() {
        Optional<String> device = plan.device().map(each -> "device " + each.name());
        Optional<String> processes = filter.description();
        return device.isPresent() && processes.isPresent()
                ? Optional.of(device.get() + ", " + processes.get())
                : device.or(() -> processes);
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

    private void finish(BufferMeasuring measuring, OwnBuffer buffer) throws IOException {
        if (measuring.hasEnded()) {
            world.tell(
                    Counted.of(measuring.summary().events(), "event") + " read, then somebody else removed the buffer");
            return;
        }
        HitCounts total = measuring.end();
        buffer.remove();
        world.tell(Counted.of(measuring.summary().events(), "event") + " read; " + Subscriptions.account(total)
                + Unread.late(measuring.count(CollectorCounter.LATE)));
        Optional<String> advice = LossAdvice.of(total, plan.bufferBytes());
        if (advice.isPresent()) {
            world.tell(advice.get());
        }
    }
}
