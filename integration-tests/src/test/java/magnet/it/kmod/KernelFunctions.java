// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import magnet.it.guest.Guest;

/** Functions whose names differ between the kernels that magnet is tested with. */
final class KernelFunctions {
    private KernelFunctions() {}

    /** What carries out a system call of 64-bit programs; its argument points to their registers. */
    static String ofSystemCall(Guest guest, String name) {
        return (guest.options().isArm64() ? "__arm64_sys_" : "__x64_sys_") + name;
    }

    /** What opens files; its second argument is a {@code struct filename}. Newest kernels name it anew. */
    static String opener(Guest guest) {
        return guest.sh("grep -owE -m 1 'do_(filp|file)_open' /proc/kallsyms")
                .orFail()
                .stdout()
                .strip();
    }
}
