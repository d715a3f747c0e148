// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.util.Optional;
import magnet.cli.world.World;

/** Prints lists of jobs as blocks of text or lines of JSON. Says once why there are no figures. */
final class PrintedJobs implements JobsShown {
    private final World world;
    private final boolean json;
    private boolean first = true;
    private Optional<String> said = Optional.empty();

    PrintedJobs(World world, boolean json) {
        this.world = world;
        this.json = json;
    }

    @Override
    public void begin(Runnable quit) {
        // Ctrl-C ends it.
    }

    @Override
    public void show(JobList list) throws IOException {
        if (json) {
            world.out().line(list.json());
        } else {
            if (!first) {
                world.out().line();
            }
            first = false;
            list.table().print(world.out(), world.columns());
        }
        world.out().flush();
        Optional<String> without = list.withoutFigures();
        if (without.isPresent() && !without.equals(said) && !json) {
            world.tell(without.get());
        }
        said = without;
    }

    @Override
    public void end() {
        // What is printed stays.
    }
}
