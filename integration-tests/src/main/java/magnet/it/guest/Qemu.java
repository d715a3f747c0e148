// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The QEMU process of one guest. It dies with this JVM: the kernel kills it when the thread that started it
 * ends, so that thread does nothing but wait for it.
 */
final class Qemu {
    private Qemu() {}

    /**
     * Starts harness/boot, which becomes QEMU.
     *
     * @param run the guest's empty folder; what boot and QEMU themselves say goes to boot.log in it
     */
    static Process start(Path run, GuestOptions options) {
        List<String> command = new ArrayList<>(List.of(
                "setpriv", "--pdeathsig", "KILL", Tree.harness().resolve("boot").toString()));
        command.addAll(List.of(run.toString(), "agent"));
        command.addAll(options.arguments());
        File log = run.resolve("boot.log").toFile();
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log);

        CompletableFuture<Process> started = new CompletableFuture<>();
        Thread keeper = new Thread(() -> keep(builder, started), "keeper of " + run.getFileName());
        keeper.setDaemon(true);
        keeper.start();
        try {
            return started.join();
        } catch (CompletionException e) {
            throw new GuestException("cannot start " + command, e);
        }
    }

    private static void keep(ProcessBuilder builder, CompletableFuture<Process> started) {
        try {
            Process process = builder.start();
            started.complete(process);
            process.onExit().join();
        } catch (IOException e) {
            started.completeExceptionally(e);
        }
    }
}
