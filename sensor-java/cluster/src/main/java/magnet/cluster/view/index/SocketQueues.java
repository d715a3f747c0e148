// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.index;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Datagrams that lie in sockets, and who takes them out. A socket is its cookie; its reader is the thread that took a datagram
 * out of it last. Bounded: {@value #SOCKETS} sockets with {@value #DATAGRAMS} datagrams each, of which the oldest give way. For
 * one thread.
 */
final class SocketQueues {
    private static final int SOCKETS = 1 << 14;
    private static final int DATAGRAMS = 1 << 12;
    private static final int NOBODY = 0;

    /** One datagram. */
    private record Datagram(long id, long since) {}

    private static final class Queue {
        private final Deque<Datagram> datagrams = new ArrayDeque<>();
        private int reader = NOBODY;
    }

    private final Map<Long, Queue> queues = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Queue> eldest) {
            return size() > SOCKETS;
        }
    };

    /**
     * A datagram comes into a socket.
     *
     * @return the thread that reads there; 0 if nobody is known
     */
    int put(long socket, long datagram, long at) {
        Queue queue = queues.computeIfAbsent(socket, unused -> new Queue());
        if (queue.datagrams.size() >= DATAGRAMS) {
            queue.datagrams.removeFirst();
        }
        queue.datagrams.addLast(new Datagram(datagram, at));
        return queue.reader;
    }

    /**
     * A thread takes a datagram out, and with it all that came before, which must have gone another way.
     *
     * @return since when the oldest lies there that is left; negative if there is none
     */
    long take(long socket, long datagram, int thread) {
        Queue queue = queues.computeIfAbsent(socket, unused -> new Queue());
        queue.reader = thread;
        if (queue.datagrams.stream().anyMatch(each -> each.id == datagram)) {
            while (queue.datagrams.removeFirst().id != datagram) {
                // It has gone another way.
            }
        }
        Datagram oldest = queue.datagrams.peekFirst();
        return oldest == null ? -1 : oldest.since;
    }

    /** Events are missing: what lies where nobody knows. */
    void forget() {
        queues.values().forEach(queue -> queue.datagrams.clear());
    }
}
