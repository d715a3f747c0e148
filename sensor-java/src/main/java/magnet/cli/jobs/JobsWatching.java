// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import magnet.cli.world.OwnerPoints;
import magnet.cli.world.World;
import magnet.job.JobNames;

/** Looks at the jobs in each interval, and shows them, until there were enough lists or the user has enough. For one run. */
final class JobsWatching {
    private final World world;
    private final JobsShown shown;
    private final Duration interval;
    private final long most;
    private final CountDownLatch stopped = new CountDownLatch(1);

    JobsWatching(World world, JobsShown shown, Duration interval, long most) {
        this.world = world;
        this.shown = shown;
        this.interval = interval;
        this.most = most;
    }

    void run() throws IOException {
        JobNames names = OwnerPoints.names(world);
        Gtrace gtrace = Gtrace.of(world);
        FiguresClient client = new FiguresClient(world);
        world.interruption().onInterrupt(() -> {
            stopped.countDown();
            shown.end();
        });
        try {
            shown.begin(stopped::countDown);
            for (long i = 0; i < most && stopped.getCount() > 0; i++) {
                if (i > 0 && stopped.await(interval.toNanos(), TimeUnit.NANOSECONDS)) {
                    return;
                }
                shown.show(JobList.of(names, gtrace, client, world));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            shown.end();
        }
    }
}
