// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import magnet.cli.world.Output;
import magnet.json.Json;
import org.jspecify.annotations.Nullable;

/** What was counted, for programs: one JSON object a line. Buckets are those of {@code bpftrace -f json}. */
final class TallyJson implements TallyReport {
    private static final double MILLIS = 1e3;

    private final Output out;
    private final List<String> points;
    private final int rows;

    /**
     * @param points names of those that were asked for
     * @param rows most groups to print
     */
    TallyJson(Output out, List<String> points, int rows) {
        this.out = out;
        this.points = points;
        this.rows = rows;
    }

    @Override
    public void show(EventTally tally, @Nullable TallySpan span, long lost) throws IOException {
        Grouping grouping = tally.grouping();
        GroupTotals totals = tally.totals();
        Map<String, Object> object = new LinkedHashMap<>();
        if (span != null) {
            object.put("time", span.end().toString());
            object.put("seconds", Math.round(span.seconds() * MILLIS) / MILLIS);
        }
        object.put("points", points);
        if (grouping.isBucketed()) {
            object.put("field", grouping.field());
            if (grouping.fieldKind() == ValueKind.NANOS) {
                object.put("unit", "ns");
            }
        }
        object.put("by", grouping.by());
        object.put("events", totals.events());
        object.put("lost", lost);
        if (tally.uncounted() > 0) {
            object.put("not_counted", tally.uncounted());
        }
        List<Integer> shown = totals.ranked(rows);
        long rest = totals.eventsBeside(shown);
        if (rest > 0) {
            object.put("events_of_other_groups", rest);
        }
        write(Json.of(object), tally, shown);
    }

    /** One group after the other, since all of them together may take more memory than there is. */
    private void write(String head, EventTally tally, List<Integer> groups) throws IOException {
        out.text(head.substring(0, head.length() - 1));
        String before = ", \"groups\": [";
        for (int group : groups) {
            out.text(before + Json.of(group(tally, group)));
            before = ", ";
        }
        out.line(groups.isEmpty() ? before + "]}" : "]}");
        out.flush();
    }

    private static Map<String, Object> group(EventTally tally, int group) {
        Grouping grouping = tally.grouping();
        GroupTotals totals = tally.totals();
        Map<String, Object> keys = new LinkedHashMap<>();
        Map<String, String> names = new LinkedHashMap<>();
        for (int part = 0; part < grouping.by().size(); part++) {
            String key = grouping.by().get(part);
            long value = totals.key(group, part);
            keys.put(key, tally.names().value(part, value));
            String name = tally.names().nameBeside(part, value);
            if (!name.isEmpty()) {
                names.put(key, name);
            }
        }
        Map<String, Object> object = new LinkedHashMap<>();
        // Fields may have any name: in an object of their own they cannot be taken for anything else.
        object.put("by", keys);
        if (!names.isEmpty()) {
            object.put("names", names);
        }
        object.put("count", totals.count(group));
        if (grouping.isBucketed()) {
            object.put("min", totals.least(group));
            object.put("max", totals.most(group));
            object.put("buckets", buckets(totals, group));
        }
        return object;
    }

    private static List<Map<String, Object>> buckets(GroupTotals totals, int group) {
        List<Map<String, Object>> buckets = new ArrayList<>();
        for (int at = totals.firstBucket(group); at <= totals.lastBucket(group); at++) {
            Map<String, Object> bucket = new LinkedHashMap<>();
            if (!PowerBuckets.isNegative(at)) {
                bucket.put("min", PowerBuckets.least(at));
            }
            bucket.put("max", PowerBuckets.most(at));
            bucket.put("count", totals.inBucket(group, at));
            buckets.add(bucket);
        }
        return buckets;
    }
}
