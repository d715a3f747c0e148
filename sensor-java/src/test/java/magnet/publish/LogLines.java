// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What a class logs from now on, each line as {@code LEVEL text}. */
public final class LogLines implements AutoCloseable {
    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getLevel() + " " + event.getFormattedMessage());
        }
    };

    public LogLines(Class<?> of) {
        logger = (Logger) LoggerFactory.getLogger(of);
        logger.setLevel(ch.qos.logback.classic.Level.INFO);
        appender.start();
        logger.addAppender(appender);
    }

    /** The lines up to now. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
    }
}
