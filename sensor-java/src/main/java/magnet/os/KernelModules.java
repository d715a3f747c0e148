// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import com.sun.jna.Platform;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Loads and removes kernel modules. */
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

    /**
     * Loads a module as {@code modprobe} does, with the parameters and commands of {@code modprobe.d}.
     *
     * @throws IOException with what modprobe said, in a line
     */
    public static void load(String name) throws IOException {
        Process modprobe = new ProcessBuilder("/sbin/modprobe", name)
                .redirectErrorStream(true)
                .start();
        modprobe.getOutputStream().close();
        List<String> said;
        try (var output = modprobe.inputReader(StandardCharsets.UTF_8)) {
            said = output.lines().map(String::strip).toList();
        }
        try {
            if (modprobe.waitFor() != 0) {
                throw new IOException("modprobe " + name + " failed: " + String.join("; ", said));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while modprobe was running", e);
        }
    }
}
