// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A metric that gmond itself collects and sends, as a {@code collection_group} of gmond.conf names it. Immutable.
 *
 * @param name its name, or a regular expression
 * @param pattern whether it is a regular expression ({@code name_match}), which fits any name that it is found in
 * @param file the file that it stands in
 * @param line its line there
 */
public record CollectedMetric(String name, boolean pattern, String file, int line) {

    /** All of gmond.conf, in order. */
    static List<CollectedMetric> of(GmondSection root) {
        List<CollectedMetric> all = new ArrayList<>();
        for (GmondSection group : root.sections("collection_group")) {
            for (GmondSection metric : group.sections("metric")) {
                add(all, metric.option("name"), false);
                add(all, metric.option("name_match"), true);
            }
        }
        return all;
    }

    private static void add(List<CollectedMetric> all, Optional<GmondSection.Option> option, boolean pattern) {
        option.ifPresent(given -> all.add(new CollectedMetric(given.value(), pattern, given.file(), given.line())));
    }

    /** Whether it is the metric of this name, or one of those. */
    public boolean covers(String metric) {
        if (!pattern) {
            return name.equals(metric);
        }
        try {
            return Pattern.compile(name).matcher(metric).find();
        } catch (PatternSyntaxException e) {
            // gmond's expressions are Perl's; what Java does not understand names no metric of a plain name.
            return false;
        }
    }
}
