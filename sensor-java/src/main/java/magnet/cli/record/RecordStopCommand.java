// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import magnet.cli.world.BufferName;
import magnet.cli.world.Counted;
import magnet.cli.world.LossAdvice;
import magnet.cli.world.ReadOn;
import magnet.cli.world.VersionProvider;
import magnet.cli.world.World;
import magnet.control.ControlException;
import magnet.control.HitCounts;
import magnet.control.MagnetControl;
import magnet.control.SubscriptionInfo;
import magnet.json.Json;
import magnet.measure.Subscriptions;
import magnet.os.Errno;
import magnet.recorder.Recorder;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code magnet record stop}: ends a flight recorder, and says what it came to. */
@Command(
        name = "stop",
        header = "End a flight recorder, and say what was hit, lost and overwritten.",
        description = {
            "",
            "Its points log no more, and what it held is gone: save it before. A trace that is just being saved is"
                    + " saved to its end."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  sudo magnet record stop box",
            "      # one line about what it saw",
            "  sudo magnet record save box -o /tmp/trace && sudo magnet record stop box",
            "      # the last seconds are saved first",
            "",
            ReadOn.LEAD + ReadOn.DOCS + "/operating.md"
        },
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
public final class RecordStopCommand implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The flight recorder.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String name;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private final World world;

    RecordStopCommand(World world) {
        this.world = world;
    }

    @Override
    public Integer call() throws IOException {
        BufferName.check(spec.commandLine(), "NAME", name, Recorder.NAME_MOST);
        try (MagnetControl control = world.control().open()) {
            Recorder recorder = Recorder.named(name, control);
            List<String> points = recorder.points();
            HitCounts hits = HitCounts.NONE;
            for (SubscriptionInfo each : recorder.subscriptions()) {
                HitCounts its = end(control, each);
                hits = points.contains(each.point()) ? hits.plus(its) : hits;
            }
            Recorder ended = Recorder.named(name, control);
            control.removeBuffer(name);
            tell(recorder, ended, hits);
        }
        return ExitCode.OK;
    }

    /** What somebody else has ended meanwhile counts as far as it was known. */
    private static HitCounts end(MagnetControl control, SubscriptionInfo subscription) throws IOException {
        try {
            return control.unsubscribe(subscription.id()).total();
        } catch (ControlException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
            return subscription.total();
        }
    }

    private void tell(Recorder recorder, Recorder ended, HitCounts hits) throws IOException {
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("name", name);
            all.put("points", recorder.points());
            all.put("hits", hits.hits());
            all.put("committed", hits.committed());
            all.put("filtered", hits.filtered());
            all.put("sampled_out", hits.sampledOut());
            all.put("lost", hits.dropped() + hits.missed());
            all.put("records_saved", ended.saved());
            all.put("records_overwritten", ended.overwritten());
            all.put("records_held", ended.held());
            world.out().line(Json.of(all));
            return;
        }
        world.out()
                .line("flight recorder " + name + " has ended: " + Subscriptions.account(hits) + "; "
                        + Counted.were(ended.overwritten(), "record") + " overwritten, " + ended.saved()
                        + " saved, and "
                        + Counted.of(ended.held(), "that it held is gone", "that it held are gone"));
        Optional<String> advice = LossAdvice.of(hits, recorder.buffer().size());
        if (advice.isPresent()) {
            world.tell(advice.get());
        }
    }
}
