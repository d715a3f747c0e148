// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.json.Json;
import magnet.metric.JobColumn;
import org.jspecify.annotations.Nullable;

/**
 * What magnetd says of jobs. Immutable.
 *
 * @param byJob what it says of each, as it says it
 * @param why why it says nothing; empty if it does
 */
record JobFigures(Map<String, Map<String, Object>> byJob, Optional<String> why) {
    private static final String JOB = "job";
    private static final String CAUSES = "waited_for";

    /** None. */
    static JobFigures none(String why) {
        return new JobFigures(Map.of(), Optional.of(why));
    }

    /** Those of an answer. */
    static JobFigures parse(String answer) throws IOException {
        Map<String, Object> told = Json.object(answer);
        if (told.get("error") instanceof String why) {
            return none(why);
        }
        Map<String, Map<String, Object>> byJob = new LinkedHashMap<>();
        for (Object each : list(told.get("jobs"))) {
            if (each instanceof Map<?, ?> job && job.get(JOB) instanceof String name) {
                byJob.put(name, figures(job));
            }
        }
        return new JobFigures(byJob, Optional.empty());
    }

    private static Map<String, Object> figures(Map<?, ?> job) {
        Map<String, Object> figures = new LinkedHashMap<>();
        job.forEach((key, value) -> {
            if (!JOB.equals(key) && value != null) {
                figures.put(String.valueOf(key), value);
            }
        });
        return figures;
    }

    private static List<Object> list(@Nullable Object value) {
        return value instanceof List<?> list ? new ArrayList<>(list) : List.of();
    }

    /** All that is said of a job; nothing if it did nothing. */
    Map<String, Object> of(String job) {
        return byJob.getOrDefault(job, Map.of());
    }

    /** A figure of a job. */
    Optional<Double> value(String job, JobColumn column) {
        return of(job).get(column.jsonKey()) instanceof Double value ? Optional.of(value) : Optional.empty();
    }

    /** Who made a job wait longest, and for which part of the time, in percent. */
    Optional<Map.Entry<String, Double>> cause(String job) {
        return list(of(job).get(CAUSES)).stream()
                .filter(Map.class::isInstance)
                .map(Map.class::cast)
                .findFirst()
                .flatMap(JobFigures::cause);
    }

    private static Optional<Map.Entry<String, Double>> cause(Map<?, ?> cause) {
        return cause.get("name") instanceof String name && cause.get("percent") instanceof Double percent
                ? Optional.of(Map.entry(name, percent))
                : Optional.empty();
    }
}
