// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A terminal's other screen, on which each picture takes the place of the one before; what was there before is back
 * afterwards. For any thread.
 */
public final class LiveScreen {
    private static final String OTHER_SCREEN = "\033[?1049h";
    private static final String NO_CURSOR = "\033[?25l";
    private static final String CURSOR = "\033[?25h";
    private static final String SCREEN_AS_BEFORE = "\033[?1049l";
    private static final String TOP_LEFT = "\033[H";
    private static final String REST_OF_LINE_EMPTY = "\033[K";
    private static final String REST_OF_SCREEN_EMPTY = "\033[J";
    private static final long PATIENCE_MS = 1_000;

    /** Something that is drawn, or changes what is. */
    @FunctionalInterface
    public interface Drawing {
        void run() throws Output.ClosedException;
    }

    private final Output out;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean entered;
    private boolean left;
    private boolean paused;
    private volatile World.@Nullable Keys keys;

    /** @param out the terminal */
    public LiveScreen(Output out) {
        this.out = out;
    }

    /** The keys of the terminal; they are closed and paused with this. */
    public void usedWith(World.Keys others) {
        keys = others;
    }

    /** Does something while nobody else does. */
    public void change(Drawing what) throws Output.ClosedException {
        lock.lock();
        try {
            what.run();
        } finally {
            lock.unlock();
        }
    }

    /** Whether nothing is shown now, because it has ended or others have the terminal. */
    public boolean isDark() {
        return left || paused;
    }

    /** In one piece, and without an end of the last line, so that nothing flickers or scrolls. Within {@link #change}. */
    public void draw(List<String> lines) throws Output.ClosedException {
        if (isDark()) {
            return;
        }
        StringBuilder text = new StringBuilder();
        if (!entered) {
            text.append(OTHER_SCREEN).append(NO_CURSOR);
            entered = true;
        }
        text.append(TOP_LEFT);
        text.append(String.join(REST_OF_LINE_EMPTY + "\r\n", lines));
        text.append(REST_OF_LINE_EMPTY).append(REST_OF_SCREEN_EMPTY);
        out.text(text);
        out.flush();
    }

    /**
     * Leaves the terminal as it was; nothing is drawn any more. Gives up after a second if the terminal takes nothing
     * (Ctrl-S), so that who wants to end is not kept.
     */
    public void leave() {
        World.@Nullable Keys open = keys;
        if (open != null) {
            open.close();
        }
        underLock(() -> {
            restore();
            left = true;
        });
    }

    /** Leaves the terminal as it was for a while. Gives up as {@link #leave} does. */
    public void pause() {
        World.@Nullable Keys open = keys;
        if (open != null) {
            open.pause();
        }
        underLock(() -> {
            restore();
            paused = true;
        });
    }

    /** Draws again, unless others have the terminal now. */
    public void goOn(Drawing again) {
        World.@Nullable Keys open = keys;
        if (open != null && !open.goOn()) {
            return;
        }
        underLock(() -> {
            paused = false;
            entered = false;
            again.run();
        });
    }

    private void restore() throws Output.ClosedException {
        if (entered) {
            entered = false;
            out.text(CURSOR + SCREEN_AS_BEFORE);
            out.flush();
        }
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
