// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntFunction;
import magnet.dump.Interfaces;
import magnet.os.ThreadComm;
import org.jspecify.annotations.Nullable;

/** Names as this machine has them now: of processes in {@code /proc}, of devices in {@code /sys}. For one thread. */
final class LiveNames implements GroupNames.Source {
    private static final String NAMELESS = "";

    private final Path processes;
    private final Path root;
    private final IntFunction<@Nullable String> events;
    private final Interfaces interfaces;

    /**
     * @param processes where proc is mounted
     * @param root the root of all other files
     * @param events names of events by id; null where there is none
     */
    LiveNames(Path processes, Path root, IntFunction<@Nullable String> events) {
        this.processes = processes;
        this.root = root;
        this.events = events;
        this.interfaces = new Interfaces(processes, root.resolve("sys/class/net"));
    }

    @Override
    public String ofThread(int id) {
        return ThreadComm.of(processes, id);
    }

    @Override
    public String ofInterface(int index) {
        return interfaces.name(index).orElse(NAMELESS);
    }

    @Override
    public String ofDisk(int major, int minor) {
        Path link = root.resolve("sys/dev/block/" + major + ":" + minor);
        try {
            return Files.readSymbolicLink(link).getFileName().toString();
        } catch (IOException e) {
            return NAMELESS;
        }
    }

    @Override
    public String ofEvent(int id) {
        String name = events.apply(id);
        return name == null ? NAMELESS : name;
    }
}
