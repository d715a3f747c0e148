// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import magnet.config.NearestName;
import magnet.control.PointFunction;
import magnet.control.PointInfo;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Finds the points that were asked for. Stateless. */
public final class PointChoice {
    private PointChoice() {}

    /**
     * The points of these names, each once; without any name, all that this kernel has.
     *
     * @throws Failure if there is none of a name, or this kernel does not have it
     */
    public static List<String> of(List<String> names, List<PointInfo> known) throws Failure {
        List<String> chosen = new ArrayList<>();
        for (String name : names) {
            check(name, known);
            if (!chosen.contains(name)) {
                chosen.add(name);
            }
        }
        if (names.isEmpty()) {
            known.stream().filter(PointInfo::isAvailable).map(PointInfo::name).forEach(chosen::add);
        }
        return chosen;
    }

    /** Complains about an empty name, as between two commas of an option. */
    public static void check(CommandLine command, String option, List<String> names) {
        if (names.stream().anyMatch(String::isBlank)) {
            throw new ParameterException(
                    command, option + " wants names of points with commas between them, such as udp_sendmsg,udp_rcv");
        }
    }

    /** The ids of their events by name. */
    public static Map<String, Integer> ids(List<PointInfo> known) {
        return known.stream().collect(Collectors.toMap(PointInfo::name, PointInfo::event));
    }

    private static void check(String name, List<PointInfo> known) throws Failure {
        Optional<PointInfo> point =
                known.stream().filter(each -> each.name().equals(name)).findFirst();
        if (point.isEmpty()) {
            String near = NearestName.near(
                            name, known.stream().map(PointInfo::name).toList())
                    .map(each -> "; did you mean " + each + "?")
                    .orElse("");
            throw new Failure("there is no point " + name + near + " (\"magnet points\" lists them)");
        }
        if (!point.get().isAvailable()) {
            List<String> tried = point.get().functions().stream()
                    .map(PointFunction::tried)
                    .flatMap(List::stream)
                    .toList();
            throw new Failure(
                    "point " + name + " is missing on this kernel: it has none of " + String.join(", ", tried));
        }
    }
}
