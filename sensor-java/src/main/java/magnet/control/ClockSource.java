// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/** What the timer of records counts: {@code enum magnet_clock_source}. */
public enum ClockSource {
    /** Ticks of the processor's time stamp counter. */
    TSC(0),
    /** Nanoseconds of CLOCK_MONOTONIC. */
    MONO(1);

    private final int id;

    ClockSource(int id) {
        this.id = id;
    }

    int id() {
        return id;
    }

    static ClockSource of(long id) throws MalformedMessageException {
        for (ClockSource source : values()) {
            if (source.id == id) {
                return source;
            }
        }
        throw new MalformedMessageException("unknown clock source " + id);
    }
}
