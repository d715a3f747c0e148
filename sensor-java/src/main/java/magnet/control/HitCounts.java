// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/**
 * What became of a point's hits for one subscription on one CPU. All of them are accounted for:
 * {@code hits = committed + filtered + sampledOut + droppedFull + droppedBig + droppedRecursion + droppedStorm}, once
 * nothing is on its way any more.
 *
 * @param cpu the CPU; {@link #ALL_CPUS} for a sum
 * @param hits how often the point was hit
 * @param committed logged
 * @param filtered refused by a rule
 * @param sampledOut left out by sampling
 * @param droppedFull no space in the ring
 * @param droppedBig larger than a record may be
 * @param droppedRecursion hit inside a handler of the same context
 * @param droppedStorm refused by the point's storm guard
 * @param missed lost by the probe mechanism itself; not among the hits
 */
public record HitCounts(
        int cpu,
        long hits,
        long committed,
        long filtered,
        long sampledOut,
        long droppedFull,
        long droppedBig,
        long droppedRecursion,
        long droppedStorm,
        long missed) {
    /** In place of a CPU: the sum over all. */
    public static final int ALL_CPUS = -1;
    /** No hits. */
    public static final HitCounts NONE = new HitCounts(ALL_CPUS, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Events dropped, whatever the cause. */
    public long dropped() {
        return droppedFull + droppedBig + droppedRecursion + droppedStorm;
    }

    /** Whether all hits are accounted for. */
    public boolean balances() {
        return hits == committed + filtered + sampledOut + dropped();
    }

    /** The sum with others. */
    public HitCounts plus(HitCounts other) {
        return new HitCounts(
                ALL_CPUS,
                hits + other.hits,
                committed + other.committed,
                filtered + other.filtered,
                sampledOut + other.sampledOut,
                droppedFull + other.droppedFull,
                droppedBig + other.droppedBig,
                droppedRecursion + other.droppedRecursion,
                droppedStorm + other.droppedStorm,
                missed + other.missed);
    }

    /** What has come since others, which were counted earlier. */
    public HitCounts minus(HitCounts earlier) {
        return new HitCounts(
                ALL_CPUS,
                hits - earlier.hits,
                committed - earlier.committed,
                filtered - earlier.filtered,
                sampledOut - earlier.sampledOut,
                droppedFull - earlier.droppedFull,
                droppedBig - earlier.droppedBig,
                droppedRecursion - earlier.droppedRecursion,
                droppedStorm - earlier.droppedStorm,
                missed - earlier.missed);
    }

    /** The same of another CPU. */
    public HitCounts onCpu(int another) {
        return new HitCounts(
                another,
                hits,
                committed,
                filtered,
                sampledOut,
                droppedFull,
                droppedBig,
                droppedRecursion,
                droppedStorm,
                missed);
    }
}
