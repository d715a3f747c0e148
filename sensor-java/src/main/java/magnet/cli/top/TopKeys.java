// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.io.IOException;
import java.util.function.Consumer;
import magnet.agent.Tasks;
import magnet.cli.world.Output;
import magnet.cli.world.World;
import magnet.metric.TopOrder;

/** What the keys do while {@code magnet top} draws on a terminal. They are read in a thread of their own. */
public final class TopKeys {
    /** What they do, for those who look at the screen. */
    static final String HELP = "q quit   c, w, s sort by CPU, wait, switches   space hold";

    private static final int CONTROL_D = 4;

    private final World.Keys keys;
    private final Consumer<TopOrder> sort;
    private final TopScreen screen;
    private final Runnable quit;

    /**
     * @param keys the keys
     * @param sort takes the order that is asked for
     * @param screen is held, and goes on
     * @param quit ends the command, in another thread
     */
    TopKeys(World.Keys keys, Consumer<TopOrder> sort, TopScreen screen, Runnable quit) {
        this.keys = keys;
        this.sort = sort;
        this.screen = screen;
        this.quit = quit;
    }

    /** Begins to read. The thread holds nobody up that ends: it is left waiting for a key. */
    void start() {
        Tasks.start("keys", this::readAll);
    }

    private void readAll() {
        try {
            int key = keys.read();
            while (key >= 0 && obey(key)) {
                key = keys.read();
            }
        } catch (IOException e) {
            // Without keys it goes on, and Ctrl-C ends it.
        }
    }

    /** False after the last key. */
    private boolean obey(int key) throws Output.ClosedException {
        switch (key) {
            case 'c', 'C' -> sort.accept(TopOrder.CPU);
            case 'w', 'W' -> sort.accept(TopOrder.WAIT);
            case 's', 'S' -> sort.accept(TopOrder.SWITCHES);
            case ' ' -> screen.holdOrGoOn();
            case 'q', 'Q', CONTROL_D -> {
                quit.run();
                return false;
            }
            default -> {
                // Somebody leans on the keyboard.
            }
        }
        return true;
    }
}
