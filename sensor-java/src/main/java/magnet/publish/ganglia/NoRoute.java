// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.nio.channels.UnsupportedAddressTypeException;

/** Says that packets cannot leave the machine in words that name where they should go to. Stateless. */
public final class NoRoute {
    private NoRoute() {}

    /**
     * What a socket that could not be connected means.
     *
     * @param e what the system says: ENETUNREACH is {@code Network is unreachable} to Java
     * @param to the address or name
     * @return an exception with a message for people; the same one if it is about something else
     */
    public static IOException explained(IOException e, String to) {
        boolean unreachable = e instanceof NoRouteToHostException
                || String.valueOf(e.getMessage()).equals("Network is unreachable");
        if (!unreachable) {
            return e;
        }
        IOException explained = new NoRouteToHostException("no route to " + to);
        explained.initCause(e);
        return explained;
    }

    /**
     * What a socket means that could not be made, bound or connected because of the kind of an address.
     *
     * @param e thrown where the machine has no IPv6, or by a socket of the other kind
     * @param to the address or name
     * @return an exception with a message for people
     * @throws RuntimeException the same one if it is about something else
     */
    public static IOException explained(RuntimeException e, String to) {
        boolean madeInVain = e.getClass() == UnsupportedOperationException.class;
        if (!madeInVain && !(e instanceof UnsupportedAddressTypeException)) {
            throw e;
        }
        IOException explained = new ProtocolException(
                madeInVain
                        ? "this machine has no IPv6, and " + to + " has no IPv4 address"
                        : "of " + to + " and the address to send from, one is IPv6 and the other is not");
        explained.initCause(e);
        return explained;
    }
}
