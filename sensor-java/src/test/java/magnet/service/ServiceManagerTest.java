// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.Agent;
import magnet.agent.AgentRunner;
import magnet.os.NotifyListener;
import magnet.publish.LogLines;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class ServiceManagerTest {
    private static final long PID = 4711;

    @TempDir
    private Path folder;

    private final AtomicLong now = new AtomicLong(-TimeUnit.SECONDS.toNanos(1));
    private final LogLines log = new LogLines(ServiceManager.class);
    private NotifyListener listener;

    @BeforeEach
    void setUp() throws IOException {
        listener = new NotifyListener(where());
    }

    @AfterEach
    void tearDown() {
        listener.close();
        log.close();
    }

    private String where() {
        return folder.resolve("notify").toString();
    }

    private ServiceManager manager(String... more) {
        Map<String, String> environment = new HashMap<>(Map.of("NOTIFY_SOCKET", where()));
        for (int i = 0; i < more.length; i += 2) {
            environment.put(more[i], more[i + 1]);
        }
        return ServiceManager.of(environment, PID, now::get);
    }

    @Test
    void shouldTellEachStateInItsOwnWords() throws IOException {
        ServiceManager manager = manager();
        manager.reloaded();
        manager.ready("two\nlines");
        manager.status("fine");
        now.set(1_234_567_899);
        manager.reloading();
        manager.reloaded();
        manager.reloading();
        manager.beginningAnew();
        manager.reloaded();
        manager.stopping();
        manager.status("not told");
        for (String message : new String[] {
            "READY=1\nSTATUS=two lines",
            "STATUS=fine",
            "RELOADING=1\nMONOTONIC_USEC=1234567",
            "READY=1",
            "RELOADING=1\nMONOTONIC_USEC=1234567",
            "STOPPING=1\nSTATUS=ending"
        }) {
            assertThat(listener.receive(30_000)).contains(message);
        }
        assertThat(listener.receive(1)).isEmpty();
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void shouldFeedTheWatchdogWhenHalfOfItsTimeIsOver() throws IOException {
        ServiceManager manager = manager("WATCHDOG_USEC", "3000000", "WATCHDOG_PID", String.valueOf(PID));
        assertThat(manager.longestSleepMillis()).isZero();
        manager.alive();
        assertThat(listener.receive(30_000)).contains("WATCHDOG=1");
        assertThat(manager.longestSleepMillis()).isEqualTo(1_500);
        now.addAndGet(1_499_999_999);
        assertThat(manager.longestSleepMillis()).isEqualTo(1);
        manager.alive();
        assertThat(listener.receive(1)).isEmpty();
        now.incrementAndGet();
        assertThat(manager.longestSleepMillis()).isZero();
        manager.alive();
        assertThat(listener.receive(30_000)).contains("WATCHDOG=1");
    }

    @Test
    void shouldNotFeedTheWatchdogWhileAnAgentIsMissedAndSayWhoOnce() throws IOException {
        ServiceManager manager = manager("WATCHDOG_USEC", "3000000");
        AgentRunner agent = AgentRunner.start(new MissedAgent(), manager.health());
        agent.awaitEnd();
        for (int i = 0; i < 3; i++) {
            manager.alive();
            assertThat(manager.longestSleepMillis()).isEqualTo(1_500);
            now.addAndGet(1_500_000_000);
        }
        manager.status("fine");
        assertThat(listener.receive(30_000))
                .contains("STATUS=fine; 1 failure of threads; missed has ended: java.lang.NoClassDefFoundError: gone");
        assertThat(log.lines())
                .containsExactly("ERROR missed has ended: java.lang.NoClassDefFoundError: gone;"
                        + " the watchdog is not told any more that all is well");
        manager.health().forget(agent);
        manager.alive();
        assertThat(listener.receive(30_000)).contains("WATCHDOG=1");
    }

    /** Ends at its first turn. */
    private static final class MissedAgent implements Agent {
        @Override
        public String roleName() {
            return "missed";
        }

        @Override
        public OnFailure onFailure() {
            return OnFailure.END;
        }

        @Override
        public int doWork() {
            throw new NoClassDefFoundError("gone");
        }
    }

    @ParameterizedTest
    @CsvSource({"WATCHDOG_PID,4712,3000000", "OTHER,1,0", "OTHER,1,soon", "OTHER,1,''"})
    void shouldLeaveTheWatchdogAloneWhenItIsNotForThisProcess(String key, String value, String micros)
            throws IOException {
        ServiceManager manager = manager("WATCHDOG_USEC", micros, key, value);
        manager.alive();
        assertThat(manager.longestSleepMillis()).isEqualTo(Integer.MAX_VALUE);
        assertThat(listener.receive(1)).isEmpty();
        assertThat(log.lines()).hasSize(micros.equals("soon") ? 1 : 0);
    }

    @Test
    void shouldDoNothingWhenNobodyAskedForIt() throws IOException {
        ServiceManager manager = ServiceManager.of(Map.of("WATCHDOG_USEC", "1000000"), PID, now::get);
        manager.ready("fine");
        manager.alive();
        manager.stopping();
        assertThat(manager.longestSleepMillis()).isEqualTo(Integer.MAX_VALUE);
        assertThat(listener.receive(1)).isEmpty();
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void shouldSayOnceThatNobodyListens() {
        ServiceManager manager = manager();
        listener.close();
        manager.ready("fine");
        manager.status("fine");
        assertThat(log.lines())
                .containsExactly("WARN cannot tell the service manager how magnetd is (said once): notify " + where()
                        + ": Connection refused (ECONNREFUSED)");
    }

    @Test
    void shouldSaySoWhenTheAddressIsNone() {
        ServiceManager.of(Map.of("NOTIFY_SOCKET", "vsock:2:1"), PID, now::get).ready("fine");
        assertThat(log.lines())
                .containsExactly("WARN NOTIFY_SOCKET in the environment cannot be used, so nobody is told how magnetd"
                        + " is: notify vsock:2:1: Address family not supported by protocol (EAFNOSUPPORT)");
    }
}
