// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import magnet.cli.world.BufferName;
import magnet.cli.world.BufferSizeOption;
import magnet.cli.world.ReadOn;
import magnet.cli.world.Table;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.BufferInfo;
import magnet.control.Flag;
import magnet.control.MagnetControl;
import magnet.control.RingCounts;
import magnet.unit.ByteSize;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code magnet buffers}: where events wait to be read. */
@Command(
        name = "buffers",
        header = "List the buffers and the ring of each CPU; make, change and remove buffers.",
        description = {
            "",
            "Shows for each ring the records written, the bytes that nobody has read yet and their share of the ring,"
                    + " the events lost, and the records that a flight recorder overwrote. MERGED LATE counts records"
                    + " that the file merged returned after a younger one.",
            "",
            "Makes one change at a time. A buffer that you make stays until somebody removes it."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  magnet buffers",
            "      # each ring: how full it is, and what it lost",
            "  sudo magnet buffers --create box --flight-recorder --buffer-size 1M",
            "      # a buffer that keeps the newest events",
            "  sudo magnet buffers --resize main --buffer-size 1M",
            "      # more memory for a buffer, while events flow",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/control.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class BuffersCommand implements Callable<Integer> {
    private static final int PERCENT = 100;

    @Option(names = "--create", paramLabel = "NAME", description = "Make a buffer.")
    private @Nullable String create;

    @Option(
            names = "--buffer-size",
            paramLabel = "SIZE",
            description =
                    "With --create and --resize: bytes per CPU, 64K to 256M, rounded up to a power of two. Default:"
                            + " 256K.")
    private @Nullable ByteSize size;

    @Option(
            names = "--flight-recorder",
            description = "With --create: when it is full, the newest events overwrite the oldest.")
    private boolean flightRecorder;

    @Option(
            names = "--resize",
            paramLabel = "NAME",
            description = "Change a buffer's size while events flow; unread events stay.")
    private @Nullable String resize;

    @Option(
            names = "--snapshot",
            paramLabel = "NAME",
            description = "Move everything that this flight recorder has now to a new buffer, named by --to. The"
                    + " recorder goes on empty.")
    private @Nullable String snapshot;

    @Option(names = "--to", paramLabel = "NEW", description = "With --snapshot: the name of the new buffer.")
    private @Nullable String to;

    @Option(
            names = "--remove",
            paramLabel = "NAME",
            description = "Remove a buffer. Its subscriptions end, and its readers reach the end of their files.")
    private @Nullable String remove;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    public BuffersCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        check();
        try (MagnetControl control = world.control().open()) {
            if (remove != null) {
                control.removeBuffer(remove);
                return ExitCode.OK;
            }
            String changed = change(control);
            print(control.buffers().stream()
                    .filter(buffer -> changed == null || changed.equals(buffer.name()))
                    .toList());
        }
        return ExitCode.OK;
    }

    private void check() {
        if (Stream.of(create != null, resize != null, snapshot != null, remove != null)
                        .filter(given -> given)
                        .count()
                > 1) {
            complain("one of --create, --resize, --snapshot and --remove at a time");
        }
        if (resize != null && size == null) {
            complain("--resize wants --buffer-size SIZE");
        }
        if (size != null && create == null && resize == null) {
            complain("--buffer-size goes with --create and --resize");
        }
        if (flightRecorder && create == null) {
            complain("--flight-recorder goes with --create");
        }
        if ((snapshot == null) != (to == null)) {
            complain("--snapshot NAME and --to NEW go together");
        }
        checkValues();
    }

    private void checkValues() {
        if (create != null) {
            BufferName.check(spec.commandLine(), "--create NAME", create, BufferName.MOST);
        }
        if (to != null) {
            BufferName.check(spec.commandLine(), "--to NEW", to, BufferName.MOST);
        }
        if (size != null) {
            BufferSizeOption.check(spec.commandLine(), size.bytes());
        }
    }

    private void complain(String what) {
        throw new ParameterException(spec.commandLine(), what);
    }

    /** Returns the name of the buffer that is new or different; null if nothing was to be changed. */
    private @Nullable String change(MagnetControl control) throws IOException {
        if (create != null) {
            Set<Flag> flags = EnumSet.of(Flag.PERSISTENT);
            if (flightRecorder) {
                flags.add(Flag.OVERWRITE);
            }
            long bytes = size == null ? MagnetControl.BUFFER_SIZE_DEFAULT : size.bytes();
            return control.createBuffer(create, bytes, flags).name();
        }
        if (resize != null && size != null) {
            return control.resizeBuffer(resize, size.bytes()).name();
        }
        if (snapshot != null && to != null) {
            return control.snapshotBuffer(snapshot, to, Set.of(Flag.PERSISTENT)).name();
        }
        return null;
    }

    private void print(List<BufferInfo> buffers) throws IOException {
        if (json) {
            world.out().line(ModuleJson.buffers(buffers));
            return;
        }
        if (buffers.isEmpty()) {
            world.out().line("no buffers");
            return;
        }
        Table table = new Table("BUFFER", "OWNER", ">KIB/CPU", "MODE", ">SUBSCRIPTIONS", ">MERGED LATE");
        for (BufferInfo buffer : buffers) {
            table.row(
                    buffer.name(),
                    owner(buffer.owner()),
                    buffer.size() / 1024,
                    buffer.flightRecorder() ? "flight-recorder" : "keep",
                    buffer.subscriptions(),
                    buffer.mergedLate());
        }
        table.print(world.out(), world.columns());
        printRings(buffers);
    }

    private void printRings(List<BufferInfo> buffers) throws IOException {
        world.out().line();
        Table table = new Table("BUFFER", ">CPU", ">RECORDS", ">UNREAD BYTES", ">FILL", ">LOST", ">OVERWRITTEN");
        for (BufferInfo buffer : buffers) {
            for (RingCounts ring : buffer.rings()) {
                long unread = buffer.unread(ring);
                table.row(
                        buffer.name(),
                        ring.cpu(),
                        ring.recordsWritten(),
                        unread,
                        unread * PERCENT / buffer.size() + "%",
                        ring.lost(),
                        ring.overwritten());
            }
        }
        table.print(world.out(), world.columns());
    }

    private static String owner(OptionalLong owner) {
        return owner.isPresent() ? "port " + owner.getAsLong() : "persistent";
    }
}
