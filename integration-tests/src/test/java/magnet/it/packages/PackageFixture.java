// SPDX-License-Identifier: Apache-2.0
package magnet.it.packages;

import java.util.Set;
import java.util.TreeSet;
import magnet.it.guest.Guest;
import magnet.it.service.ModuleState;
import org.junit.jupiter.api.BeforeAll;

/** A test of the packages on a machine of its own, where they come and go. */
abstract class PackageFixture {
    /** Of the class that runs. */
    private static Set<String> filesBefore = Set.of();

    final Guest guest;
    final Node node;
    final ModuleState module;

    PackageFixture(Guest guest) {
        this.guest = guest;
        node = new Node(guest);
        module = new ModuleState(guest);
    }

    @BeforeAll
    static void awaitBoot(Guest guest) {
        Node node = new Node(guest);
        node.awaitBoot();
        filesBefore = node.files();
    }

    /** What is on the machine and was not when it had booted. */
    final Set<String> filesSinceBoot() {
        Set<String> files = new TreeSet<>(node.files());
        files.removeAll(filesBefore);
        return files;
    }
}
