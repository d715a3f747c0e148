// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import org.awaitility.Awaitility;

/**
 * A stand-in for systemd in a guest: takes what a service tells NOTIFY_SOCKET, by perl's own sockets. Closing it kills it.
 *
 * <p>At each READY=1 it looks at once, before anything else can happen, how many points the module has switched on.
 */
final class NotifyListener implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final String SCRIPT = """
            use strict;
            use Socket;
            use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);
            $| = 1;
            my $where = $ARGV[0];
            unlink $where;
            (my $name = $where) =~ s/^@/\\0/;
            socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
            bind($socket, pack_sockaddr_un($name)) or die "bind: $!";
            chmod 0777, $where unless $where =~ /^@/;
            print "listening\\n";
            while (1) {
                defined recv($socket, my $message, 65536, 0) or die "recv: $!";
                my $micros = int(clock_gettime(CLOCK_MONOTONIC) * 1e6);
                my $on = 0;
                if ($message =~ /^READY=1$/m and open my $events, "<", "/sys/kernel/debug/magnet/control/events") {
                    while (<$events>) { $on++ if !/^#/ and (split)[4] > 0 }
                }
                $message =~ s/\\n/|/g;
                print "$micros $on $message\\n";
            }
            """;

    /**
     * A message.
     *
     * @param micros CLOCK_MONOTONIC of the guest when it was taken
     * @param pointsOn points that had subscriptions then, if it says READY=1
     * @param lines what it says
     */
    record Message(long micros, int pointsOn, List<String> lines) {
        Message {
            lines = List.copyOf(lines);
        }

        boolean says(String assignment) {
            return lines.contains(assignment);
        }

        /** The value of a variable; empty if it has none. */
        String value(String variable) {
            return lines.stream()
                    .filter(line -> line.startsWith(variable + "="))
                    .map(line -> line.substring(variable.length() + 1))
                    .findFirst()
                    .orElse("");
        }
    }

    private final Guest guest;
    private final GuestProcess process;

    private NotifyListener(Guest guest, GuestProcess process) {
        this.guest = guest;
        this.process = process;
    }

    /**
     * Starts one and waits until it listens.
     *
     * @param where a path, or an at sign and the name of an abstract socket
     */
    static NotifyListener start(Guest guest, String where) {
        NotifyListener listener = new NotifyListener(guest, guest.start(SCRIPT, List.of("perl", "-", where)));
        listener.process.awaitOutput("listening", LIMIT);
        return listener;
    }

    /** All messages up to now. */
    List<Message> messages() {
        List<Message> messages = new ArrayList<>();
        String output = process.stdout();
        for (String line : output.substring(0, output.lastIndexOf('\n') + 1)
                .lines()
                .skip(1)
                .toList()) {
            String[] parts = line.split(" ", 3);
            messages.add(new Message(
                    Long.parseLong(parts[0]), Integer.parseInt(parts[1]), List.of(parts[2].split("\\|", -1))));
        }
        return messages;
    }

    /** Those that say this. */
    List<Message> saying(String assignment) {
        return messages().stream().filter(message -> message.says(assignment)).toList();
    }

    /** Waits until so many say this, and gives the last of them. */
    Message await(String assignment, int count) {
        Awaitility.await()
                .atMost(guest.options().scaled(LIMIT))
                .untilAsserted(() -> assertThat(saying(assignment))
                        .as("%s in %s", assignment, messages())
                        .hasSizeGreaterThanOrEqualTo(count));
        return saying(assignment).get(count - 1);
    }

    @Override
    public void close() {
        process.kill();
    }
}
