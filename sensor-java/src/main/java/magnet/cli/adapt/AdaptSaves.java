// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import magnet.cli.record.RecordCommand;
import magnet.cli.world.Complaint;
import magnet.cli.world.Output;
import magnet.cli.world.World;
import magnet.control.MagnetControl;
import magnet.recorder.Recorder;
import magnet.recorder.RecorderSave;
import magnet.recorder.SaveFolder;
import magnet.recorder.SavePause;
import magnet.recorder.Saved;
import org.jspecify.annotations.Nullable;

/** Saves flight recorders when conditions begin to hold. For one thread. */
public final class AdaptSaves {
    private final World world;
    private final Map<String, SaveFolder> folders = new HashMap<>();
    private final Map<String, SavePause> pauses = new HashMap<>();

    /**
     * @param rules those that there are; some may save nothing
     * @param folder where traces go; null if no rule saves any
     * @param bounds how many there may be, of each flight recorder
     * @param pause the shortest time between two saves of a flight recorder
     */
    AdaptSaves(World world, List<AdaptRule> rules, @Nullable Path folder, SaveFolder.Bounds bounds, Duration pause) {
        this.world = world;
        if (folder == null) {
            return;
        }
        for (AdaptRule rule : rules) {
            String recorder = rule.save();
            if (recorder != null) {
                folders.put(recorder, new SaveFolder(folder, recorder, bounds, world.wall()));
                pauses.put(recorder, new SavePause(world.clock(), pause));
            }
        }
    }

    /**
     * Looks whether all that may be saved is there.
     *
     * @throws IOException if not
     */
    void check() throws IOException {
        if (folders.isEmpty()) {
            return;
        }
        try (MagnetControl control = world.control().open()) {
            for (String recorder : folders.keySet()) {
                Recorder.named(recorder, control);
            }
        }
    }

    /** Saves what a rule wants saved; what keeps it from that is a line. */
    Optional<Path> save(AdaptRule rule) {
        String recorder = rule.save();
        SaveFolder folder = recorder == null ? null : folders.get(recorder);
        SavePause pause = recorder == null ? null : pauses.get(recorder);
        if (folder == null || pause == null) {
            return Optional.empty();
        }
        if (pause.goesOn()) {
            tell("flight recorder " + recorder + " is not saved: its last save is too recent (--pause)");
            return Optional.empty();
        }
        try (MagnetControl control = world.control().open()) {
            Saved saved = folder.save(new RecorderSave(control, RecordCommand.machine(world)));
            tell(saved.text());
            return Optional.of(saved.folder());
        } catch (IOException e) {
            tell("flight recorder " + recorder + " is not saved: " + Complaint.about(e));
            return Optional.empty();
        } finally {
            pause.begin();
        }
    }

    private void tell(String line) {
        try {
            world.tell(line);
        } catch (Output.ClosedException e) {
            // Nobody can be told: it is saved all the same.
        }
    }
}
