// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

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
    /** Null where who logs writes. */
    private final @Nullable LogWriter writer;

    private StderrAppender(PrintStream out, boolean forJournal, boolean hasThread) {
        this.out = out;
        this.forJournal = forJournal;
        this.writer = hasThread ? new LogWriter(out, this::discarded) : null;
    }

    /**
     * One that writes on the thread of whoever logs: for commands.
     *
     * @param out where to
     * @param forJournal whether it is journald that reads it
     */
    static StderrAppender direct(PrintStream out, boolean forJournal) {
        return new StderrAppender(out, forJournal, false);
    }

    /** One that has a thread for it, so that nobody who logs waits: for the service. {@link #finish} ends it. */
    static StderrAppender withThread(PrintStream out, boolean forJournal) {
        return new StderrAppender(out, forJournal, true);
    }

    @Override
    protected void append(ILoggingEvent event) {
        String text = format(event);
        if (writer == null) {
            out.print(text);
            out.flush();
        } else {
            writer.write(text);
        }
    }

    /** Waits until all is written, a few seconds at most; what is logged afterwards is written at once. */
    void finish() {
        if (writer != null) {
            writer.close();
        }
    }

    @Override
    public void stop() {
        super.stop();
        finish();
    }

    private String discarded(long lines) {
        return prefix(Level.WARN, Instant.now()) + lines
                + (lines == 1 ? " line of the log is" : " lines of the log are")
                + " missing here: nobody read it\n";
    }

    private String format(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(prefix(event.getLevel(), event.getInstant()));
        line.append(event.getFormattedMessage()).append('\n');
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            line.append(ThrowableProxyUtil.asString(thrown));
        }
        return line.toString();
    }

    private String prefix(Level level, Instant time) {
        return forJournal ? "<" + priority(level) + ">" : time.truncatedTo(ChronoUnit.MILLIS) + " " + level + " ";
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
