// SPDX-License-Identifier: Apache-2.0
package magnet.metric;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/**
 * The values of all published metrics at one instant. Immutable, so that any number of sinks on threads of their own
 * may read it.
 */
public final class MetricSnapshot {
    /** In place of a text. */
    public static final String NO_TEXT = "-";

    private final Instant taken;
    private final double windowSeconds;
    private final List<Metric> metrics;
    private final double[] values;
    private final Map<Integer, String> texts;
    private final JobTable jobs;

    private MetricSnapshot(Builder from) {
        this.taken = from.taken;
        this.windowSeconds = from.windowSeconds;
        this.metrics = from.metrics;
        this.values = Arrays.copyOf(from.values, from.values.length);
        this.texts = Map.copyOf(from.texts);
        this.jobs = from.jobs;
    }

    /**
     * Begins a snapshot of exactly these metrics.
     *
     * @param taken wall-clock time of its end
     * @param windowSeconds measured length of the window that it describes
     * @param metrics what is published; what is put in beside them is left out, what is not put in is 0
     */
    public static Builder of(Instant taken, double windowSeconds, List<Metric> metrics) {
        return new Builder(taken, windowSeconds, metrics);
    }

    /** Wall-clock time at which the window ended. */
    public Instant taken() {
        return taken;
    }

    /** Measured length of the window, in seconds. */
    public double windowSeconds() {
        return windowSeconds;
    }

    public int size() {
        return metrics.size();
    }

    /** The metric at {@code index}, 0 to {@link #size()} - 1, in the order of the catalogue. */
    public Metric metric(int index) {
        return metrics.get(index);
    }

    /** Its value, always finite, in the unit of the metric; 0 if it is a text. */
    public double value(int index) {
        return values[index];
    }

    /** Its value if it is a text, {@value #NO_TEXT} where there is none; as somebody else wrote it, with any character. */
    public String text(int index) {
        return texts.getOrDefault(index, NO_TEXT);
    }

    /** The value of one metric, or empty if it is not published. */
    public OptionalDouble value(Metric metric) {
        int index = metrics.indexOf(metric);
        return index < 0 ? OptionalDouble.empty() : OptionalDouble.of(values[index]);
    }

    /** All jobs; empty where no metric of theirs is published. */
    public JobTable jobs() {
        return jobs;
    }

    /** Collects the values of one snapshot. For one thread at a time. */
    public static final class Builder {
        private final Instant taken;
        private final double windowSeconds;
        private final List<Metric> metrics;
        private final Map<Metric, Integer> indexes = new HashMap<>();
        private final Map<Integer, String> texts = new HashMap<>();
        private final double[] values;
        private final List<Consumer<Builder>> later = new ArrayList<>();
        private JobTable jobs = JobTable.EMPTY;
        private double seconds;

        private Builder(Instant taken, double windowSeconds, List<Metric> metrics) {
            this.taken = taken;
            this.windowSeconds = windowSeconds;
            this.seconds = windowSeconds;
            this.metrics = List.copyOf(metrics);
            this.values = new double[metrics.size()];
            for (int i = 0; i < this.metrics.size(); i++) {
                indexes.put(this.metrics.get(i), i);
            }
        }

        /**
         * Says how long it was measured what is put in from now on: shorter than the window if it was switched on under
         * way.
         */
        public Builder over(double measuredSeconds) {
            seconds = measuredSeconds;
            return this;
        }

        /** How long it was measured what is put in now, in seconds. */
        public double seconds() {
            return seconds;
        }

        /** Measured length of the window, in seconds. */
        public double windowSeconds() {
            return windowSeconds;
        }

        /** Sets a value; one that is not finite becomes 0, because no frontend can draw it. */
        public Builder put(Metric metric, double value) {
            Integer index = indexes.get(metric);
            if (index != null) {
                values[index] = Double.isFinite(value) ? value : 0;
            }
            return this;
        }

        /** Sets a text. */
        public Builder putText(Metric metric, String text) {
            Integer index = indexes.get(metric);
            if (index != null) {
                texts.put(index, text);
            }
            return this;
        }

        /** Sets the table of jobs. */
        public Builder putJobs(JobTable table) {
            jobs = table;
            return this;
        }

        /** Sets a count as a rate over the time that it was measured; 0 while that has no length. */
        public Builder putRate(Metric metric, long count) {
            return put(metric, seconds > 0 ? count / seconds : 0);
        }

        /** Whether anybody wants this metric. */
        public boolean wants(Metric metric) {
            return indexes.containsKey(metric);
        }

        /**
         * Lets something be put in just before the snapshot is built, by whoever builds it: what the machine has to be asked
         * for, which takes longer than whoever reads the records may wait.
         */
        public Builder later(Consumer<Builder> what) {
            later.add(what);
            return this;
        }

        /** The snapshot, with what was to be put in later. */
        public MetricSnapshot build() {
            later.forEach(what -> what.accept(this));
            later.clear();
            return new MetricSnapshot(this);
        }
    }
}
