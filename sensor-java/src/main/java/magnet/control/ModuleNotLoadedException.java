// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;

/** The kernel has no netlink family {@code magnet}. */
public final class ModuleNotLoadedException extends IOException {
    private static final long serialVersionUID = 1;

    ModuleNotLoadedException() {
        super("the kernel module is not loaded; load it with modprobe magnet, or insmod magnet.ko where it was built");
    }
}
