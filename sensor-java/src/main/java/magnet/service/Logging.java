// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
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
    private static final String WITH_TIME = "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %msg%n";
    private static final String FOR_JOURNAL = "%prio%msg%n";

    private Logging() {}

    /** Begins to log at that level. */
    static void start(LogLevel level) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        context.putObject("PATTERN_RULE_REGISTRY", Map.of("prio", JournalPriority.class.getName()));
        encoder.setPattern(isJournal(System.getenv("JOURNAL_STREAM"), STDERR) ? FOR_JOURNAL : WITH_TIME);
        encoder.start();
        ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
        appender.setContext(context);
        appender.setTarget("System.err");
        appender.setEncoder(encoder);
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
