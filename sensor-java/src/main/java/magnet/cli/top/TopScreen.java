// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import magnet.cli.world.LiveScreen;
import magnet.cli.world.Output;
import magnet.cli.world.World;
import magnet.os.TerminalSize;
import org.jspecify.annotations.Nullable;

/**
 * Where {@code magnet top} draws. On a terminal each frame takes the place of the one before, on a screen of its own, and
 * what was there before is back afterwards. Elsewhere frames are blocks of text with an empty line between them.
 *
 * <p>{@link #show}, {@link #isTerminal} and {@link #usedWith} are for one thread, all else for any.
 */
public final class TopScreen {
    private final Output out;
    private final boolean terminal;
    private final boolean json;
    private final Supplier<Optional<TerminalSize>> size;
    private final LiveScreen screen;
    private boolean first = true;
    private boolean held;
    private String footer = "";
    private int scrolled;
    private volatile boolean keysShown;
    private @Nullable String typed;
    private @Nullable TopFrame last;

    /**
     * @param out where to
     * @param batch whether to write blocks even to a terminal
     * @param json whether each frame is an object of JSON
     * @param size that of the terminal; empty if it is none
     */
    TopScreen(Output out, boolean batch, boolean json, Supplier<Optional<TerminalSize>> size) {
        this.out = out;
        this.screen = new LiveScreen(out);
        this.size = size;
        this.json = json;
        this.terminal = !batch && !json && size.get().isPresent();
    }

    /** Whether it is a terminal that frames are drawn on. */
    boolean isTerminal() {
        return terminal;
    }

    /**
     * Before the first frame.
     *
     * @param others the keys; closed with this
     * @param help what they do, for the last line
     */
    void usedWith(World.Keys others, String help) throws Output.ClosedException {
        screen.change(() -> {
            screen.usedWith(others);
            footer = help;
        });
    }

    /** Leaves the frame that is shown on the screen, or goes on with the next one; for any thread. */
    void holdOrGoOn() throws Output.ClosedException {
        changed(() -> held = !held);
    }

    /** Moves the processes up by so many lines, or down; for any thread. */
    void scroll(int lines) throws Output.ClosedException {
        changed(() -> {
            int most = last == null ? 0 : Math.max(0, last.ranked() - 1);
            scrolled = (int) Math.max(0, Math.min((long) scrolled + lines, most));
        });
    }

    /** Shows what the keys do; for any thread. */
    void showKeys() throws Output.ClosedException {
        changed(() -> keysShown = true);
    }

    /** Goes back from what the keys do, if that is what is shown; for any thread. */
    boolean closeKeys() throws Output.ClosedException {
        if (!keysShown) {
            return false;
        }
        changed(() -> keysShown = false);
        return true;
    }

    /** Shows what is typed, in the last line; for any thread. */
    void prompt(String text) throws Output.ClosedException {
        changed(() -> typed = text);
    }

    /** Nothing is typed any more; for any thread. */
    void prompted() throws Output.ClosedException {
        changed(() -> typed = null);
    }

    private void changed(Runnable change) throws Output.ClosedException {
        screen.change(() -> {
            change.run();
            redraw();
        });
    }

    private void redraw() throws Output.ClosedException {
        if (last != null) {
            draw(last);
        }
    }

    void show(TopFrame frame) throws Output.ClosedException {
        screen.change(() -> {
            if (held || screen.isDark()) {
                return;
            }
            if (terminal) {
                last = frame;
                draw(frame);
            } else if (json) {
                out.line(TopJson.of(frame));
            } else {
                print(TopPage.block(frame));
            }
            out.flush();
        });
    }

    private void print(List<String> lines) throws Output.ClosedException {
        if (!first) {
            out.line();
        }
        first = false;
        Optional<TerminalSize> width = size.get();
        for (String line : lines) {
            out.line(width.isPresent() ? TopPage.cut(line, width.get()) : line);
        }
    }

    private void draw(TopFrame frame) throws Output.ClosedException {
        TerminalSize now = size.get().orElse(TerminalSize.USUAL);
        screen.draw(
                keysShown
                        ? TopPage.keys(now, "any key goes back")
                        : TopPage.screen(frame, now, lastLine(frame), scrolled));
    }

    private String lastLine(TopFrame frame) {
        if (typed != null) {
            return "name: " + typed + "_";
        }
        String from = scrolled == 0 ? "" : "from " + (scrolled + 1) + " of " + frame.ranked() + "   ";
        return from + (held ? "HELD, space goes on   " : "") + footer;
    }

    /** Leaves the terminal as it was; nothing is drawn any more. */
    void leave() {
        screen.leave();
    }

    /** Leaves the terminal as it was for a while; for any thread. */
    void pause() {
        screen.pause();
    }

    /** Draws again, unless others have the terminal now; for any thread. */
    void goOn() {
        screen.goOn(this::redraw);
    }
}
