// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Debian's gmond or gmetad, from where it was unpacked. For one thread. */
final class GangliaDaemon implements AutoCloseable {
    private final Process process;
    private final Path conf;

    /**
     * Starts it in the foreground.
     *
     * @param layer folder with what was unpacked
     * @param conf its configuration, {@code gmond.conf} or {@code gmetad.conf}; its log goes beside it
     * @param preload a library of ours that changes what it asks of the kernel
     * @param options more of its options
     */
    GangliaDaemon(Path layer, Path conf, Optional<Path> preload, String... options) throws IOException {
        this.conf = conf;
        String name = conf.getFileName().toString().replace(".conf", "");
        List<String> command =
                new ArrayList<>(List.of(layer.resolve("usr/sbin").resolve(name).toString(), "-c", conf.toString()));
        command.addAll(List.of(options));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(conf.resolveSibling(name + ".log").toFile());
        Path libraries = layer.resolve("usr/lib");
        builder.environment().put("LD_LIBRARY_PATH", libraries.resolve("x86_64-linux-gnu") + ":" + libraries);
        preload.ifPresent(library -> builder.environment().put("LD_PRELOAD", library.toString()));
        this.process = builder.start();
    }

    /**
     * What it costs.
     *
     * @throws IOException if it has ended
     */
    ProcessFigures figures() throws IOException {
        if (!process.isAlive()) {
            throw new IOException("the daemon of " + conf + " has ended; its log is beside it");
        }
        return new ProcessFigures(process.pid());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
