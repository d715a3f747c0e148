// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.Callable;
import magnet.cli.world.Failure;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;

/** {@code magnet cluster key}: makes the key that all nodes share. */
@Command(
        name = "key",
        header = "Make the key that all nodes share.",
        description = {
            "",
            "Writes 64 random bytes to the file that key in [cluster] names, /etc/magnet/cluster.key, for root and group"
                    + " magnet. Replaces no key that is there. Copy the file to the other nodes as you copy other secrets;"
                    + " whoever has it may start and stop recordings."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet cluster key",
            "      # on one node; then copy the file to the others",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/cluster.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class ClusterKeyCommand implements Callable<Integer> {
    private static final int BYTES = 64;

    private final World world;

    ClusterKeyCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        Path file = world.root().resolve(Orders.config(world).key().toString().substring(1));
        byte[] secret = new byte[BYTES];
        new SecureRandom().nextBytes(secret);
        try (SeekableByteChannel channel = Files.newByteChannel(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")))) {
            ByteBuffer bytes = ByteBuffer.wrap(secret);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (FileAlreadyExistsException e) {
            throw new Failure(file + ": there is a key already; remove it first if all nodes shall get a new one");
        }
        giveToGroup(file);
        world.tell("a new key is in " + file + "; copy it to all nodes");
        return ExitCode.OK;
    }

    private void giveToGroup(Path file) throws IOException {
        try {
            GroupPrincipal group =
                    file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName("magnet");
            Files.getFileAttributeView(file, PosixFileAttributeView.class).setGroup(group);
        } catch (UserPrincipalNotFoundException e) {
            world.tell("there is no group magnet, so root alone may read it");
        }
    }
}
