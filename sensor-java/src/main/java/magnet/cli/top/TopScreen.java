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
 * <p>{@link #leave}, {@link #pause}, {@link #goOn} and {@link #holdOrGoOn} are for any thread, all else for one.
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
    private final Supplier<Optional<TerminalSize>> size;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean entered;
    private boolean left;
    private boolean paused;
    private boolean first = true;
    private boolean held;
    private String footer = "";
    private volatile World.@Nullable Keys keys;
    private @Nullable TopFrame last;

    /**
     * @param out where to
     * @param batch whether to write blocks even to a terminal
     * @param size that of the terminal; empty if it is none
     */
    TopScreen(Output out, boolean batch, Supplier<Optional<TerminalSize>> size) {
        this.out = out;
        this.size = size;
        this.terminal = !batch && size.get().isPresent();
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
        for (String line : lines) {
            out.line(line);
        }
    }

    private void draw(TopFrame frame) throws Output.ClosedException {
        draw(TopPage.screen(
                frame, size.get().orElse(TerminalSize.USUAL), held ? "HELD, space goes on   " + footer : footer));
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
