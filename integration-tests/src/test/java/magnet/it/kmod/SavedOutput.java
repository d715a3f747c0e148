// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import magnet.it.guest.Tree;

/**
 * What a program of a long test writes, in build/log while it writes it: somebody may want to see that it goes on, and what
 * it said in the end when all went well and the guest is gone.
 */
final class SavedOutput implements AutoCloseable {
    private static final int PERIOD_MS = 1000;

    private final GuestProcess program;
    private final Path from;
    private final Path to;
    private final Thread copier = new Thread(this::copyUntilInterrupted, "saved-output");
    private long copied;

    /** Saves it as build/log/{@code name}, in the place of what an earlier run left there. */
    SavedOutput(GuestProcess program, String name) throws IOException {
        this.program = program;
        from = program.stdoutFile();
        to = Files.createDirectories(Tree.build().resolve("log")).resolve(name);
        Files.deleteIfExists(to);
        copier.setDaemon(true);
        copier.start();
    }

    /** Waits for the program's end. */
    GuestResult waitFor(Duration limit) {
        return program.waitFor(limit);
    }

    private void copyUntilInterrupted() {
        try {
            while (true) {
                copy();
                Thread.sleep(PERIOD_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void copy() {
        try (OutputStream out = Files.newOutputStream(to, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            if (!Files.exists(from)) {
                return;
            }
            try (InputStream in = Files.newInputStream(from)) {
                in.skipNBytes(copied);
                copied += in.transferTo(out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The program has ended, or nobody waits for it any more. */
    @Override
    public void close() {
        copier.interrupt();
        try {
            copier.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        copy();
    }
}
