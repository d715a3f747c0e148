// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs on this machine, many times as fast, what needs no guest: such as a report of a trace that a guest has saved. */
public final class HostShell {
    private HostShell() {}

    /**
     * Runs a script of bash, for which {@code $MAGNET} is the command of this tree.
     *
     * @param folder where it runs
     * @param limit how long it may take
     * @return how it ended; what it wrote to its standard error is in its standard output
     * @throws IOException if it cannot be started, or took longer and was killed
     */
    public static GuestResult run(Path folder, Duration limit, String script) throws IOException {
        List<String> command = List.of("bash", "-c", script);
        Path output = Files.createTempFile("host-shell-", ".txt");
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile());
            builder.environment()
                    .put("MAGNET", Tree.root().resolve("sensor-java/bin/magnet").toString());
            Process process = builder.start();
            process.getOutputStream().close();
            return new GuestResult(command, ended(process, limit), Files.readString(output), "");
        } finally {
            Files.delete(output);
        }
    }

    private static int ended(Process process, Duration limit) throws IOException {
        try {
            if (process.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        throw new IOException("not done within " + limit.toSeconds() + " s, or interrupted");
    }
}
