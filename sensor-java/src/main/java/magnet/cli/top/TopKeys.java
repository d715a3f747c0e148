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
    private static final int FIRST_END = 0x40;
    private static final int LONGEST_PARAMETERS = 16;

    private static final int NONE = -2;

    private final World.Keys keys;
    private final Consumer<TopOrder> sort;
    private final Consumer<String> filter;
    private final TopScreen screen;
    private final Runnable quit;
    private int unread = NONE;

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
            int key = next();
            while (key >= 0 && obey(key)) {
                key = next();
            }
        } catch (IOException e) {
            // Without keys it goes on, and Ctrl-C ends it.
        }
    }

    /** The byte that was read and belongs to another key, or else the next one. */
    private int next() throws IOException {
        int key = unread;
        unread = NONE;
        return key == NONE ? keys.read() : key;
    }

    /** False after the last key. */
    private boolean obey(int key) throws IOException {
        boolean wentBack = screen.closeKeys();
        if (key == ESCAPE) {
            return escaped(wentBack);
        }
        if (wentBack) {
            return true;
        }
        switch (key) {
            case 'c', 'C' -> sort.accept(TopOrder.CPU);
            case 'w', 'W' -> sort.accept(TopOrder.WAIT);
            case 's', 'S' -> sort.accept(TopOrder.SWITCHES);
            case 'f', 'F' -> {
                return type();
            }
            case 'j' -> screen.scroll(1);
            case 'k' -> screen.scroll(-1);
            case 'g' -> screen.scroll(-Integer.MAX_VALUE);
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

    /**
     * Escape, alone or as the first byte of what another key sends. Nobody can tell before the next byte comes, which may be
     * long after: so Escape has had its effect by then, and a byte that begins no sequence is a key of its own.
     *
     * @param done whether the key has had its effect, and the rest of it is only passed over
     */
    private boolean escaped(boolean done) throws IOException {
        int key = keys.read();
        return switch (key) {
            case '[' -> moved(controlSequence(), done);
            case 'O' -> moved(new Sequence("", keys.read()), done);
            default -> {
                unread = key;
                yield key >= 0;
            }
        };
    }

    /**
     * What a key sends behind Escape and a bracket; ECMA-48, section 5.4.
     *
     * @param parameters digits and their neighbours
     * @param end the last byte; -1 if no more come
     */
    private record Sequence(String parameters, int end) {
        boolean isNumbered(String... numbers) {
            return end == '~' && List.of(numbers).contains(parameters);
        }
    }

    private Sequence controlSequence() throws IOException {
        StringBuilder parameters = new StringBuilder();
        int key = keys.read();
        if (key == '[') {
            // The console's function keys: two brackets and a letter.
            keys.read();
            return new Sequence("", '[');
        }
        while (key >= ' ' && key < FIRST_END) {
            if (parameters.length() < LONGEST_PARAMETERS) {
                parameters.append((char) key);
            }
            key = keys.read();
        }
        return new Sequence(parameters.toString(), key);
    }

    private boolean moved(Sequence sequence, boolean done) throws IOException {
        if (sequence.end() < 0) {
            return false;
        }
        if (done) {
            return true;
        }
        if (sequence.end() == 'A') {
            screen.scroll(-1);
        } else if (sequence.end() == 'B') {
            screen.scroll(1);
        } else if (sequence.end() == 'H' || sequence.isNumbered("1", "7")) {
            screen.scroll(-Integer.MAX_VALUE);
        } else if (sequence.isNumbered("5")) {
            screen.scroll(-PAGE);
        } else if (sequence.isNumbered("6")) {
            screen.scroll(PAGE);
        }
        return true;
    }

    /** False if no more keys can come. */
    private boolean type() throws IOException {
        StringBuilder text = new StringBuilder();
        screen.prompt(text.toString());
        int key = keys.read();
        while (key >= 0 && key != ESCAPE && key != '\n' && key != '\r') {
            if ((key == BACKSPACE || key == DELETE) && !text.isEmpty()) {
                text.setLength(text.length() - 1);
            } else if (key >= ' ' && key < DELETE && text.length() < LONGEST_FILTER) {
                text.append((char) key);
            }
            screen.prompt(text.toString());
            key = keys.read();
        }
        if (key == '\n' || key == '\r') {
            filter.accept(text.toString());
        }
        screen.prompted();
        return key == ESCAPE ? escaped(true) : key >= 0;
    }
}
