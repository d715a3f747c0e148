// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
        LoggingEvent event = new LoggingEvent();
        event.setLevel(Level.valueOf(level));
        assertThat(new JournalPriority().convert(event)).isEqualTo(prefix);
    }
}
