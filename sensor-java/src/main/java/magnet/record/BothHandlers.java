// SPDX-License-Identifier: Apache-2.0
package magnet.record;

/** Hands everything to one handler, then to another. */
final class BothHandlers implements RecordHandler {
    private final RecordHandler first;
    private final RecordHandler second;

    BothHandlers(RecordHandler first, RecordHandler second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public void onRecord(RecordFlyweight record) {
        first.onRecord(record);
        second.onRecord(record);
    }

    @Override
    public void onGap(int cpu) {
        first.onGap(cpu);
        second.onGap(cpu);
    }

    @Override
    public void onNewEpoch(int cpus) {
        first.onNewEpoch(cpus);
        second.onNewEpoch(cpus);
    }
}
