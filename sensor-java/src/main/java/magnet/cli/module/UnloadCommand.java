// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import magnet.cli.world.Failure;
import magnet.cli.world.Processes;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.os.OsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

/** {@code magnet unload}: ends everybody who uses the module, and removes it. */
@Command(
        name = "unload",
        header = "Remove the kernel module, ending whoever uses it.",
        description = {
            "",
            "Ends all subscriptions and buffers; readers come to the end of their files. Waits up to 10 seconds for"
                    + " them to close, then says who still has a file open and changes nothing more."
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
public final class UnloadCommand implements Callable<Integer> {
    private static final String MODULE = "magnet";
    private static final long PATIENCE_NS = 10_000_000_000L;
    private static final long RETRY_MS = 50;

    private final World world;

    public UnloadCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        try (MagnetControl control = world.control().openOfAnyAbi()) {
            control.shutdown();
        }
        long deadline = world.clock().nanos() + PATIENCE_NS;
        while (!remove()) {
            if (world.clock().nanos() - deadline >= 0) {
                throw new Failure("the module is still in use, 10 s after its readers were told to end: " + holders());
            }
            sleep();
        }
        return ExitCode.OK;
    }

    /** Whether it is gone. */
    private boolean remove() throws IOException {
        try {
            world.modules().remove(MODULE);
            return true;
        } catch (OsException e) {
            return switch (e.errno()) {
                case ENOENT -> true;
                case EAGAIN, EBUSY -> false;
                case EPERM -> throw new Failure("to remove the module takes CAP_SYS_MODULE: run it as root");
                default -> throw e;
            };
        }
    }

    private String holders() throws IOException {
        List<Processes.Holder> holders = new Processes(world.processes()).holders();
        if (holders.isEmpty()) {
            return "no process has a file of it open; another module may depend on it";
        }
        StringBuilder text = new StringBuilder();
        for (Processes.Holder holder : holders) {
            text.append(text.isEmpty() ? "" : ", ");
            text.append("process %d (%s) has %s open".formatted(holder.pid(), holder.name(), holder.file()));
        }
        return text.toString();
    }

    private static void sleep() throws Failure {
        try {
            Thread.sleep(RETRY_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("interrupted");
        }
    }
}
