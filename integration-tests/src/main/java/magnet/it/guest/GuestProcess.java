// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A process that runs, or has run, in a guest. Safe to use from several threads. */
public final class GuestProcess {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);

    private final Guest guest;
    private final List<String> command;
    private final Path folder;
    private final CompletableFuture<Long> group = new CompletableFuture<>();
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    GuestProcess(Guest guest, List<String> command, Path folder) {
        this.guest = guest;
        this.command = List.copyOf(command);
        this.folder = folder;
    }

    /** Whether it still runs. */
    public boolean isAlive() {
        return !exitCode.isDone();
    }

    /** The process's id in the guest, which is also that of its process group. */
    public long pid() {
        return await(group, Guest.DEFAULT_LIMIT);
    }

    /** What it has written to its standard output up to now. */
    public String stdout() {
        return read("stdout");
    }

    /** What it has written to its standard error up to now. */
    public String stderr() {
        return read("stderr");
    }

    /** The file of the host, and of the guest's /run/magnet-harness, that its standard output goes to. */
    public Path stdoutFile() {
        return folder.resolve("stdout");
    }

    /** Sends a signal, such as "TERM", to the process and its children; none if it has ended. */
    public void signal(String name) {
        if (isAlive()) {
            sendSignal(pid(), name);
        }
    }

    private void sendSignal(long id, String name) {
        guest.send("signal " + id + " " + name);
    }

    /** Kills it and its children, and waits until it is gone. */
    public GuestResult kill() {
        signal("KILL");
        return waitFor(KILL_LIMIT);
    }

    /**
     * Waits for its end. If it does not come it is killed.
     *
     * @param limit longest time to wait on an ordinary kernel; on one that looks for faults it is longer
     * @throws GuestTimeoutException if it did not end in time
     * @throws GuestDiedException if the guest ended before
     */
    public GuestResult waitFor(Duration limit) {
        int code = await(exitCode, limit);
        return new GuestResult(command, code, stdout(), stderr());
    }

    private <T> T await(CompletableFuture<T> future, Duration limit) {
        try {
            return future.get(guest.options().scaled(limit).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            String processes = guest.processes();
            var unused = group.thenAccept(id -> sendSignal(id, "KILL"));
            throw new GuestTimeoutException("did not end within %s; killed: %s%nThe guest's processes before:%n%s"
                    .formatted(limit, new GuestResult(command, -1, stdout(), stderr()), processes));
        } catch (ExecutionException e) {
            throw guest.died();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GuestException("interrupted while waiting for " + command, e);
        }
    }

    /** Waits, as long as it runs, until its standard output contains the text. */
    public void awaitOutput(String text, Duration limit) {
        long deadline = System.nanoTime() + guest.options().scaled(limit).toNanos();
        while (!stdout().contains(text)) {
            if (!isAlive() && !stdout().contains(text)) {
                throw new GuestException("ended without writing '%s': %s".formatted(text, waitFor(KILL_LIMIT)));
            }
            if (System.nanoTime() > deadline) {
                throw new GuestTimeoutException("did not write '%s' within %s: %s"
                        .formatted(text, limit, new GuestResult(command, -1, stdout(), stderr())));
            }
            pause();
        }
    }

    void began(long id) {
        group.complete(id);
    }

    void ended(int code) {
        exitCode.complete(code);
    }

    void lost(GuestDiedException cause) {
        group.completeExceptionally(cause);
        exitCode.completeExceptionally(cause);
    }

    private String read(String name) {
        try {
            Path file = folder.resolve(name);
            return Files.exists(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its exit code, if it ends in time; whoever asks does not fail for it. */
    Optional<Integer> endsWithin(Duration limit) {
        try {
            return Optional.of(exitCode.get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException | ExecutionException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GuestException("interrupted", e);
        }
    }
}
