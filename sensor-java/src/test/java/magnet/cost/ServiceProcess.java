// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.metric.Level;
import magnet.publish.ganglia.FakeGmond;

/** A magnetd, started by its launcher, that reads a {@link PacedFeed} and publishes to a {@link FakeGmond}. */
final class ServiceProcess implements AutoCloseable {
    private static final int FIRST_METRIC_MILLIS = 60_000;
    private static final int STOP_SECONDS = 60;

    private final Path folder;
    private final Process process;
    private final double startSeconds;
    private final double startCpuSeconds;

    /**
     * Starts it, and waits for its first metric.
     *
     * @param launcher the program
     * @param folder where its configuration, its log and its report go; the buffer's files are in its folder "buffer"
     */
    ServiceProcess(Path launcher, Path folder, Level level, boolean jobs, FakeGmond gmond) throws IOException {
        this.folder = folder;
        Path gmondConf = Files.writeString(
                folder.resolve("gmond.conf"),
                "udp_send_channel { host = 127.0.0.1 port = %d }".formatted(gmond.port()));
        Path conf = Files.writeString(
                folder.resolve("magnet.conf"),
                "[metrics]\nlevel = %s\njobs = %s\n[ganglia]\ngmond-conf = %s\n"
                        .formatted(level.key(), jobs ? "on" : "off", gmondConf));
        ProcessBuilder command = new ProcessBuilder(
                        launcher.toString(), "--config", conf.toString(), "--summary", report().toString())
                .redirectErrorStream(true)
                .redirectOutput(log().toFile());
        Files.deleteIfExists(gcLog());
        command.environment().put("MAGNET_JAVA_OPTS", GcLog.option(gcLog()));
        command.environment().put("MAGNET_REPLAY", folder.resolve("buffer").toString());
        long began = System.nanoTime();
        this.process = command.start();
        awaitMetric(gmond);
        this.startSeconds = (System.nanoTime() - began) / 1e9;
        this.startCpuSeconds = cpuSeconds();
    }

    private void awaitMetric(FakeGmond gmond) throws IOException {
        while (true) {
            FakeGmond.Packet packet = gmond.next(FIRST_METRIC_MILLIS).orElse(null);
            if (packet == null) {
                process.destroyForcibly();
                throw new IOException("no metric came from magnetd; see " + log());
            }
            if (!packet.isMetadata()) {
                return;
            }
        }
    }

    /** From its start to its first metric. */
    double startSeconds() {
        return startSeconds;
    }

    /** Time that processors spent on it until then. */
    double startCpuSeconds() {
        return startCpuSeconds;
    }

    /** Time that processors have spent on it, in programs and in the kernel, threads that have ended included. */
    double cpuSeconds() throws IOException {
        return new ProcessFigures(process.pid()).cpuSeconds();
    }

    /** One of the lines of {@code /proc/PID/status} that have KiB, as MiB. */
    double memoryMiB(String name) throws IOException {
        return new ProcessFigures(process.pid()).memoryMiB(name);
    }

    /** Ends it as systemd would; gives how many events it says that it read. */
    long stop() throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("magnetd did not end well; see " + log());
        }
        Matcher events = Pattern.compile("\"events\": (\\d+), \"lost\": 0,").matcher(Files.readString(report()));
        if (!events.find()) {
            throw new IOException("magnetd says that it lost events; see " + report());
        }
        return Long.parseLong(events.group(1));
    }

    /** Its garbage collections so far. */
    List<GcLog.Collection> collections() throws IOException {
        return GcLog.read(gcLog());
    }

    private Path gcLog() {
        return folder.resolve("gc.log");
    }

    private Path report() {
        return folder.resolve("report.json");
    }

    private Path log() {
        return folder.resolve("magnetd.log");
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
