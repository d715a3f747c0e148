// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import magnet.it.guest.Guest;
import magnet.it.guest.KernelComplaints;

/** Three nodes on a cable, with gmetad and the web front end on this machine, which ask the first. Closing it ends all. */
final class Cluster implements AutoCloseable {
    private static final int SIZE = 3;
    private static final int FIRST_CABLE = 20_000;
    private static final int LAST_CABLE = 60_000;

    private final List<ClusterNode> nodes = new ArrayList<>();
    private FrontEnd frontEnd;

    /**
     * Boots them, and waits until all publish and have their workload. They end when the thread that calls this does.
     *
     * @param setup how gmond is configured: multicast or unicast
     * @param folder for what gmetad and the front end write
     */
    void start(String setup, Path folder) throws IOException {
        int cable = ThreadLocalRandom.current().nextInt(FIRST_CABLE, LAST_CABLE);
        for (int number = 1; number <= SIZE; number++) {
            nodes.add(ClusterNode.boot(number, cable, setup));
        }
        frontEnd = FrontEnd.start(folder, nodes.get(0).guest().options().forwardedPort());
        nodes.forEach(ClusterNode::awaitReady);
        nodes.forEach(ClusterNode::hear);
        for (int i = 0; i < SIZE; i++) {
            nodes.get(i).sendTo(nodes.get((i + 1) % SIZE));
        }
    }

    List<ClusterNode> nodes() {
        return nodes;
    }

    List<String> names() {
        return nodes.stream().map(ClusterNode::name).toList();
    }

    FrontEnd frontEnd() {
        return frontEnd;
    }

    /** Makes the logs of its guests outlast them. */
    void keep() {
        nodes.stream().map(ClusterNode::guest).forEach(Guest::keep);
    }

    /** Fails if the kernel of one complained. */
    void checkKernels() throws IOException, InterruptedException {
        for (ClusterNode node : nodes) {
            KernelComplaints.failIfAny(node.guest());
        }
    }

    @Override
    public void close() {
        if (frontEnd != null) {
            frontEnd.close();
        }
        nodes.forEach(ClusterNode::close);
    }
}
