// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import magnet.agent.Tasks;
import magnet.publish.ganglia.ChannelSocket;
import magnet.publish.ganglia.NoRoute;
import magnet.publish.ganglia.SendChannel;

/** Finds the way to where packets are sent to. */
@FunctionalInterface
public interface Route {
    /** A name service that does not answer is given up after so long. */
    long PATIENCE_MS = 5_000;

    /**
     * Finds it, without sending anything.
     *
     * @return what was found, for people
     * @throws UnknownHostException if the name cannot be resolved
     * @throws IOException if there is no way there, or the name service does not answer
     */
    String find(SendChannel channel) throws IOException;

    /** By this machine's names, interfaces and routes. */
    static String ofMachine(SendChannel channel) throws IOException {
        InetAddress address = resolve(channel.host());
        if (channel.multicast() && channel.multicastInterface().isPresent()) {
            String name = channel.multicastInterface().get();
            if (NetworkInterface.getByName(name) == null) {
                throw new SocketException("there is no interface " + name);
            }
            return "interface " + name + " is there";
        }
        try (DatagramChannel socket = ChannelSocket.open(address)) {
            socket.connect(new InetSocketAddress(address, channel.port()));
            return "goes to " + address.getHostAddress() + " from "
                    + ((InetSocketAddress) socket.getLocalAddress())
                            .getAddress()
                            .getHostAddress();
        } catch (IOException e) {
            throw NoRoute.explained(e, address.getHostAddress());
        }
    }

    private static InetAddress resolve(String host) throws IOException {
        CompletableFuture<InetAddress> resolved = new CompletableFuture<>();
        Tasks.start("resolver", () -> {
            try {
                resolved.complete(InetAddress.getByName(host));
            } catch (Throwable e) { // whoever waits is told, whatever it is
                resolved.completeExceptionally(e);
            }
        });
        try {
            return resolved.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new SocketTimeoutException("the name service has not answered for " + PATIENCE_MS / 1_000 + " s");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownHostException) {
                throw new UnknownHostException(host);
            }
            throw new IOException("looking up " + host + " failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted");
        }
    }
}
