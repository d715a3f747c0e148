// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import java.io.IOException;
import java.nio.file.Path;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.Tree;
import org.junit.jupiter.api.Tag;

/** The reports that dpkg has installed out of the package magnet-ganglia-web, of a node that runs out of this tree. */
@GuestTest(forward = 8649)
@Tag("packages")
final class InstalledReportsIT extends ReportsShown {
    InstalledReportsIT() {
        super("magnet-guest", Tree.build().resolve("web/installed"));
    }

    @Override
    FrontEnd startFrontEnd(Path folder, int gmond) throws IOException {
        return FrontEnd.start(folder, gmond, Tree.root().resolve("build/deb"));
    }

    @Override
    void startNode(Guest guest) {
        guest.start("integration-tests/web/node", "summary").awaitOutput("ready", LIMIT);
    }
}
