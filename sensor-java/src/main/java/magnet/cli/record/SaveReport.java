// SPDX-License-Identifier: Apache-2.0
package magnet.cli.record;

import java.util.LinkedHashMap;
import java.util.Map;
import magnet.cli.world.Output;
import magnet.cli.world.World;
import magnet.json.Json;
import magnet.recorder.Saved;

/** Prints what was saved: a line for people, or JSON. For one thread. */
final class SaveReport {
    private final World world;
    private final boolean json;

    SaveReport(World world, boolean json) {
        this.world = world;
        this.json = json;
    }

    void tell(Saved saved) throws Output.ClosedException {
        if (!json) {
            world.out().line(saved.text());
            world.out().flush();
            return;
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("recorder", saved.recorder());
        all.put("trace", saved.folder().toString());
        all.put("events", saved.events());
        all.put("names", saved.names());
        all.put("owners", saved.owners());
        all.put("bytes", saved.bytes());
        saved.begin().ifPresent(time -> all.put("begin", time.toString()));
        saved.end().ifPresent(time -> all.put("end", time.toString()));
        all.put("records_overwritten", saved.overwritten());
        all.put("lost", saved.lost());
        if (!saved.lacking().isEmpty()) {
            all.put("lacking", saved.lacking());
        }
        all.put("traces_removed", saved.removed());
        if (!saved.kept().isEmpty()) {
            all.put("not_removed", saved.kept());
        }
        world.out().line(Json.of(all));
        world.out().flush();
    }
}
