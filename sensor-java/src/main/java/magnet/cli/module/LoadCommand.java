// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.concurrent.Callable;
import magnet.cli.world.Failure;
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
                    + " and the next boots load it, too. systemctl start magnetd starts the service."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet load",
            "      # loads the module, unless it is held back",
            "  sudo magnet load --anyway",
            "      # after somebody has found out why the node went down; then systemctl start magnetd",
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
        if (heldBack.isPresent()) {
            release(heldBack.get());
        }
        if (Files.exists(world.root().resolve("sys/module/" + MODULE))) {
            world.tell("the module is loaded already");
        } else {
            world.loader().load(MODULE);
        }
        return ExitCode.OK;
    }

    private void release(HeldBack heldBack) throws IOException {
        if (!anyway) {
            throw new Failure("the module is " + heldBack.text() + "; to load it again: magnet load --anyway");
        }
        try {
            Files.deleteIfExists(heldBack.file());
        } catch (AccessDeniedException e) {
            throw new Failure(AS_ROOT);
        }
        world.tell("the module was " + heldBack.text());
    }
}
