// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import magnet.agent.Tasks;
import magnet.os.Terminal;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;

/**
 * The user's wish to end a command early: Ctrl-C, or SIGTERM. A command that has something to bring to an end is waited
 * for as long as it makes progress, and then ends with its own exit code; if it makes none, a line says what is left
 * undone. Any other command ends at once. Thread-safe.
 */
public final class Interruption {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * What a command does when the wish comes. All of it happens in another thread than the command's.
     *
     * @param begin lets the command begin to end
     * @param progress grows while it comes nearer to its end
     * @param left what is not done, for the line that gives the command up
     */
    public record Ending(Runnable begin, LongSupplier progress, Supplier<String> left) {}

    private final Duration patience;
    private final CountDownLatch finished = new CountDownLatch(1);
    private @Nullable Ending ending;
    private boolean interrupted;
    private volatile int exitCode = ExitCode.SOFTWARE;

    public Interruption() {
        this(PATIENCE);
    }

    /**
     * One for tests.
     *
     * @param patience how long a command may be without progress
     */
    public Interruption(Duration patience) {
        this.patience = patience;
    }

    /** One that the JVM's shutdown triggers. */
    public static Interruption installed() {
        Interruption interruption = new Interruption();
        Tasks.atShutdown("interruption", interruption::onShutdown);
        return interruption;
    }

    /** What to do when the wish comes, where it takes no time; at once if it has come already. */
    public void onInterrupt(Runnable what) {
        onInterrupt(new Ending(what, () -> 0, () -> "the command did not end"));
    }

    /** How to end when the wish comes; at once if it has come already. */
    public void onInterrupt(Ending what) {
        synchronized (this) {
            ending = what;
            if (!interrupted) {
                return;
            }
        }
        what.begin().run();
    }

    /** The wish comes. Returns whether a command brings something to an end. */
    public boolean interrupt() {
        Ending what;
        synchronized (this) {
            interrupted = true;
            what = ending;
        }
        if (what == null) {
            return false;
        }
        what.begin().run();
        return true;
    }

    /** The command has ended. */
    public void finished(int code) {
        exitCode = code;
        finished.countDown();
    }

    /**
     * The wish comes, and the command's end is waited for.
     *
     * @param complaint gets the line about a command that is given up
     * @return the exit code; none if no command brings anything to an end
     */
    public OptionalInt end(Consumer<String> complaint) throws InterruptedException {
        if (finished.getCount() == 0 || !interrupt()) {
            return OptionalInt.empty();
        }
        long before = progress();
        while (!finished.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            long now = progress();
            if (now == before) {
                complaint.accept("given up after " + patience.toSeconds() + " s without progress: " + left());
                return OptionalInt.of(ExitCode.SOFTWARE);
            }
            before = now;
        }
        return OptionalInt.of(exitCode);
    }

    private synchronized long progress() {
        return ending == null ? 0 : ending.progress().getAsLong();
    }

    /** The module may be what does not answer. */
    private String left() {
        Ending what;
        synchronized (this) {
            what = ending;
        }
        return what == null
                ? ""
                : CompletableFuture.supplyAsync(what.left(), task -> Tasks.start("left", task))
                        .completeOnTimeout(
                                "how much is left is not known, the module does not answer",
                                patience.toMillis(),
                                TimeUnit.MILLISECONDS)
                        .join();
    }

    private void onShutdown() {
        try {
            end(line -> System.err.println(World.message("magnet: " + line, Terminal::errorSize)))
                    .ifPresent(Runtime.getRuntime()::halt);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
