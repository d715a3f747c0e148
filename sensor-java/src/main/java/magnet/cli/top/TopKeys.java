// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import magnet.agent.Tasks;
import magnet.cli.world.World;
import magnet.metric.TopOrder;

/** What the keys do while {@code magnet top} draws on a terminal. They are read in a thread of their own. */
public final class TopKeys {
    /** What they do, for those who look at the screen. */
    static final String HELP = "q quit   ? keys   c, w, s sort   f filter   j, k scroll   space hold";

    /** The same at length. */
    static final List<String> TABLE = List.of(
            "c, w, s           sort processes by CPU time, wait, switches, from the next window on",
            "f                 show only processes with this in their name: type it, then Enter",
            "                  (nothing, then Enter, shows all; Esc leaves it as it was)",
            "j or down         scroll processes down by a line",
            "k or up           scroll up by a line",
            "PgDn, PgUp        scroll by ten lines",
            "g or Home         scroll to the first",
            "space             hold the screen, and let it go on",
            "?                 these keys; any key goes back",
            "q, Ctrl-D         quit");

    private static final int CONTROL_D = 4;
    private static final int ESCAPE = 27;
    private static final int BACKSPACE = 8;
    private static final int DELETE = 127;
    private static final int LONGEST_FILTER = 64;
    private static final int PAGE = 10;

    private final World.Keys keys;
    private final Consumer<TopOrder> sort;
    private final Consumer<String> filter;
    private final TopScreen screen;
    private final Runnable quit;

    /**
     * @param keys the keys
     * @param sort takes the order that is asked for
     * @param filter takes the part of a name that is asked for
     * @param screen is held, and goes on
     * @param quit ends the command, in another thread
     */
    TopKeys(World.Keys keys, Consumer<TopOrder> sort, Consumer<String> filter, TopScreen screen, Runnable quit) {
        this.keys = keys;
        this.sort = sort;
        this.filter = filter;
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
    private boolean obey(int key) throws IOException {
        if (screen.closeKeys()) {
            return true;
        }
        switch (key) {
            case 'c', 'C' -> sort.accept(TopOrder.CPU);
            case 'w', 'W' -> sort.accept(TopOrder.WAIT);
            case 's', 'S' -> sort.accept(TopOrder.SWITCHES);
            case 'f', 'F' -> type();
            case 'j' -> screen.scroll(1);
            case 'k' -> screen.scroll(-1);
            case 'g' -> screen.scroll(-Integer.MAX_VALUE);
            case ESCAPE -> escaped();
            case '?' -> screen.showKeys();
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

    /** What the arrow keys and their neighbours send: a bracket, perhaps a number with a tilde, or a letter. */
    private void escaped() throws IOException {
        int key = keys.read();
        if (key != '[' && key != 'O') {
            return;
        }
        switch (keys.read()) {
            case 'A' -> screen.scroll(-1);
            case 'B' -> screen.scroll(1);
            case 'H', '1' -> screen.scroll(-Integer.MAX_VALUE);
            case '5' -> screen.scroll(-PAGE);
            case '6' -> screen.scroll(PAGE);
            default -> {
                // A key that does nothing here.
            }
        }
    }

    private void type() throws IOException {
        StringBuilder text = new StringBuilder();
        screen.prompt(text.toString());
        for (int key = keys.read(); key >= 0 && key != ESCAPE; key = keys.read()) {
            if (key == '\n' || key == '\r') {
                filter.accept(text.toString());
                break;
            }
            if ((key == BACKSPACE || key == DELETE) && !text.isEmpty()) {
                text.setLength(text.length() - 1);
            } else if (key >= ' ' && key < DELETE && text.length() < LONGEST_FILTER) {
                text.append((char) key);
            }
            screen.prompt(text.toString());
        }
        screen.prompted();
    }
}
