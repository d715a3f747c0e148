// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The kernel has no netlink family {@code magnet}. */
public final class ModuleNotLoadedException extends IOException {
    private static final long serialVersionUID = 1;

    private ModuleNotLoadedException(String message) {
        super(message);
    }

    /**
     * Says why as far as this machine's files tell.
     *
     * @param root the root of them
     */
    static ModuleNotLoadedException on(Path root) throws IOException {
        Optional<HeldBack> heldBack = HeldBack.find(root);
        return new ModuleNotLoadedException(
                heldBack.map(held -> "the kernel module is not loaded, but " + held.text() + "; magnet load --anyway")
                        .orElse("the kernel module is not loaded; load it with magnet load or modprobe magnet, or"
                                + " insmod magnet.ko where it was built"));
    }
}
