// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import magnet.it.ganglia.Gmond;
import magnet.it.guest.Guest;
import org.awaitility.Awaitility;

/**
 * A magnetd in a guest whose windows the host reads while they are written.
 *
 * @param magnetd the service
 * @param windows its windows.jsonl, as the host sees it
 */
record TeeingMagnetd(Magnetd magnetd, Path windows) implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /**
     * A magnet.conf for {@link #startAndAwait}: level full, and a window that grows for two minutes.
     *
     * @param bufferSize the collector's
     * @param off groups of metrics that are off
     */
    static String config(String bufferSize, String... off) {
        return """
                [collector]
                buffer-size = %s
                [publish]
                interval = 2s
                window = 120s
                [service]
                tee-directory = %%s
                [metrics]
                level = full
                """.formatted(bufferSize)
                + Arrays.stream(off).map(group -> group + " = off\n").collect(Collectors.joining());
    }

    /**
     * Starts it and waits for its first window.
     *
     * @param config its magnet.conf, with {@code %s} for the value of tee-directory
     */
    static TeeingMagnetd startAndAwait(Guest guest, String config) {
        guest.run("install", "-D", "integration-tests/ganglia/gmond.conf", Gmond.CONFIG)
                .orFail();
        Path tee = guest.share().resolve("tee");
        Path windows = tee.resolve("windows.jsonl");
        Magnetd.configure(guest, config.formatted(tee));
        Magnetd magnetd = Magnetd.startAndAwait(guest);
        Awaitility.await().atMost(guest.options().scaled(LIMIT)).until(() -> Files.exists(windows));
        return new TeeingMagnetd(magnetd, windows);
    }

    /** Ends it, which has to go well. */
    void stop() {
        magnetd.stop().orFail();
    }

    @Override
    public void close() {
        magnetd.close();
    }
}
