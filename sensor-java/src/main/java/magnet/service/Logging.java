// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import magnet.config.LogLevel;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Where the service's log lines go: to stderr, with the time, or for journald, which knows the time, with the priority.
 * Not thread-safe; to be called at start.
 */
public final class Logging {
    private static final Path STDERR = Path.of("/proc/self/fd/2");
    private static final String OF_THE_SERVICE = "magnetd";

    private Logging() {}

    /** Begins to log at that level, by a thread of its own, so that nobody waits for who reads the log; or goes on at it. */
    public static void start(LogLevel level) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        if (root(context).getAppender(OF_THE_SERVICE) == null) {
            context.reset();
            StderrAppender appender = StderrAppender.withThread(System.err, isJournal());
            appender.setName(OF_THE_SERVICE);
            use(context, appender);
        }
        root(context).setLevel(Level.valueOf(level.name()));
    }

    /** Lets a context that has no appender yet log at that level, by whoever logs. */
    static void start(LoggerContext context, LogLevel level) {
        use(context, StderrAppender.direct(System.err, isJournal()));
        root(context).setLevel(Level.valueOf(level.name()));
    }

    private static void use(LoggerContext context, StderrAppender appender) {
        appender.setContext(context);
        appender.start();
        root(context).addAppender(appender);
    }

    private static Logger root(LoggerContext context) {
        return context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    /** Waits until the service's log is written, a few seconds at most: the process is about to end. */
    public static void finish() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        if (root(context).getAppender(OF_THE_SERVICE) instanceof StderrAppender appender) {
            appender.finish();
        }
    }

    private static boolean isJournal() {
        return isJournal(System.getenv("JOURNAL_STREAM"), STDERR);
    }

    /**
     * Whether a file is the stream to journald that systemd tells of.
     *
     * @param stream {@code device:inode}, as in the environment's JOURNAL_STREAM; null if there is none
     */
    static boolean isJournal(@Nullable String stream, Path file) {
        if (stream == null) {
            return false;
        }
        try {
            Map<String, Object> attributes = Files.readAttributes(file, "unix:dev,ino", new LinkOption[0]);
            return stream.equals(attributes.get("dev") + ":" + attributes.get("ino"));
        } catch (IOException e) {
            return false;
        }
    }
}
