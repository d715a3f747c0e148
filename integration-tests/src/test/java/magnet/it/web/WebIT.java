// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import java.io.IOException;
import java.nio.file.Path;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.Tree;
import org.junit.jupiter.api.Tag;

/** The reports of this tree, of a node that runs out of this tree. */
@GuestTest(forward = 8649)
@Tag("web")
final class WebIT extends ReportsShown {
    WebIT() {
        super("magnet-guest", Tree.build().resolve("web"));
    }

    @Override
    FrontEnd startFrontEnd(Path folder, int gmond) throws IOException {
        return FrontEnd.start(folder, gmond);
    }

    @Override
    void startNode(Guest guest) {
        guest.start("integration-tests/web/node", "summary").awaitOutput("ready", LIMIT);
    }
}
