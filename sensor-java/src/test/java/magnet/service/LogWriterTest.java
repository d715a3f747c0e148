// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class LogWriterTest {
    private static final int MANY = 1_000_000;

    /** A terminal, or a journal, that takes as many lines as the test says. */
    private static final class SlowOutput extends OutputStream {
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private final Semaphore mayTake = new Semaphore(0);

        @Override
        public void write(int b) {
            throw new UnsupportedOperationException("byte by byte");
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            mayTake.acquireUninterruptibly();
            synchronized (taken) {
                taken.write(bytes, offset, length);
            }
        }

        private List<String> lines() {
            synchronized (taken) {
                return taken.toString(StandardCharsets.UTF_8).lines().toList();
            }
        }
    }

    private final SlowOutput output = new SlowOutput();
    private final LogWriter writer =
            new LogWriter(new PrintStream(output, false, StandardCharsets.UTF_8), lines -> lines + " are missing\n");

    @AfterEach
    void tearDown() {
        output.mayTake.release(MANY);
        writer.close();
    }

    @Test
    void shouldWriteLinesInTheirOrder() {
        output.mayTake.release(MANY);
        IntStream.range(0, 100).forEach(i -> writer.write(i + "\n"));
        writer.close();
        assertThat(output.lines())
                .containsExactlyElementsOf(
                        IntStream.range(0, 100).mapToObj(String::valueOf).toList());
    }

    @Test
    void shouldDiscardWhatFindsNoRoomAndSayInItsPlaceHowMuch() {
        writer.write("first\n");
        // The thread has it, and stands still.
        await().until(output.mayTake::hasQueuedThreads);
        IntStream.range(0, LogWriter.CAPACITY + 6).forEach(i -> writer.write(i + "\n"));
        output.mayTake.release(2 + LogWriter.CAPACITY / 2);
        await().until(() -> output.lines().size() > LogWriter.CAPACITY / 2);
        writer.write("later\n");
        output.mayTake.release(MANY);
        writer.close();
        List<String> lines = output.lines();
        assertThat(lines).hasSize(1 + LogWriter.CAPACITY - 1 + 2).startsWith("first", "0", "1");
        assertThat(lines.subList(LogWriter.CAPACITY - 1, lines.size()))
                .containsExactly(String.valueOf(LogWriter.CAPACITY - 2), "7 are missing", "later");
    }

    @Test
    void shouldSayAtTheEndWhatIsMissing() {
        writer.write("first\n");
        await().until(output.mayTake::hasQueuedThreads);
        IntStream.range(0, LogWriter.CAPACITY + 1).forEach(i -> writer.write(i + "\n"));
        output.mayTake.release(MANY);
        writer.close();
        assertThat(output.lines()).endsWith("2 are missing");
    }

    @Test
    void shouldEndThoughNobodyReads() {
        writer.write("first\n");
        writer.close();
        writer.write("second\n");
        assertThat(output.lines()).isEmpty();
    }

    @Test
    void shouldWriteAtOnceWhatComesAfterItsEnd() {
        output.mayTake.release(MANY);
        writer.close();
        writer.write("late\n");
        assertThat(output.lines()).containsExactly("late");
    }

    @Test
    void shouldNotLetWhoLogsWaitForWhoReadsTheLog() {
        StderrAppender appender =
                StderrAppender.withThread(new PrintStream(output, false, StandardCharsets.UTF_8), true);
        appender.setContext(new LoggerContext());
        appender.start();
        for (int i = 0; i < LogWriter.CAPACITY + 10; i++) {
            LoggingEvent event = new LoggingEvent();
            event.setLevel(Level.INFO);
            event.setMessage("line");
            event.setInstant(Instant.EPOCH);
            appender.doAppend(event);
        }
        output.mayTake.release(MANY);
        appender.stop();
        assertThat(output.lines())
                .startsWith("<6>line")
                .last()
                .asString()
                .matches("<4>\\d+ lines of the log are missing here: nobody read it");
    }
}
