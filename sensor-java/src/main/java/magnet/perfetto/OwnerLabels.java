// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;

/**
 * Whose processes are, as labels of them. A process that moves gets another label, and an instant on its first thread's track
 * says where it went. For one thread.
 */
final class OwnerLabels {
    private static final int MOST = 1 << 15;

    private final PacketWriter packets;
    private final Threads threads;
    private final IntFunction<String> owners;
    private final Bounded<Integer, String> labels = new Bounded<>(MOST);
    private int lastProcess;
    private String lastOwner = "";

    /** @param owners whose a process is, as of the record that is handed over; empty if that is not known */
    OwnerLabels(PacketWriter packets, Threads threads, IntFunction<String> owners) {
        this.packets = packets;
        this.threads = threads;
        this.owners = owners;
    }

    /** A process is new; what had its number before is gone. */
    void begins(int process) {
        labels.remove(process);
        lastProcess = 0;
    }

    /** A process has an event. Mostly it has several in a row. */
    void seen(int process, long ns) {
        if (process == 0) {
            return;
        }
        String owner = owners.apply(process);
        if (process == lastProcess && owner.equals(lastOwner)) {
            return;
        }
        lastProcess = process;
        lastOwner = owner;
        String before = labels.get(process);
        if (!owner.isEmpty() && !owner.equals(before)) {
            labels.put(process, owner);
            String shown = Names.of(owner.getBytes(StandardCharsets.UTF_8));
            packets.processLabel(process, shown);
            if (before != null) {
                packets.annotations().with("owner", shown);
                packets.instant(threads.track(process, process), "moved", ns);
            }
        }
    }
}
