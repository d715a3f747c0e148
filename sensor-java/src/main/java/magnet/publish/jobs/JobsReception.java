// SPDX-License-Identifier: Apache-2.0
package magnet.publish.jobs;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import jdk.net.ExtendedSocketOptions;
import magnet.publish.server.Conversation;
import magnet.publish.server.Reception;

/**
 * Who comes to one of the sockets: who it is the kernel says. Of connections each user has {@value #CONNECTIONS_OF_USER}, and all
 * together {@value #CONNECTIONS}. For the server's thread.
 */
final class JobsReception implements Reception {
    static final int CONNECTIONS = 64;
    static final int CONNECTIONS_OF_USER = 8;

    private static final String TOO_MANY = "there are too many connections; try again";

    private final Function<UserPrincipal, String> answers;
    private final Map<UserPrincipal, Integer> users = new HashMap<>();

    /** @param answers makes what a user is told */
    JobsReception(Function<UserPrincipal, String> answers) {
        this.answers = answers;
    }

    @Override
    public Optional<String> refusal(SocketChannel channel, int connections) throws IOException {
        UserPrincipal user = user(channel);
        if (connections >= CONNECTIONS) {
            return Optional.of("there are " + CONNECTIONS + " connections already");
        }
        return users.getOrDefault(user, 0) < CONNECTIONS_OF_USER
                ? Optional.empty()
                : Optional.of("user " + user.getName() + " has " + CONNECTIONS_OF_USER + " connections already");
    }

    @Override
    public byte[] farewell() {
        return JobsAnswer.error(TOO_MANY).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Conversation welcome(SocketChannel channel) throws IOException {
        UserPrincipal user = user(channel);
        users.merge(user, 1, Integer::sum);
        return new JobsConversation(() -> answers.apply(user), () -> left(user));
    }

    private static UserPrincipal user(SocketChannel channel) throws IOException {
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
    }

    private void left(UserPrincipal user) {
        users.computeIfPresent(user, (any, count) -> count == 1 ? null : count - 1);
    }
}
