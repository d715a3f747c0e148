// SPDX-License-Identifier: Apache-2.0
package magnet.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Markers around the begin and the end of a recording, and which of them its trace has. Stateless. */
final class Markers {
    /** As babeltrace2 prints one. */
    private static final Pattern PRINTED = Pattern.compile("[ :]marker: .* text = \"(\\d+)\"");

    private Markers() {}

    /**
     * Fails unless the trace has each marker that was written from the begin up to the end once, and none that was written before
     * or after. Of one that was being written at that very instant nobody knows.
     *
     * @param written what cluster/mark.py printed
     * @param printed what babeltrace2 printed of the trace
     */
    static void assertCut(List<String> written, List<String> printed, long begin, long end) {
        List<Long> within = new ArrayList<>();
        List<Long> outside = new ArrayList<>();
        for (String line : written) {
            String[] words = line.split(" ", -1);
            long before = Long.parseLong(words[1]);
            long after = Long.parseLong(words[2]);
            if (before >= begin && after < end) {
                within.add(Long.valueOf(words[0]));
            } else if (after < begin || before >= end) {
                outside.add(Long.valueOf(words[0]));
            }
        }
        List<Long> recorded = printed.stream()
                .map(PRINTED::matcher)
                .filter(Matcher::find)
                .map(marker -> Long.valueOf(marker.group(1)))
                .toList();
        assertThat(within).isNotEmpty();
        assertThat(outside).isNotEmpty();
        assertThat(recorded).doesNotHaveDuplicates().containsAll(within).doesNotContainAnyElementsOf(outside);
    }
}
