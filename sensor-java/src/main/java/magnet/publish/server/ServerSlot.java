// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a sink whose peers ask has its server: opened with the first snapshot for which nobody else has the place, and anew
 * after a fault of its own. For one thread, but for {@link #errors} and {@link #server}.
 *
 * @param <S> the server
 */
public final class ServerSlot<S extends ServerSlot.Server> {
    /** Answers on a thread of its own, until it is closed or fails. */
    public interface Server extends AutoCloseable {
        /** Connections that ended before their answers were taken. For any thread. */
        long brokenOff();

        /** Why nobody is answered any more; empty as long as somebody is, or if it was closed. For any thread. */
        Optional<Throwable> failure();

        /** Does not throw. */
        @Override
        void close();
    }

    /** Opens a server. */
    @FunctionalInterface
    public interface Opener<S> {
        /**
         * One that answers from now on.
         *
         * @throws IOException if nobody can listen there now
         */
        S open() throws IOException;
    }

    private volatile @Nullable S server;
    private volatile long errorsBefore;

    /** Connections that ended before their answers were taken, and faults, of all servers that there were. */
    public long errors() {
        S answering = server;
        return errorsBefore + (answering == null ? 0 : answering.brokenOff());
    }

    /** The one that answers; empty if there is none. */
    public Optional<S> server() {
        return Optional.ofNullable(server);
    }

    /**
     * Sees to it that one answers.
     *
     * @param failed is told why the last one does not any more
     * @throws IOException if none can be opened
     */
    public void keepOpen(Opener<S> opener, Consumer<Throwable> failed) throws IOException {
        forgetFailed(failed);
        if (server == null) {
            server = opener.open();
        }
    }

    /** A fault of the server's ends its thread; the next one may do better. */
    private void forgetFailed(Consumer<Throwable> failed) {
        server().flatMap(Server::failure).ifPresent(failure -> {
            failed.accept(failure);
            long errors = errors();
            close();
            server = null;
            // Its fault is one more.
            errorsBefore = errors + 1;
        });
    }

    /** Closes the one that answers. */
    public void close() {
        server().ifPresent(Server::close);
    }
}
