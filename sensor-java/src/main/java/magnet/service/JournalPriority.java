// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;

/** The prefix by which journald learns how important a line is, see sd-daemon(3): {@code <4>} for a warning. */
public final class JournalPriority extends ClassicConverter {
    private static final int ERROR = 3;
    private static final int WARNING = 4;
    private static final int INFORMATION = 6;
    private static final int DEBUG = 7;

    @Override
    public String convert(ILoggingEvent event) {
        return "<" + priority(event.getLevel()) + ">";
    }

    private static int priority(Level level) {
        if (level.isGreaterOrEqual(Level.ERROR)) {
            return ERROR;
        }
        if (level.isGreaterOrEqual(Level.WARN)) {
            return WARNING;
        }
        return level.isGreaterOrEqual(Level.INFO) ? INFORMATION : DEBUG;
    }
}
