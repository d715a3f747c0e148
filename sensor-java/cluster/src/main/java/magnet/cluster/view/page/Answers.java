// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import magnet.cluster.view.index.NodeIndex;
import magnet.cluster.view.index.Statistics;
import magnet.cluster.view.index.Subject;
import org.jspecify.annotations.Nullable;

/**
 * Answers about a view, by the last part of the address: JSON, but for {@code pixels} ({@link Pixels}) and {@code picture.svg}.
 * Times are nanoseconds of the run, lengths too. Nodes, CPUs and threads are numbers that {@code run} tells. Thread-safe.
 */
final class Answers {
    private static final int WIDTH_MOST = 8_192;
    private static final int LANES_MOST = 1_024;
    private static final int PIXELS_MOST = 1 << 20;
    private static final int ROWS = 50;
    private static final int ROWS_MOST = 1_000;

    private final View view;
    private final Slices slices;
    private final ThreadLanes threads;
    private final Longest longest;
    private final Between between;
    private final Search search;

    Answers(View view) {
        this.view = view;
        this.slices = new Slices(view);
        this.threads = new ThreadLanes(view);
        this.longest = new Longest(view);
        this.between = new Between(view);
        this.search = new Search(view);
    }

    /**
     * Answers a question.
     *
     * @param what the last part of the address
     * @return null if there is no such question
     * @throws BadRequestException if it is asked in a wrong way
     */
    @Nullable
    Answer to(String what, Query query) throws BadRequestException {
        return switch (what) {
            case "run" -> Answer.json(run());
            case "pixels" -> pixels(query);
            case "slices" -> Answer.json(slices.of(node(query), cpu(query), query.span()));
            case "thread" -> Answer.json(threads.slices(node(query), thread(query), query.span()));
            case "thread-pixels" ->
                Answer.bytes(threads.pixels(node(query), thread(query), query.span(), width(query)));
            case "longest" -> Answer.json(longest.of(query.text("kind"), query.span(), rows(query)));
            case "arrows" -> Answer.json(between.arrows(query.span(), rows(query)));
            case "markers" -> Answer.json(between.markers(query.span(), rows(query)));
            case "stats" -> Answer.json(stats(query));
            case "search" -> Answer.json(search.of(query.text("q"), rows(query)));
            case "picture.svg" -> Answer.svg(new SvgPicture(view).of(lanes(query), query.span(), width(query)));
            default -> null;
        };
    }

    private int width(Query query) throws BadRequestException {
        return (int) query.number("width", 1, WIDTH_MOST);
    }

    private int rows(Query query) throws BadRequestException {
        return (int) query.number("most", 1, ROWS_MOST, ROWS);
    }

    private int node(Query query) throws BadRequestException {
        return (int) query.number("node", 0, view.index().nodes().size() - 1L);
    }

    private int cpu(Query query) throws BadRequestException {
        return (int) query.number("cpu", 0, view.node(node(query)).cpus().size() - 1L);
    }

    private int thread(Query query) throws BadRequestException {
        return (int) query.number(
                "thread",
                Subject.FIRST,
                Subject.FIRST + view.node(node(query)).threads().size() - 1L);
    }

    /** {@code 0.1,0.2}: node and CPU of each. */
    private List<Pixels.LaneId> lanes(Query query) throws BadRequestException {
        List<Pixels.LaneId> lanes = new ArrayList<>();
        for (String each : query.text("lanes").split(",", LANES_MOST + 1)) {
            int dot = each.indexOf('.');
            Query lane = Query.of("node=" + each.substring(0, Math.max(0, dot)) + "&cpu=" + each.substring(dot + 1));
            lanes.add(new Pixels.LaneId(node(lane), cpu(lane)));
        }
        return lanes;
    }

    private Answer pixels(Query query) throws BadRequestException {
        List<Pixels.LaneId> lanes = lanes(query);
        int width = width(query);
        if (lanes.size() * (long) width > PIXELS_MOST) {
            throw new BadRequestException("lanes times width must be at most " + PIXELS_MOST);
        }
        return Answer.bytes(Pixels.of(view, lanes, query.span(), width));
    }

    private Map<String, Object> run() {
        Map<String, Object> run = new LinkedHashMap<>();
        run.put("title", view.title());
        run.put("origin_ns", Long.toString(view.index().originNs()));
        run.put("end", view.index().endNs());
        run.put("aligned", view.aligned());
        run.put("remarks", view.remarks());
        run.put("nodes", view.index().nodes().stream().map(this::node).toList());
        run.put("arrows", view.index().arrows().size());
        run.put("arrows_early", view.index().arrows().early());
        run.put("arrows_ambiguous", view.index().arrows().ambiguous());
        run.put("palette", Colours.PALETTE);
        run.put(
                "colours",
                Map.of("hard", Colours.HARD, "soft", Colours.SOFT, "late", Colours.LATE, "lost", Colours.LOST));
        run.put("of_jobs", view.colours().areOfJobs());
        run.put("jobs", view.colours().legend());
        run.put("pixel_bytes", Pixels.BYTES);
        return run;
    }

    private Map<String, Object> node(NodeIndex node) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", node.name());
        fields.put("host", node.host());
        fields.put("begin", node.axis().ns(0));
        fields.put("end", node.axis().ns(node.end()));
        fields.put("cpus", node.cpus().stream().map(cpu -> cpu.cpu()).toList());
        fields.put("threads", node.threads().size());
        fields.put("slices", node.slices());
        fields.put("switches", node.counts().switches());
        fields.put("events", node.counts().events());
        fields.put("lost", node.counts().lost());
        fields.put("markers", node.markers().size());
        fields.put(
                "packet_waits",
                node.cpus().stream().mapToLong(cpu -> cpu.packetWaits().size()).sum());
        return fields;
    }

    private Map<String, Object> stats(Query query) throws BadRequestException {
        Query.Span span = query.span();
        int most = rows(query);
        Statistics statistics = Statistics.of(view.index(), span.from(), span.to());
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("from", span.from());
        all.put("to", span.to());
        all.put("arrows", statistics.arrows());
        List<Object> nodes = new ArrayList<>();
        for (int i = 0; i < statistics.nodes().size(); i++) {
            nodes.add(stats(view.node(i), statistics.nodes().get(i), most));
        }
        all.put("nodes", nodes);
        return all;
    }

    private static Map<String, Object> stats(NodeIndex node, Statistics.Node its, int most) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", node.name());
        fields.put("length", node.axis().length(its.ticks()));
        fields.put("cpus", node.cpus().size());
        fields.put("slices", its.slices());
        fields.put("busy", node.axis().length(its.busyTicks()));
        fields.put("open", node.axis().length(its.openTicks()));
        fields.put("idle", node.axis().length(its.idleTicks()));
        fields.put("idle_gaps", its.idleGaps());
        fields.put("idle_longest", node.axis().length(its.longestIdleTicks()));
        fields.put("hard", node.axis().length(its.hardTicks()));
        fields.put("soft", node.axis().length(its.softTicks()));
        fields.put("waits", its.waits());
        fields.put("wait", node.axis().length(its.waitTicks()));
        fields.put("wait_longest", node.axis().length(its.longestWaitTicks()));
        fields.put("packet_waits", its.lateWaits());
        fields.put("packet_wait", node.axis().length(its.lateTicks()));
        fields.put("packet_wait_longest", node.axis().length(its.longestLateTicks()));
        fields.put("threads_in_all", its.threads().size());
        List<Object> threads = new ArrayList<>();
        for (Statistics.Row row :
                its.threads().subList(0, Math.min(most, its.threads().size()))) {
            Map<String, Object> thread = Named.thread(node, row.subject());
            thread.put("slices", row.slices());
            thread.put("busy", node.axis().length(row.busyTicks()));
            thread.put("wait", node.axis().length(row.waitTicks()));
            threads.add(thread);
        }
        fields.put("threads", threads);
        return fields;
    }
}
