// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Whose processes are, by the owner of their folders. Asks once for each user what he is called. For one thread. */
public final class ProcessOwners {
    private final Path processes;
    private final Map<Object, UserPrincipal> users = new HashMap<>();

    /** @param processes the folder with a folder for each process */
    public ProcessOwners(Path processes) {
        this.processes = processes;
    }

    /** The user; empty if the process is not there any more, or may not be looked at. */
    public Optional<UserPrincipal> of(int pid) {
        Path process = processes.resolve(Integer.toString(pid));
        try {
            Object number = Files.getAttribute(process, "unix:uid");
            UserPrincipal known = users.get(number);
            return Optional.of(known == null ? ask(process) : known);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * What a user is called; the number if nobody says.
     *
     * @param user the number
     * @param pid one of the user's processes, as far as anybody knows
     */
    public String nameOf(int user, int pid) {
        if (!users.containsKey(user)) {
            of(pid);
        }
        UserPrincipal known = users.get(user);
        return known == null ? Integer.toString(user) : known.getName();
    }

    /** Number and user of one look, because a process may become somebody else's in between. */
    private UserPrincipal ask(Path process) throws IOException {
        Map<String, Object> both = Files.readAttributes(process, "unix:uid,owner");
        UserPrincipal user = (UserPrincipal) Objects.requireNonNull(both.get("owner"));
        users.put(Objects.requireNonNull(both.get("uid")), user);
        return user;
    }
}
