// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.Callable;
import magnet.cli.world.Complaint;
import magnet.cli.world.Failure;
import magnet.cli.world.Lockdown;
import magnet.cli.world.ModuleFile;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.HeldBack;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Option;

/** {@code magnet load}: loads the module, also one that the packages hold back. */
@Command(
        name = "load",
        header = "Load the kernel module.",
        description = {
            "",
            "Does what modprobe does. If a boot with the module ended without a shutdown, the packages hold the module"
                    + " back, and this command says how that boot ended. With --anyway it loads the module all the same,"
                    + " and the next boots load it, too; if that fails, it stays held back. systemctl start magnetd starts the service."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet load",
            "      # loads the module, unless it is held back",
            "  sudo magnet load --anyway",
            "      # after somebody has found out why the node went down",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/rollout.md, " + ReadOn.DOCS + "/operating.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class)
public final class LoadCommand implements Callable<Integer> {
    private static final String MODULE = "magnet";
    private static final String AS_ROOT = "to load the module takes CAP_SYS_MODULE: run it as root";

    @Option(names = "--anyway", description = "Load the module even if it is held back, and hold it back no longer.")
    private boolean anyway;

    private final World world;

    public LoadCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        if (!ModuleRight.isHeld(world)) {
            throw new Failure(AS_ROOT);
        }
        Optional<HeldBack> heldBack = HeldBack.find(world.root());
        if (heldBack.isEmpty()) {
            load();
        } else if (anyway) {
            release(heldBack.get());
        } else {
            throw new Failure("the module is " + heldBack.get().text() + "; to load it again: magnet load --anyway");
        }
        return ExitCode.OK;
    }

    private void load() throws IOException {
        if (Files.exists(world.root().resolve("sys/module/" + MODULE))) {
            world.tell("the module is loaded already");
            return;
        }
        try {
            world.loader().load(MODULE);
        } catch (IOException e) {
            Optional<String> remedy = remedy();
            throw remedy.isEmpty() ? e : new Failure(Complaint.about(e) + "; " + remedy.get());
        }
    }

    /** The guard looks at the file while modprobe runs: it is out of its sight then, and comes back if there is no module. */
    private void release(HeldBack heldBack) throws IOException {
        Path aside = heldBack.file().resolveSibling(heldBack.file().getFileName() + ".aside");
        try {
            Files.move(heldBack.file(), aside, StandardCopyOption.REPLACE_EXISTING);
        } catch (AccessDeniedException e) {
            throw new Failure(AS_ROOT);
        }
        boolean loaded = false;
        try {
            load();
            loaded = true;
        } finally {
            if (!loaded) {
                Files.move(aside, heldBack.file());
            }
        }
        Files.deleteIfExists(aside);
        world.tell("the module was " + heldBack.text());
    }

    /** What magnet check would say; empty if it knows no more than modprobe. */
    private Optional<String> remedy() throws IOException {
        ModuleFile file = ModuleFile.ofRunningKernel(world);
        return file.isInstalled()
                ? new Lockdown(world.lockdown()).advice().map(advice -> "the kernel is locked down, " + advice)
                : Optional.of(file.remedy());
    }
}
