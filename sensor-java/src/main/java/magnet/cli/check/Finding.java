// SPDX-License-Identifier: Apache-2.0
package magnet.cli.check;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What {@code magnet check} found out about one thing.
 *
 * @param check what was looked at
 * @param state how it is
 * @param what what there is, or what is wrong and what does not work therefore
 * @param remedy what to do about it; empty where nothing has to be done
 */
public record Finding(String check, State state, String what, String remedy) {
    /** How a thing is. */
    enum State {
        /** As it should be. */
        OK,
        /** Something is missing that the rest works without. */
        WARNING,
        /** Something that somebody wants does not work. */
        FAILED,
        /** Not looked at, because something else is missing. */
        SKIPPED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static Finding ok(String check, String what) {
        return new Finding(check, State.OK, what, "");
    }

    static Finding warning(String check, String what, String remedy) {
        return new Finding(check, State.WARNING, what, remedy);
    }

    static Finding failed(String check, String what, String remedy) {
        return new Finding(check, State.FAILED, what, remedy);
    }

    static Finding skipped(String check, String why) {
        return new Finding(check, State.SKIPPED, why, "");
    }

    /** For JSON. */
    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("check", check);
        map.put("state", state);
        map.put("what", what);
        map.put("remedy", remedy);
        return map;
    }
}
