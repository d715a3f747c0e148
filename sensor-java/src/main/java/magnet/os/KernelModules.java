// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import com.sun.jna.Platform;
import java.nio.charset.StandardCharsets;

/** Removes kernel modules. */
public final class KernelModules {
    private static final long SYS_DELETE_MODULE = Platform.isARM() ? 106 : 176;
    private static final int O_NONBLOCK = 0x800;

    private KernelModules() {}

    /**
     * Removes a module, without waiting for who uses it.
     *
     * @throws OsException EAGAIN or EBUSY when it is in use, ENOENT when it is not loaded, EPERM without
     *     CAP_SYS_MODULE
     */
    public static void remove(String name) throws OsException {
        byte[] bytes = (name + "\0").getBytes(StandardCharsets.US_ASCII);
        NativeBuffer copy = NativeBuffer.allocate(bytes.length);
        copy.bytes().put(0, bytes);
        if (Libc.syscall(SYS_DELETE_MODULE, copy.address(0, bytes.length), O_NONBLOCK) < 0) {
            throw new OsException("remove module " + name, Libc.errno());
        }
    }
}
