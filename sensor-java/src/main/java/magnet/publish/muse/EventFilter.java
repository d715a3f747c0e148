// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.util.List;

/**
 * What an event must be like to get through one filter; a handler gets what gets through any of its filters. Numbers are
 * {@link #ANY} where the client said nothing. Immutable.
 *
 * @param kind what the filter is called
 * @param event number of the event; if any, one of those that MUSE's clients know a number of
 * @param id lower half of the abstract id
 * @param process the process
 * @param socket the socket, as {@code id}; only for filters of sockets
 */
record EventFilter(Kind kind, long event, long id, long process, long socket) {
    /** No condition. */
    static final long ANY = -1;

    private static final List<Integer> NAMED =
            List.of(MuseEvent.SOCKET_SEND, MuseEvent.SOCKET_RECEIVE, MuseEvent.CONTEXT_IN, MuseEvent.CONTEXT_OUT);
    private static final List<Integer> OF_SOCKETS = List.of(MuseEvent.SOCKET_SEND, MuseEvent.SOCKET_RECEIVE);

    /** What a handler without filters has. */
    static final EventFilter ALL = new EventFilter(Kind.PROCESS, ANY, ANY, ANY, ANY);

    /** The filters that there are. */
    enum Kind {
        PROCESS("process_filter"),
        SOCKET("socket_filter");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    /** Numbers of events that may get through. */
    List<Integer> numbers() {
        if (event != ANY) {
            return List.of((int) event);
        }
        return kind == Kind.SOCKET ? OF_SOCKETS : NAMED;
    }

    boolean passes(MuseEvent candidate) {
        return (event == ANY ? MuseEvent.isNamed(candidate.number) : event == candidate.number)
                && (id == ANY || id == candidate.id)
                && (process == ANY || process == candidate.process)
                && (kind != Kind.SOCKET || candidate.hasSocket)
                && (socket == ANY || socket == candidate.id);
    }
}
