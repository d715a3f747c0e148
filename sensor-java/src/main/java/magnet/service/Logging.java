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
final class Logging {
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    private Logging() {}

    /** Begins to log at that level. */
    static void start(LogLevel level) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        start(context, level);
    }

    /** Lets a context that has no appender yet log at that level. */
    static void start(LoggerContext context, LogLevel level) {
        StderrAppender appender = new StderrAppender(System.err, isJournal(System.getenv("JOURNAL_STREAM"), STDERR));
        appender.setContext(context);
        appender.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(appender);
        root.setLevel(Level.valueOf(level.name()));
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
