// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import magnet.cli.world.Failure;
import magnet.cli.world.Processes;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.VisibleText;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.control.ModuleNotLoadedException;
import magnet.os.OsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

/** {@code magnet unload}: ends everybody who uses the module, and removes it. */
@Command(
        name = "unload",
        header = "Remove the kernel module and end whoever uses it.",
        description = {
            "",
            "Ends all subscriptions and buffers, so readers reach the end of their files. Waits up to 10 seconds until"
                    + " they close them; then it says who still has a file open, and changes nothing more. The command"
                    + " ends nobody's reading if the kernel would refuse to remove the module, or if a reader is"
                    + " stopped (SIGSTOP, Ctrl-Z, a debugger, a frozen control group) and so could not close its file,"
                    + " or if a process has the marker or a control file open, which do not end."
                    + " If the module is not loaded, a line says so, and the exit code is 0."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet unload",
            "      # ends whoever reads, and removes the module",
            "  sudo systemctl stop magnetd && sudo magnet unload",
            "      # the service first, so that it does not log that the module went",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/operating.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
public final class UnloadCommand implements Callable<Integer> {
    private static final String MODULE = "magnet";
    private static final long PATIENCE_NS = 10_000_000_000L;
    private static final long RETRY_MS = 50;
    private static final int LOOKS = 5;
    private static final String NOTHING_ENDED = "; nobody's reading was ended";

    private final World world;

    public UnloadCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        try (MagnetControl control = world.control().openOfAnyAbi()) {
            checkThatItCanGo();
            control.shutdown();
        } catch (ModuleNotLoadedException e) {
            if (Files.exists(world.root().resolve("sys/module/" + MODULE))) {
                throw e; // it is just being loaded or removed
            }
            world.tell("nothing to unload: the module is not loaded");
            return ExitCode.OK;
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

    /** Nobody's reading is ended for a removal that the kernel refuses. */
    private void checkThatItCanGo() throws IOException {
        if (!ModuleRight.isHeld(world)) {
            throw new Failure("to remove the module takes CAP_SYS_MODULE: run it as root" + NOTHING_ENDED);
        }
        if (lines(world.processes().resolve("sys/kernel/modules_disabled")).contains("1")) {
            throw new Failure("kernel.modules_disabled is 1: no module is loaded or removed before the machine is"
                    + " restarted" + NOTHING_ENDED);
        }
        List<String> dependent = dependent();
        if (!dependent.isEmpty()) {
            throw new Failure("other modules need it: remove them first (rmmod " + String.join(" ", dependent) + ")"
                    + NOTHING_ENDED);
        }
        for (Processes.Holder holder : staying()) {
            String it = text(List.of(holder));
            throw new Failure(
                    holder.stopped()
                            ? "a reader is stopped and cannot close its file: " + it + "; let it go on (kill -CONT "
                                    + holder.pid() + ") or end it" + NOTHING_ENDED
                            : "a file is open whose reader nobody can tell to close it: " + it + "; end that process"
                                    + NOTHING_ENDED);
        }
    }

    /** Those who keep their files open each time that they are looked at: a cat ends, and strace stops others for moments. */
    private List<Processes.Holder> staying() throws IOException {
        List<Processes.Holder> staying = notEnding();
        for (int look = 1; look < LOOKS && !staying.isEmpty(); look++) {
            sleep();
            List<Processes.Holder> now = notEnding();
            staying = staying.stream().filter(now::contains).toList();
        }
        return staying;
    }

    private List<Processes.Holder> notEnding() throws IOException {
        return processes().holders().stream().filter(holder -> !holder.mayEnd()).toList();
    }

    private Processes processes() {
        return new Processes(world.processes(), world.root().resolve("sys/fs/cgroup"));
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    private List<String> dependent() throws IOException {
        Path holders = world.root().resolve("sys/module/" + MODULE + "/holders");
        if (!Files.exists(holders)) {
            return List.of();
        }
        try (Stream<Path> modules = Files.list(holders)) {
            return modules.map(each -> each.getFileName().toString()).sorted().toList();
        }
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
        List<Processes.Holder> holders = processes().holders();
        return holders.isEmpty() ? "no process has a file of it open; another module may depend on it" : text(holders);
    }

    private static String text(List<Processes.Holder> holders) {
        StringBuilder text = new StringBuilder();
        for (Processes.Holder holder : holders) {
            text.append(text.isEmpty() ? "" : ", ");
            text.append("process %d (%s) has %s open"
                    .formatted(holder.pid(), VisibleText.of(holder.name()), holder.file()));
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
