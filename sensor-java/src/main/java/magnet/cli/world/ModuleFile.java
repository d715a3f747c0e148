// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The module's file for a kernel, which modprobe looks for.
 *
 * @param release the kernel's, such as 6.1.0-13-amd64
 * @param root the root of the machine's files
 */
public record ModuleFile(String release, Path root) {
    /** The one that this machine needs. */
    public static ModuleFile ofRunningKernel(World world) throws IOException {
        Path release = world.processes().resolve("sys/kernel/osrelease");
        return new ModuleFile(Files.readString(release).strip(), world.root());
    }

    /** Whether modprobe finds it. */
    public boolean isInstalled() throws IOException {
        Path list = root.resolve("lib/modules").resolve(release).resolve("modules.dep");
        try (Stream<String> lines = Files.lines(list, StandardCharsets.ISO_8859_1)) {
            return lines.anyMatch(line -> line.matches("(.*/)?magnet\\.ko(\\.\\w+)?:.*"));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** How to get it, and the service with it. */
    public String remedy() throws IOException {
        if (isPackaged()) {
            return "install the headers of this kernel (linux-headers-%s, on the RHEL family kernel-devel-%s), then dkms autoinstall, and systemctl start magnetd"
                    .formatted(release, release);
        }
        if (isPackagedForOthers()) {
            return "install the package magnet-module-" + release
                    + ", which make deb-module or make rpm-module builds, then systemctl start magnetd";
        }
        return "build it for this kernel (make -C sensor-kmod KDIR=/lib/modules/" + release
                + "/build modules) and load it: insmod sensor-kmod/magnet.ko";
    }

    /** Whether a package brought the module's source, which DKMS compiles. */
    private boolean isPackaged() throws IOException {
        try (DirectoryStream<Path> sources = Files.newDirectoryStream(root.resolve("usr/src"), "magnet-*")) {
            return sources.iterator().hasNext();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Whether a package of the module itself is here, for another kernel. */
    private boolean isPackagedForOthers() throws IOException {
        try (DirectoryStream<Path> kernels = Files.newDirectoryStream(root.resolve("lib/modules"))) {
            for (Path kernel : kernels) {
                if (Files.exists(kernel.resolve("updates/magnet/magnet.ko"))) {
                    return true;
                }
            }
            return false;
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
