// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;

/** The command, run in a guest. */
final class Magnet {
    static final String COMMAND = "sensor-java/bin/magnet";

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private Magnet() {}

    static GuestResult run(Guest guest, String... arguments) {
        List<String> command = new ArrayList<>(List.of(COMMAND));
        command.addAll(List.of(arguments));
        return guest.run(LIMIT, command.toArray(String[]::new));
    }
}
