// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import org.jspecify.annotations.Nullable;

/** What a datagram is for. */
public enum Kind {
    /** A recording is to begin at an instant. */
    START(1),
    /** A recording is to end at an instant. */
    STOP(2),
    /** Nodes are to say how they are. */
    QUERY(3),
    /** What a node answers. */
    ACK(4);

    private final int number;

    Kind(int number) {
        this.number = number;
    }

    /** Its number on the wire. */
    int number() {
        return number;
    }

    /** The one of a number; null if there is none. */
    static @Nullable Kind of(int number) {
        for (Kind each : values()) {
            if (each.number == number) {
                return each;
            }
        }
        return null;
    }
}
