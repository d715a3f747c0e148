// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import magnet.cli.world.Capability;
import magnet.cli.world.World;

/** The right to load and remove modules. */
final class ModuleRight {
    private ModuleRight() {}

    /** Whether this process has it. Where /proc does not tell, the kernel does when it is asked. */
    static boolean isHeld(World world) throws IOException {
        Path self = world.processes().resolve("self");
        return !Files.exists(self.resolve("status")) || Capability.of(self).contains(Capability.SYS_MODULE);
    }
}
