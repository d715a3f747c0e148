// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import magnet.agent.AgentHealth;
import magnet.agent.AgentRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ConductorTest {
    private final AtomicLong nanos = new AtomicLong();
    private final AgentHealth health = new AgentHealth(nanos::get);
    private final Conductor conductor = new Conductor("magnet-conductor");
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());

    private String note(String what) {
        done.add(what);
        return what;
    }

    @Test
    void shouldDoShortWorkFirstAndWhereLongWorkPauses() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        try (AgentRunner runner = AgentRunner.start(conductor, health)) {
            CompletableFuture<String> first = conductor.ask(() -> {
                note("long");
                begun.countDown();
                asked.await();
                conductor.pause();
                return note("rest of long");
            });
            begun.await();
            CompletableFuture<String> last = conductor.ask(() -> note("long too"));
            CompletableFuture<String> soon = conductor.askSoon(() -> note("short"));
            asked.countDown();
            assertThat(last.get()).isEqualTo("long too");
            assertThat(List.of(first.get(), soon.get())).containsExactly("rest of long", "short");
            assertThat(done).containsExactly("long", "short", "rest of long", "long too");
            assertThat(runner.failures()).isZero();
        }
    }

    @Test
    void shouldBeHeardByTheWatchdogWhenTheKernelDoesNotAnswer() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        try (AgentRunner runner = AgentRunner.start(conductor, health)) {
            nanos.addAndGet(2 * Conductor.LONGEST_WORK.toNanos());
            await().untilAsserted(() -> assertThat(health.complaint())
                    .as("it has only nothing to do")
                    .isEmpty());
            CompletableFuture<String> work = conductor.ask(() -> {
                entered.countDown();
                answers.await();
                return "answered";
            });
            entered.await();
            nanos.addAndGet(Conductor.LONGEST_WORK.toNanos());
            assertThat(health.complaint()).isEmpty();
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            assertThat(health.complaint()).contains("magnet-conductor has stood still for 301 s");
            answers.countDown();
            assertThat(work.get()).isEqualTo("answered");
            await().until(() -> health.complaint().isEmpty());
            assertThat(runner.hasEnded()).isFalse();
        }
    }
}
