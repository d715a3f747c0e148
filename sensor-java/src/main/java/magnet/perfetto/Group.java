// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

/** The groups of tracks that are no thread's and no CPU's, in the order in which they are shown. */
enum Group {
    LOSSES(1, "Lost events"),
    MARKERS(2, "Markers"),
    PACKETS(3, "Packets"),
    BLOCK(4, "Block requests"),
    EVENTS(5, "Events"),
    COUNTERS(6, "Counters");

    private final int rank;
    private final String title;

    Group(int rank, String title) {
        this.rank = rank;
        this.title = title;
    }

    /** Its place among the others. */
    int rank() {
        return rank;
    }

    String title() {
        return title;
    }
}
