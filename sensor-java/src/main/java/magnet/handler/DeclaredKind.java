// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.util.Locale;
import java.util.Optional;
import magnet.config.HandlerKey;

/** What a declared handler makes of its events. */
enum DeclaredKind {
    /** How many there are, or the sum of a field. */
    COUNT,
    /** The same per second. */
    RATE,
    /** How a field is distributed. */
    DISTRIBUTION,
    /** How long it takes from one event to another that has the same number in a field. */
    INTERVAL;

    /** As it stands in the file. */
    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether a key means anything for this kind. */
    boolean takes(HandlerKey key) {
        return switch (key) {
            case FIELD -> this != INTERVAL;
            case UNTIL, UNTIL_WHERE, BY -> this == INTERVAL;
            default -> true;
        };
    }

    static Optional<DeclaredKind> find(String key) {
        for (DeclaredKind kind : values()) {
            if (kind.key().equals(key)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }
}
