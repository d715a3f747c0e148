// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Times in front of packets, with nanoseconds. For one thread. */
final class LineTime {
    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int SECONDS_PER_HOUR = 3_600;
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter DATE_AND_CLOCK =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    private final LineStyle.Time style;
    private final ZoneId zone;
    private boolean begun;
    private long since;

    LineTime(LineStyle.Time style, ZoneId zone) {
        this.style = style;
        this.zone = zone;
    }

    /** Appends a time since 1970, and a space. */
    void append(long nanos, StringBuilder line) {
        switch (style) {
            case NONE -> {}
            case CLOCK -> appendDate(CLOCK, nanos, line);
            case DATE_AND_CLOCK -> appendDate(DATE_AND_CLOCK, nanos, line);
            case SECONDS -> appendFraction(nanos, line.append(Math.floorDiv(nanos, NANOS_PER_SECOND)));
            case SINCE_LAST, SINCE_FIRST -> appendSpan(begun ? nanos - since : 0, line);
        }
        if (!begun || style == LineStyle.Time.SINCE_LAST) {
            since = nanos;
            begun = true;
        }
    }

    private void appendDate(DateTimeFormatter format, long nanos, StringBuilder line) {
        Instant second = Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS_PER_SECOND));
        format.formatTo(second.atZone(zone), line);
        appendFraction(nanos, line);
    }

    /** A packet may have waited longer for its journey than the one before it. */
    private static void appendSpan(long nanos, StringBuilder line) {
        long span = Math.abs(nanos);
        long seconds = span / NANOS_PER_SECOND;
        line.append(nanos < 0 ? "-" : "")
                .append("%02d:%02d:%02d"
                        .formatted(
                                seconds / SECONDS_PER_HOUR,
                                seconds / SECONDS_PER_MINUTE % SECONDS_PER_MINUTE,
                                seconds % SECONDS_PER_MINUTE));
        appendFraction(span, line);
    }

    private static void appendFraction(long nanos, StringBuilder line) {
        line.append(".%09d ".formatted(Math.floorMod(nanos, NANOS_PER_SECOND)));
    }
}
