// SPDX-License-Identifier: Apache-2.0
package magnet.perfetto;

import java.util.EnumMap;
import java.util.Map;

/** The groups' tracks: each is there as soon as something is in it. For one thread. */
final class Groups {
    private final PacketWriter packets;
    private final Map<Group, Long> tracks = new EnumMap<>(Group.class);

    Groups(PacketWriter packets) {
        this.packets = packets;
    }

    long track(Group group) {
        return tracks.computeIfAbsent(group, each -> packets.track(each.title(), 0, each.rank()));
    }

    /** Tracks within a group, for slices that may overlap. */
    Lanes lanes(Group group, String name, int rank) {
        return new Lanes(packets, name, track(group), rank);
    }
}
