// SPDX-License-Identifier: Apache-2.0
package magnet.agent;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Which agents must be alive, and whether they are: the watchdog is fed only while nobody of them is missed. An agent is
 * here from its start to an end that somebody wanted; one that failed for good stays, until {@link #forget}. Thread-safe.
 */
public final class AgentHealth {
    private final LongSupplier nanoClock;
    private final Set<AgentRunner> agents = ConcurrentHashMap.newKeySet();
    private final AtomicLong failures = new AtomicLong();

    /** @param nanoClock monotonic */
    public AgentHealth(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /** A register that nobody asks: of agents whose owner looks after them. */
    public static AgentHealth unheard() {
        return new AgentHealth(System::nanoTime);
    }

    /** Turns of agents that failed, of all that there were. */
    public long failures() {
        return failures.get();
    }

    /** Who of those that must be alive is not, or stands still, in one line; empty if all is well. */
    public Optional<String> complaint() {
        long now = nanoClock.getAsLong();
        for (AgentRunner agent : agents) {
            String complaint = agent.complaint(now);
            if (complaint != null) {
                return Optional.of(complaint);
            }
        }
        return Optional.empty();
    }

    /** The end of an agent that failed was noticed, and it is not needed any more. */
    public void forget(AgentRunner agent) {
        agents.remove(agent);
    }

    void enter(AgentRunner agent) {
        agents.add(agent);
    }

    void leave(AgentRunner agent) {
        agents.remove(agent);
    }

    void failed() {
        failures.incrementAndGet();
    }

    long nanos() {
        return nanoClock.getAsLong();
    }
}
