// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
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
    private static final String OTHER_SCREEN = "\033[?1049h";
    private static final String NO_CURSOR = "\033[?25l";
    private static final String CURSOR = "\033[?25h";
    private static final String SCREEN_AS_BEFORE = "\033[?1049l";
    private static final String TOP_LEFT = "\033[H";
    private static final String REST_OF_LINE_EMPTY = "\033[K";
    private static final String REST_OF_SCREEN_EMPTY = "\033[J";
    private static final long PATIENCE_MS = 1_000;

    private final Output out;
    private final boolean terminal;
    private final boolean json;
    private final Supplier<Optional<TerminalSize>> size;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean entered;
    private boolean left;
    private boolean paused;
    private boolean first = true;
    private boolean held;
    private String footer = "";
    private int scrolled;
    private volatile boolean keysShown;
    private @Nullable String typed;
    private volatile World.@Nullable Keys keys;
    private @Nullable TopFrame last;

    /**
     * @param out where to
     * @param batch whether to write blocks even to a terminal
     * @param json whether each frame is an object of JSON
     * @param size that of the terminal; empty if it is none
     */
    TopScreen(Output out, boolean batch, boolean json, Supplier<Optional<TerminalSize>> size) {
        this.out = out;
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
    void usedWith(World.Keys others, String help) {
        lock.lock();
        try {
            keys = others;
            footer = help;
        } finally {
            lock.unlock();
        }
    }

    /** Leaves the frame that is shown on the screen, or goes on with the next one; for any thread. */
    void holdOrGoOn() throws Output.ClosedException {
        lock.lock();
        try {
            held = !held;
            redraw();
        } finally {
            lock.unlock();
        }
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
        lock.lock();
        try {
            change.run();
            redraw();
        } finally {
            lock.unlock();
        }
    }

    private void redraw() throws Output.ClosedException {
        if (last != null && !left && !paused) {
            draw(last);
            out.flush();
        }
    }

    void show(TopFrame frame) throws Output.ClosedException {
        lock.lock();
        try {
            if (left || held || paused) {
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
        } finally {
            lock.unlock();
        }
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
        draw(
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

    /** In one piece, and without an end of the last line, so that nothing flickers or scrolls. */
    private void draw(List<String> lines) throws Output.ClosedException {
        StringBuilder text = new StringBuilder();
        if (!entered) {
            text.append(OTHER_SCREEN).append(NO_CURSOR);
            entered = true;
        }
        text.append(TOP_LEFT);
        text.append(String.join(REST_OF_LINE_EMPTY + "\r\n", lines));
        text.append(REST_OF_LINE_EMPTY).append(REST_OF_SCREEN_EMPTY);
        out.text(text);
    }

    /**
     * Leaves the terminal as it was; nothing is drawn any more. Gives up after a second if the terminal takes nothing
     * (Ctrl-S), so that who wants to end is not kept.
     */
    void leave() {
        World.@Nullable Keys open = keys;
        if (open != null) {
            open.close();
        }
        underLock(() -> {
            restore();
            left = true;
        });
    }

    /** Leaves the terminal as it was for a while; for any thread. Gives up as {@link #leave} does. */
    void pause() {
        World.@Nullable Keys open = keys;
        if (open != null) {
            open.pause();
        }
        underLock(() -> {
            restore();
            paused = true;
        });
    }

    /** Draws again, unless others have the terminal now; for any thread. */
    void goOn() {
        World.@Nullable Keys open = keys;
        if (open != null && !open.goOn()) {
            return;
        }
        underLock(() -> {
            paused = false;
            entered = false;
            redraw();
        });
    }

    private void restore() throws Output.ClosedException {
        if (entered) {
            entered = false;
            out.text(CURSOR + SCREEN_AS_BEFORE);
            out.flush();
        }
    }

    /** Something that is drawn. */
    @FunctionalInterface
    private interface Drawing {
        void run() throws Output.ClosedException;
    }

    private void underLock(Drawing drawing) {
        try {
            if (!lock.tryLock(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        try {
            drawing.run();
        } catch (Output.ClosedException e) {
            // The terminal is gone: there is nothing to leave as it was.
            left = true;
        } finally {
            lock.unlock();
        }
    }
}
