// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import magnet.cli.world.Interruption;
import magnet.cli.world.Output;
import magnet.cli.world.Route;
import magnet.cli.world.World;
import magnet.control.ControlSource;
import magnet.control.FakeModule;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.CollectorSettings;
import magnet.os.MonotonicClock;
import magnet.os.TerminalSize;
import org.jspecify.annotations.Nullable;

/** A world with a made-up module, data files and processes in a folder. */
public final class TestWorld {
    public final ByteArrayOutputStream out = new ByteArrayOutputStream();
    public final ByteArrayOutputStream err = new ByteArrayOutputStream();
    public Interruption interruption = new Interruption();
    public final Path processes;
    public final Path data;
    public final Path lockdown;
    public final Path format;

    public OutputStream outStream = out;
    public ControlSource control;
    public World.NoticeSource notices;
    public World.ModuleRemover modules = name -> {};
    public World.ModuleLoader loader = name -> {};
    public MonotonicClock clock = MonotonicClock.SYSTEM;
    public boolean terminal;

    @Nullable
    public RuntimeException nativeFailure;

    public final Path root;
    public Route route = channel -> "is there";
    public Optional<TerminalSize> screen = Optional.empty();
    public Optional<World.Keys> keys = Optional.empty();
    public Runnable stop = () -> {};
    public Runnable goOn = () -> {};
    public String bufferAsked = "";

    public TestWorld(Path folder, FakeModule module) throws IOException {
        this.root = folder;
        this.control = module::open;
        this.notices = module::listen;
        this.processes = Files.createDirectories(folder.resolve("proc"));
        this.data = Files.createDirectories(folder.resolve("data"));
        this.lockdown = folder.resolve("lockdown");
        this.format = folder.resolve("format");
    }

    public int run(String... args) {
        return MagnetCommand.run(world(), args);
    }

    public World world() {
        return new World(
                new Output(outStream),
                new Output(err),
                control,
                () -> notices.open(),
                this::find,
                new CollectorSettings(64 * 1024, 0, Duration.ZERO, Duration.ofMillis(2), Duration.ofSeconds(2), null),
                (call, times) -> {},
                name -> modules.remove(name),
                name -> loader.load(name),
                processes,
                lockdown,
                format,
                () -> clock.nanos(),
                InstantSource.fixed(Instant.parse("2026-09-21T14:13:20.125Z")),
                interruption,
                () -> ZoneOffset.UTC,
                this::errorSize,
                root,
                channel -> route.find(channel),
                () -> screen,
                () -> keys,
                (beforeStop, afterwards) -> {
                    stop = beforeStop;
                    goOn = afterwards;
                });
    }

    private Optional<TerminalSize> errorSize() {
        if (nativeFailure != null) {
            throw nativeFailure;
        }
        return terminal ? screen.or(() -> Optional.of(TerminalSize.USUAL)) : Optional.empty();
    }

    private BufferDirectory find(String buffer) {
        bufferAsked = buffer;
        return new BufferDirectory(data);
    }

    public List<String> outLines() {
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    public List<String> errLines() {
        return err.toString(StandardCharsets.UTF_8).lines().toList();
    }

    /** A process with open files. */
    public void addProcess(int pid, String name, String commandLine, String... files) throws IOException {
        Path process = Files.createDirectories(processes.resolve(Integer.toString(pid)));
        Files.writeString(process.resolve("comm"), name + "\n");
        Files.writeString(process.resolve("cmdline"), commandLine.replace(' ', '\0') + "\0");
        Path descriptors = Files.createDirectories(process.resolve("fd"));
        for (int i = 0; i < files.length; i++) {
            Files.createSymbolicLink(descriptors.resolve(Integer.toString(i)), Path.of(files[i]));
        }
    }
}
