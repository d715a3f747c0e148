// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.io.PrintStream;
import java.time.temporal.ChronoUnit;

/**
 * Writes each event as a line: with the time in UTC, or for journald, which knows the time, with the prefix by which it
 * learns how important the line is, see sd-daemon(3). Thread-safe.
 *
 * <p>Logback's own console appender would do as well, but its patterns take as long to set up as all else at start.
 */
final class StderrAppender extends AppenderBase<ILoggingEvent> {
    private static final int ERROR = 3;
    private static final int WARNING = 4;
    private static final int INFORMATION = 6;
    private static final int DEBUG = 7;

    private final PrintStream out;
    private final boolean forJournal;

    /**
     * @param out where to
     * @param forJournal whether it is journald that reads it
     */
    StderrAppender(PrintStream out, boolean forJournal) {
        this.out = out;
        this.forJournal = forJournal;
    }

    @Override
    protected void append(ILoggingEvent event) {
        out.print(format(event));
        out.flush();
    }

    private String format(ILoggingEvent event) {
        StringBuilder line = new StringBuilder();
        if (forJournal) {
            line.append('<').append(priority(event.getLevel())).append('>');
        } else {
            line.append(event.getInstant().truncatedTo(ChronoUnit.MILLIS)).append(' ');
            line.append(event.getLevel()).append(' ');
        }
        line.append(event.getFormattedMessage()).append('\n');
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            line.append(ThrowableProxyUtil.asString(thrown));
        }
        return line.toString();
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
