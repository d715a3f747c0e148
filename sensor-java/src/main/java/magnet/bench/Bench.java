// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.os.CheapCall;
import magnet.os.MonotonicClock;

/**
 * Measures all ways to a probe, a round of each in turn, so that what slows the machine down for a while slows all of
 * them down.
 */
public final class Bench {
    private final Sensor sensor;
    private final Caller caller;
    private final MonotonicClock clock;
    private final JumpOptimisation optimisation;

    /** A measurement that closes nothing. */
    public Bench(Sensor sensor, Caller caller, MonotonicClock clock, JumpOptimisation optimisation) {
        this.sensor = sensor;
        this.caller = caller;
        this.clock = clock;
        this.optimisation = optimisation;
    }

    /**
     * Measures.
     *
     * @throws BenchException if there is nothing to measure by, or an event more or less than there were calls
     */
    public Report run(Plan plan, Progress progress) throws IOException {
        progress.at("looking for functions to probe");
        TargetSearch search = new TargetSearch(sensor, new HookWatch(sensor, clock), optimisation);
        search.run();
        Map<Way, TargetRounds> rounds = new EnumMap<>(Way.class);
        search.found().forEach((way, target) -> rounds.put(way, new TargetRounds(target, plan, sensor, caller, clock)));
        for (int round = 0; round <= plan.rounds(); round++) {
            progress.at("round " + round + " of " + plan.rounds());
            for (TargetRounds each : rounds.values()) {
                each.run(round % 2 == 1, round > 0);
            }
        }
        return new Report(bare(rounds.values()), rows(rounds, search));
    }

    private static List<Report.Row> rows(Map<Way, TargetRounds> rounds, TargetSearch search) {
        List<Report.Row> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            rows.add(new Report.Row(
                    way, Optional.ofNullable(rounds.get(way)).map(TargetRounds::measured), search.whyMissing(way)));
        }
        return rows;
    }

    private static Map<CheapCall, Spread> bare(Collection<TargetRounds> rounds) {
        Map<CheapCall, List<Double>> times = new EnumMap<>(CheapCall.class);
        for (TargetRounds each : rounds) {
            times.computeIfAbsent(each.target().call(), call -> new ArrayList<>())
                    .addAll(each.bare());
        }
        Map<CheapCall, Spread> bare = new EnumMap<>(CheapCall.class);
        times.forEach((call, values) -> bare.put(call, Spread.of(values)));
        return bare;
    }
}
