// SPDX-License-Identifier: Apache-2.0
package magnet.recorder;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import magnet.config.NearestName;
import magnet.control.BufferInfo;
import magnet.control.ChainInfo;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.RingCounts;
import magnet.control.SubscriptionInfo;
import magnet.record.EventType;
import magnet.trace.NamingEvent;
import magnet.trace.TraceOwners;

/**
 * A flight recorder as it was when the module was asked: a buffer whose newest events overwrite the oldest, and what logs into
 * it. Immutable.
 *
 * @param buffer the buffer, with its rings
 * @param subscriptions what logs into it, those first that were first
 */
public record Recorder(BufferInfo buffer, List<SubscriptionInfo> subscriptions) {
    /** What the name of a snapshot ends with that somebody saves; there is one at a time. */
    public static final String SNAPSHOT = ".save";

    /** Longest name: that of its snapshot has to be one of a buffer. */
    public static final int NAME_MOST = 63 - SNAPSHOT.length();

    /** What logs into each recorder, so that its traces say what threads are called and whose they are. */
    private static final Set<String> COMPANIONS = Stream.concat(
                    NamingEvent.all().stream().map(NamingEvent::point),
                    TraceOwners.POINTS.stream().map(EventType::label))
            .collect(Collectors.toUnmodifiableSet());

    public Recorder {
        subscriptions = List.copyOf(subscriptions);
    }

    /** Whether only a snapshot may have this name, and no flight recorder. */
    public static boolean isOfSnapshot(String name) {
        return name.endsWith(SNAPSHOT);
    }

    /** All flight recorders, by whoever they were made. */
    public static List<Recorder> all(MagnetControl control) throws IOException {
        List<SubscriptionInfo> subscriptions = control.subscriptions();
        return control.buffers().stream()
                .filter(BufferInfo::flightRecorder)
                .map(buffer -> new Recorder(
                        buffer,
                        subscriptions.stream()
                                .filter(each -> each.buffer().equals(buffer.name()))
                                .toList()))
                .toList();
    }

    /**
     * The one of a name.
     *
     * @throws RecorderException if there is none
     */
    public static Recorder named(String name, MagnetControl control) throws IOException {
        List<Recorder> all = all(control);
        Optional<Recorder> found =
                all.stream().filter(each -> each.name().equals(name)).findFirst();
        if (found.isPresent()) {
            return found.get();
        }
        if (control.buffers().stream().anyMatch(buffer -> buffer.name().equals(name))) {
            throw new RecorderException(
                    name + " is a buffer and no flight recorder; \"magnet record ls\" lists flight recorders");
        }
        String near = NearestName.near(name, all.stream().map(Recorder::name).toList())
                .map(each -> "; did you mean " + each + "?")
                .orElse("");
        throw new RecorderException(
                "there is no flight recorder " + name + near + " (\"magnet record ls\" lists them)");
    }

    /** Its name. */
    public String name() {
        return buffer.name();
    }

    /**
     * The points that somebody asked for: those that say what threads are called and whose they are log into each recorder,
     * and are left out unless there are no others.
     */
    public List<String> points() {
        List<String> all =
                subscriptions.stream().map(SubscriptionInfo::point).distinct().toList();
        List<String> asked =
                all.stream().filter(point -> !COMPANIONS.contains(point)).toList();
        return asked.isEmpty() ? all : asked;
    }

    /** What became of the hits of these points. */
    public HitCounts hits() {
        List<String> points = points();
        return subscriptions.stream()
                .filter(each -> points.contains(each.point()))
                .map(SubscriptionInfo::total)
                .reduce(HitCounts.NONE, HitCounts::plus);
    }

    /** Whether records of an event are there for the names of threads alone. */
    public boolean isForNames(int event) {
        return NamingEvent.isOne(event)
                && NamingEvent.all().stream().anyMatch(each -> each.id() == event && !points().contains(each.point()));
    }

    /** Whether records of an event are there for the owners' sake only. */
    public boolean isForOwners(int event) {
        return TraceOwners.isOne(event)
                && TraceOwners.POINTS.stream().anyMatch(each -> each.id() == event && !points().contains(each.label()));
    }

    /**
     * Whether all that tells owners logs there, each event.
     *
     * @param chains rules of all subscriptions
     */
    boolean tellsOwners(List<ChainInfo> chains) {
        Set<Long> ruled = chains.stream()
                .filter(chain -> !chain.rules().isEmpty())
                .map(ChainInfo::subscription)
                .collect(Collectors.toUnmodifiableSet());
        return TraceOwners.POINTS.stream()
                .allMatch(point -> subscriptions.stream()
                        .anyMatch(each -> each.point().equals(point.label())
                                && each.sampleCount() <= 1
                                && each.sampleIntervalUs() == 0
                                && !ruled.contains(each.id())));
    }

    /** Records that it holds now. */
    public long held() {
        return buffer.rings().stream()
                .mapToLong(ring -> Math.max(0, ring.recordsWritten() - ring.recordsRead() - ring.overwritten()))
                .sum();
    }

    /** Bytes that it holds now. */
    public long heldBytes() {
        return buffer.unread();
    }

    /** Most bytes that it can hold. */
    public long mostBytes() {
        return buffer.size() * buffer.rings().size();
    }

    /** Records that it has given up for younger ones since it was started. */
    public long overwritten() {
        return buffer.rings().stream().mapToLong(RingCounts::overwritten).sum();
    }

    /** Records that were taken by those who saved it. */
    public long saved() {
        return buffer.rings().stream().mapToLong(RingCounts::recordsRead).sum();
    }
}
