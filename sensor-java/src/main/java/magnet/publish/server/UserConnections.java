// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashMap;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/** How many connections each user has to a socket of this machine: {@value #MOST} at the most. For the server's thread. */
public final class UserConnections {
    /** That a user may have. */
    public static final int MOST = 8;

    private final Map<UserPrincipal, Integer> users = new HashMap<>();

    /** Who is at the other end, as the kernel says. */
    public static UserPrincipal user(SocketChannel channel) throws IOException {
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
    }

    /** Whether the user may have one more. */
    public boolean hasRoom(UserPrincipal user) {
        return users.getOrDefault(user, 0) < MOST;
    }

    /** Counts one more; what is returned is to be run when it has ended. */
    public Runnable add(UserPrincipal user) {
        users.merge(user, 1, Integer::sum);
        return () -> users.computeIfPresent(user, (any, count) -> count == 1 ? null : count - 1);
    }
}
