// SPDX-License-Identifier: Apache-2.0
package magnet.publish;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** A peer that asks for the newest values each time that it is asked what it was told, and remembers what it saw last. */
public abstract class AskingPeer implements SinkCompatibilityKit.Peer {
    private Socket stalled;
    private String seen = "";

    /** Where the sink listens; empty while it does not. */
    protected abstract Optional<InetSocketAddress> listening();

    /** What it sends when it shall stall, to take nothing then. */
    protected abstract String stallingRequest();

    /** Asks once; empty if there is no answer that counts. */
    protected abstract Optional<String> ask(InetSocketAddress address) throws IOException;

    /** What an answer says. */
    protected abstract List<SinkCompatibilityKit.Told> told(String answer);

    @Override
    public final boolean fetches() {
        return true;
    }

    @Override
    public final List<SinkCompatibilityKit.Told> take() throws IOException {
        Optional<InetSocketAddress> listening = listening();
        if (stalled != null || listening.isEmpty()) {
            return List.of();
        }
        try {
            Optional<String> answer = ask(listening.orElseThrow());
            boolean same = answer.isPresent() && answer.orElseThrow().equals(seen);
            seen = answer.orElse("");
            return answer.isEmpty() || same ? List.of() : told(seen);
        } catch (ConnectException e) {
            return List.of();
        }
    }

    @Override
    public final void stall() {
        try {
            InetSocketAddress address = listening().orElseThrow();
            stalled = new Socket(address.getAddress(), address.getPort());
            stalled.getOutputStream().write(stallingRequest().getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public final void proceed() {
        try {
            stalled.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        stalled = null;
    }

    /** It holds nothing between two requests, and remembers nothing. */
    @Override
    public final void close() {
        seen = "";
    }

    @Override
    public final void startAgain() {
        seen = "";
    }
}
