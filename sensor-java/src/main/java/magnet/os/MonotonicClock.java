// SPDX-License-Identifier: Apache-2.0
package magnet.os;

/** CLOCK_MONOTONIC, injected where time counts so that tests can give their own. */
@FunctionalInterface
public interface MonotonicClock {
    /** The machine's: on Linux the JVM's nanoTime is CLOCK_MONOTONIC itself. */
    MonotonicClock SYSTEM = System::nanoTime;

    /** Now, in nanoseconds. */
    long nanos();
}
