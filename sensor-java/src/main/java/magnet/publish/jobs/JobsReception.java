// SPDX-License-Identifier: Apache-2.0
package magnet.publish.jobs;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.UserPrincipal;
import java.util.Optional;
import java.util.function.Function;
import magnet.publish.server.Conversation;
import magnet.publish.server.Reception;
import magnet.publish.server.UserConnections;

/**
 * Who comes to one of the sockets: who it is the kernel says. Of connections each user has {@value #CONNECTIONS_OF_USER}, and all
 * together {@value #CONNECTIONS}. For the server's thread.
 */
final class JobsReception implements Reception {
    static final int CONNECTIONS = 64;
    static final int CONNECTIONS_OF_USER = UserConnections.MOST;

    private static final String TOO_MANY = "there are too many connections; try again";

    private final Function<UserPrincipal, String> answers;
    private final UserConnections users = new UserConnections();

    /** @param answers makes what a user is told */
    JobsReception(Function<UserPrincipal, String> answers) {
        this.answers = answers;
    }

    @Override
    public Optional<String> refusal(SocketChannel channel, int connections) throws IOException {
        UserPrincipal user = UserConnections.user(channel);
        if (connections >= CONNECTIONS) {
            return Optional.of("there are " + CONNECTIONS + " connections already");
        }
        return users.hasRoom(user)
                ? Optional.empty()
                : Optional.of("user " + user.getName() + " has " + CONNECTIONS_OF_USER + " connections already");
    }

    @Override
    public byte[] farewell() {
        return JobsAnswer.error(TOO_MANY).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Conversation welcome(SocketChannel channel) throws IOException {
        UserPrincipal user = UserConnections.user(channel);
        return new JobsConversation(() -> answers.apply(user), users.add(user));
    }
}
