// SPDX-License-Identifier: Apache-2.0
package magnet.cli.jobs;

import java.io.IOException;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import magnet.agent.Tasks;
import magnet.cli.world.LiveScreen;
import magnet.cli.world.Output;
import magnet.cli.world.World;
import magnet.os.TerminalSize;

/** Draws lists of jobs on a terminal, each in the place of the one before. */
final class DrawnJobs implements JobsShown {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final String HELP = "q quit";
    private static final int CONTROL_D = 4;

    private final World world;
    private final LiveScreen screen;
    private List<String> lines = List.of();

    DrawnJobs(World world) {
        this.world = world;
        this.screen = new LiveScreen(world.out());
    }

    @Override
    public void begin(Runnable quit) {
        world.jobs().around(screen::pause, () -> screen.goOn(this::draw));
        world.keys().get().ifPresent(keys -> {
            screen.usedWith(keys);
            Tasks.start("keys", () -> readAll(keys, quit));
        });
    }

    private static void readAll(World.Keys keys, Runnable quit) {
        try {
            int key = keys.read();
            while (key >= 0 && key != 'q' && key != 'Q' && key != CONTROL_D) {
                key = keys.read();
            }
            quit.run();
        } catch (IOException e) {
            // Without keys it goes on, and Ctrl-C ends it.
        }
    }

    @Override
    public void show(JobList list) throws IOException {
        List<String> all = new ArrayList<>();
        all.add("magnet jobs  "
                + TIME.format(world.wall().instant().atZone(world.zone().get())) + "  "
                + list.withoutFigures().orElse(""));
        all.add("");
        all.addAll(list.table().lines(size().columns()));
        screen.change(() -> {
            lines = all;
            draw();
        });
    }

    private void draw() throws Output.ClosedException {
        TerminalSize size = size();
        List<String> shown = new ArrayList<>(lines.subList(0, Math.min(lines.size(), Math.max(0, size.rows() - 1))));
        while (shown.size() < size.rows() - 1) {
            shown.add("");
        }
        shown.add(HELP);
        screen.draw(shown.stream()
                .map(line -> line.substring(0, Math.min(line.length(), size.columns())))
                .toList());
    }

    private TerminalSize size() {
        return world.screen().get().orElse(TerminalSize.USUAL);
    }

    @Override
    public void end() {
        screen.leave();
    }
}
