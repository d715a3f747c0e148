// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import magnet.cli.world.Failure;
import magnet.cli.world.World;
import magnet.os.Errno;
import magnet.os.OrderDevice;
import magnet.os.OsException;

/** {@code /dev/gtrace}, which one process at a time has open. */
interface Gtrace {
    /** The tasks as they are now; none without the module. */
    List<GtraceTask> tasks() throws IOException;

    /** The processes of a task as they are now, parents before their children; none if there is no such task. */
    default List<Integer> processes(String task) throws IOException {
        return GtraceTask.named(task, tasks()).stream()
                .flatMap(found -> found.processes().stream())
                .map(GtraceTask.Node::pid)
                .toList();
    }

    /**
     * Gives an order.
     *
     * @throws OsException as docs/gtrace.md has its errors
     */
    void order(String order) throws IOException;

    /** That of this node. */
    static Gtrace of(World world) {
        Path device = world.root().resolve("dev/gtrace");
        return new Gtrace() {
            @Override
            public List<GtraceTask> tasks() throws IOException {
                if (!Files.exists(device)) {
                    return List.of();
                }
                try (OrderDevice open = open(device, world)) {
                    return GtraceTask.parse(open.text());
                }
            }

            @Override
            public void order(String order) throws IOException {
                try (OrderDevice open = open(device, world)) {
                    open.order(order);
                }
            }
        };
    }

    private static OrderDevice open(Path device, World world) throws IOException {
        Patience patience = new Patience(Patience.FOR_A_DEVICE, world.clock());
        while (true) {
            try {
                return OrderDevice.open(device);
            } catch (OsException e) {
                if (e.errno() != Errno.EBUSY) {
                    throw new Failure(device + ": " + Errno.describe(e.number()));
                }
                if (!patience.pause()) {
                    throw new Failure(device + ": another process has it open; try again when it has closed it");
                }
            }
        }
    }
}
