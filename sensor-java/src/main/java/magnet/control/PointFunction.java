// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.util.List;

/**
 * One function or tracepoint of a point.
 *
 * @param family {@code ipv4}, {@code ipv6}, or empty
 * @param name the alternative that this kernel has; empty when it has none
 * @param state what became of it
 * @param tried the alternatives, in their order
 */
public record PointFunction(String family, String name, State state, List<String> tried) {

    /** {@code enum magnet_fn_state}. */
    public enum State {
        /** This kernel has none of the alternatives. */
        UNRESOLVED(0),
        /** Found; not hooked while nobody subscribes. */
        RESOLVED(1),
        /** Hooked. */
        ACTIVE(2),
        /** Its module is not loaded; hooked when it is. */
        WAITING(3);

        private final int id;

        State(int id) {
            this.id = id;
        }

        int id() {
            return id;
        }

        static State of(long id) throws MalformedMessageException {
            for (State state : values()) {
                if (state.id == id) {
                    return state;
                }
            }
            throw new MalformedMessageException("unknown state of a function: " + id);
        }
    }

    public PointFunction {
        tried = List.copyOf(tried);
    }
}
