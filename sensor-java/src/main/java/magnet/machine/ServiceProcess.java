// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;

/** The process of magnetd, as {@code /proc} shows it. Stateless. */
public final class ServiceProcess {
    private static final String MAIN_CLASS = "magnet.service.Magnetd";

    private ServiceProcess() {}

    /**
     * The process, if it runs and this user may see it; one of any other id than this process has.
     *
     * @param processes the folder with a folder for each process
     */
    public static OptionalLong find(Path processes) throws IOException {
        long self = ProcessHandle.current().pid();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(processes, "[0-9]*")) {
            for (Path folder : folders) {
                long pid = Long.parseLong(folder.getFileName().toString());
                if (pid != self && isService(folder)) {
                    return OptionalLong.of(pid);
                }
            }
        }
        return OptionalLong.empty();
    }

    private static boolean isService(Path process) {
        try {
            String commandLine = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            return Arrays.asList(commandLine.split("\0", -1)).contains(MAIN_CLASS);
        } catch (IOException e) {
            // It ended meanwhile, or belongs to somebody else.
            return false;
        }
    }
}
