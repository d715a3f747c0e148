// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoggingTest {

    @Test
    void shouldKnowTheJournalWhenDeviceAndInodeAgree(@TempDir Path folder) throws IOException {
        Path file = Files.createFile(folder.resolve("stream"));
        String stream = Files.getAttribute(file, "unix:dev") + ":" + Files.getAttribute(file, "unix:ino");
        assertThat(Logging.isJournal(stream, file)).isTrue();
        assertThat(Logging.isJournal(stream + "0", file)).isFalse();
        assertThat(Logging.isJournal(null, file)).isFalse();
        assertThat(Logging.isJournal(stream, folder.resolve("none"))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"ERROR, <3>", "WARN, <4>", "INFO, <6>", "DEBUG, <7>", "TRACE, <7>"})
    void shouldGiveSyslogsPriorityWhenALineIsForTheJournal(String level, String prefix) {
        assertThat(line(true, Level.valueOf(level), null)).isEqualTo(prefix + "the text\n");
    }

    @Test
    void shouldGiveTheTimeWhenALineIsNotForTheJournal() {
        assertThat(line(false, Level.WARN, null)).isEqualTo("1970-01-01T00:00:01.234Z WARN the text\n");
    }

    @Test
    void shouldPutTheTraceBelowTheTextWhenThereIsOne() {
        assertThat(line(true, Level.ERROR, new IllegalStateException("why")))
                .startsWith("<3>the text\njava.lang.IllegalStateException: why\n\tat ");
    }

    private static String line(boolean forJournal, Level level, Throwable thrown) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StderrAppender appender = StderrAppender.direct(new PrintStream(bytes), forJournal);
        appender.setContext(new LoggerContext());
        appender.start();
        LoggingEvent event = new LoggingEvent();
        event.setLevel(level);
        event.setMessage("the text");
        event.setInstant(Instant.ofEpochMilli(1_234));
        if (thrown != null) {
            event.setThrowableProxy(new ThrowableProxy(thrown));
        }
        appender.doAppend(event);
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
