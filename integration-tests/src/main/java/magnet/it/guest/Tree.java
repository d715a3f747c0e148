// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where things are in the source tree; the paths are the same on the host and in the guest. */
public final class Tree {
    private static final Path ROOT = findRoot();

    private Tree() {}

    /** The root of the source tree. */
    public static Path root() {
        return ROOT;
    }

    /** The folder of what is built, apart from what Maven and the kernel's Makefiles build. */
    public static Path build() {
        return ROOT.resolve("build");
    }

    static Path harness() {
        return ROOT.resolve("integration-tests/harness");
    }

    private static Path findRoot() {
        Path here = Path.of("").toAbsolutePath();
        for (Path folder = here; folder != null; folder = folder.getParent()) {
            if (Files.isExecutable(folder.resolve("integration-tests/harness/boot"))) {
                return folder;
            }
        }
        throw new IllegalStateException("no integration-tests/harness/boot above " + here);
    }
}
