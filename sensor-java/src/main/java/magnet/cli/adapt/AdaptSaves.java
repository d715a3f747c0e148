// SPDX-License-Identifier: Apache-2.0
package magnet.cli.adapt;

import java.io.IOException;
import java.nio.file.Path;
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
import magnet.recorder.Saved;
import org.jspecify.annotations.Nullable;

/** Saves flight recorders when conditions begin to hold. For one thread. */
public final class AdaptSaves {
    private final World world;
    private final Map<String, SaveFolder> folders = new HashMap<>();

    /**
     * @param rules those that there are; some may save nothing
     * @param folder where traces go; null if no rule saves any
     * @param bounds how many there may be, of each flight recorder
     */
    AdaptSaves(World world, List<AdaptRule> rules, @Nullable Path folder, SaveFolder.Bounds bounds) {
        this.world = world;
        if (folder == null) {
            return;
        }
        for (AdaptRule rule : rules) {
            String recorder = rule.save();
            if (recorder != null) {
                folders.put(recorder, new SaveFolder(folder, recorder, bounds, world.wall()));
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
        SaveFolder folder = folders.get(String.valueOf(rule.save()));
        if (folder == null) {
            return Optional.empty();
        }
        try (MagnetControl control = world.control().open()) {
            Saved saved = folder.save(new RecorderSave(control, RecordCommand.machine(world)));
            tell(saved.text());
            return Optional.of(saved.folder());
        } catch (IOException e) {
            tell("flight recorder " + rule.save() + " is not saved: " + Complaint.about(e));
            return Optional.empty();
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
