// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import magnet.publish.LogLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AgentRunnerTest {
    private final AtomicLong nanos = new AtomicLong();
    private final AgentHealth health = new AgentHealth(nanos::get);

    /** Does what it is handed, turn by turn. */
    private static final class Scripted implements Agent {
        private final OnFailure onFailure;
        private final BlockingQueue<Callable<Integer>> turns = new LinkedBlockingQueue<>();
        private final AtomicInteger starts = new AtomicInteger();
        private final AtomicInteger failingStarts = new AtomicInteger();
        private final AtomicInteger closed = new AtomicInteger();
        private final AtomicInteger did = new AtomicInteger();

        Scripted(OnFailure onFailure) {
            this.onFailure = onFailure;
        }

        Scripted then(Callable<Integer> turn) {
            turns.add(turn);
            return this;
        }

        @Override
        public String roleName() {
            return "scripted";
        }

        @Override
        public OnFailure onFailure() {
            return onFailure;
        }

        @Override
        public Optional<Duration> longestTurn() {
            return Optional.of(Duration.ofSeconds(10));
        }

        @Override
        public void onStart() throws IOException {
            if (failingStarts.getAndDecrement() > 0) {
                throw new IOException("not yet");
            }
            starts.incrementAndGet();
        }

        @Override
        public int doWork() throws Exception {
            int done = turns.take().call();
            did.incrementAndGet();
            return done;
        }

        @Override
        public void wakeUp() {
            turns.add(() -> 0);
        }

        @Override
        public void onClose() {
            closed.incrementAndGet();
        }
    }

    private static int missing() {
        throw new NoClassDefFoundError("magnet/Removed");
    }

    @Test
    void shouldGoOnAndCountAndSayOnceWhenTurnsThrowErrors() {
        try (LogLines log = new LogLines(AgentRunner.class)) {
            Scripted agent = new Scripted(Agent.OnFailure.GO_ON)
                    .then(AgentRunnerTest::missing)
                    .then(AgentRunnerTest::missing)
                    .then(() -> 1);
            try (AgentRunner runner = AgentRunner.start(agent, health)) {
                await().until(() -> agent.did.get() == 1);
                assertThat(runner.failures()).isEqualTo(2);
                assertThat(health.failures()).isEqualTo(2);
                assertThat(health.complaint()).isEmpty();
            }
            assertThat(agent.closed).hasValue(1);
            assertThat(log.lines())
                    .containsExactly("WARN scripted: java.lang.NoClassDefFoundError: magnet/Removed"
                            + " (said once, counted from now on)");
        }
    }

    @Test
    void shouldEndAndBeMissedUntilForgottenWhenItEndsAtFailures() {
        Scripted agent = new Scripted(Agent.OnFailure.END).then(AgentRunnerTest::missing);
        AgentRunner runner = AgentRunner.start(agent, health);
        await().until(runner::hasEnded);
        assertThat(runner.failure()).containsInstanceOf(NoClassDefFoundError.class);
        assertThat(agent.closed).hasValue(1);
        assertThat(health.complaint()).contains("scripted has ended: java.lang.NoClassDefFoundError: magnet/Removed");
        health.forget(runner);
        assertThat(health.complaint()).isEmpty();
        assertThat(health.failures()).isEqualTo(1);
    }

    @Test
    void shouldNotBeMissedWhenItCameToItsEnd() {
        Scripted agent = new Scripted(Agent.OnFailure.END).then(() -> Agent.OVER);
        AgentRunner runner = AgentRunner.start(agent, health);
        await().until(runner::hasEnded);
        assertThat(runner.failure()).isEmpty();
        assertThat(health.complaint()).isEmpty();
        assertThat(agent.closed).hasValue(1);
    }

    @Test
    void shouldStartAgainWhenItsStartFailed() {
        Scripted agent = new Scripted(Agent.OnFailure.GO_ON).then(() -> 1);
        agent.failingStarts.set(2);
        try (AgentRunner runner = AgentRunner.start(agent, health)) {
            await().until(() -> agent.did.get() == 1);
            assertThat(runner.failures()).isEqualTo(2);
            assertThat(agent.starts).hasValue(1);
        }
    }

    @Test
    void shouldBeMissedWhileATurnTakesTooLong() {
        Scripted agent = new Scripted(Agent.OnFailure.GO_ON);
        try (AgentRunner runner = AgentRunner.start(agent, health)) {
            await().until(() -> agent.starts.get() == 1);
            nanos.set(Duration.ofSeconds(11).toNanos());
            await().untilAsserted(() -> assertThat(health.complaint()).contains("scripted has stood still for 11 s"));
            agent.then(() -> 1);
            await().until(() -> health.complaint().isEmpty());
            assertThat(runner.isCurrent()).isFalse();
        }
    }

    @Test
    void shouldEndSoonWhenClosedWhileItWaitsAfterAFailure() {
        Scripted agent = new Scripted(Agent.OnFailure.GO_ON).then(AgentRunnerTest::missing);
        AgentRunner runner = AgentRunner.start(agent, health);
        await().until(() -> runner.failures() == 1);
        runner.close();
        assertThat(runner.hasEnded()).isTrue();
        assertThat(List.of(agent.closed.get(), agent.did.get())).isEqualTo(List.of(1, 0));
    }
}
