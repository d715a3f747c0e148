// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The keys of a section {@code [handler NAME]}; docs/handlers.md says what they are. */
public enum HandlerKey {
    KIND("kind"),
    POINT("point"),
    WHERE("where"),
    FILTER("filter"),
    FIELD("field"),
    UNTIL("until"),
    UNTIL_WHERE("until-where"),
    BY("by"),
    METRIC("metric"),
    UNIT("unit"),
    TITLE("title"),
    DESCRIPTION("description"),
    GROUP("group"),
    LEVEL("level");

    private final String key;

    HandlerKey(String key) {
        this.key = key;
    }

    /** As it stands in the file. */
    public String key() {
        return key;
    }

    /** Whether its value is rules, which are separated by what also begins a comment. */
    boolean isRules() {
        return this == WHERE || this == UNTIL_WHERE;
    }

    static Optional<HandlerKey> find(String key) {
        return Arrays.stream(values()).filter(each -> each.key.equals(key)).findFirst();
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(HandlerKey::key).toList();
    }
}
