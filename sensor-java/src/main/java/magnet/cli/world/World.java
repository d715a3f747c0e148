// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import magnet.bench.Caller;
import magnet.control.ControlSource;
import magnet.control.MagnetControl;
import magnet.control.NoticeListener;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.CollectorSettings;
import magnet.measure.OwnBuffer;
import magnet.os.CheapCall;
import magnet.os.JobControl;
import magnet.os.KernelModules;
import magnet.os.Keyboard;
import magnet.os.MonotonicClock;
import magnet.os.Terminal;
import magnet.os.TerminalSize;

/**
 * What the commands need of the world around them; tests make one of their own.
 *
 * @param out what was asked for
 * @param err what there is to say about it
 * @param control opens the control socket
 * @param notices listens to what the module tells everybody
 * @param buffers finds a buffer's data files
 * @param reading how records are read
 * @param caller makes system calls to be measured
 * @param modules removes kernel modules
 * @param loader loads kernel modules
 * @param processes the folder with a folder for each process
 * @param lockdown the file that says whether the kernel is locked down
 * @param format the module's control file that describes its records
 * @param clock CLOCK_MONOTONIC
 * @param wall the wall clock
 * @param interruption tells when the user wants it to end
 * @param zone time zone of the times that are printed; asked for only then, since Java looks for zones in every jar
 * @param terminal size of the terminal that {@code err} is shown on; empty if it is none
 * @param root the root of all files that have no component of their own
 * @param route finds the way to gmond's channels
 * @param screen size of the terminal that {@code out} is shown on; empty if it is none
 * @param keys the keys of the terminal that the user sits at; empty if there is none
 * @param jobs tells when the user stops the command, and lets it go on
 */
public record World(
        Output out,
        Output err,
        ControlSource control,
        NoticeSource notices,
        OwnBuffer.Finder buffers,
        CollectorSettings reading,
        Caller caller,
        ModuleRemover modules,
        ModuleLoader loader,
        Path processes,
        Path lockdown,
        Path format,
        MonotonicClock clock,
        InstantSource wall,
        Interruption interruption,
        Supplier<ZoneId> zone,
        Supplier<Optional<TerminalSize>> terminal,
        Path root,
        Route route,
        Supplier<Optional<TerminalSize>> screen,
        Supplier<Optional<Keys>> keys,
        Jobs jobs) {

    /** For a line that fits into each terminal nobody asks how wide that is, which takes native code. */
    private static final int SHORT = 40;

    private static final int MESSAGE_INDENT = 4;

    /** Listens to what the module tells everybody. */
    public interface NoticeSource {
        NoticeListener open() throws IOException;
    }

    /** Keys that are pressed. */
    public interface Keys extends AutoCloseable {
        /** Waits for one; -1 when no more can come. */
        int read() throws IOException;

        /** The terminal is to be as it was, for a while; for any thread. */
        void pause();

        /** Goes on; false if others have the terminal. For any thread. */
        boolean goOn();

        /** No more are wanted; for any thread. */
        @Override
        void close();
    }

    /** The user stops the command (Ctrl-Z), and lets it go on. */
    public interface Jobs {
        /** From now on does this before it stops, and that when it goes on; each in another thread. */
        void around(Runnable beforeStop, Runnable afterwards);
    }

    /** Removes a kernel module. */
    public interface ModuleRemover {
        void remove(String name) throws IOException;
    }

    /** Loads a kernel module. */
    public interface ModuleLoader {
        void load(String name) throws IOException;
    }

    /** This machine. */
    public static World real(Interruption interruption) {
        return new World(
                new Output(new FileOutputStream(FileDescriptor.out)),
                new Output(new FileOutputStream(FileDescriptor.err)),
                module(),
                NoticeListener::open,
                BufferDirectory::find,
                CollectorSettings.prompt(),
                CheapCall::repeat,
                KernelModules::remove,
                KernelModules::load,
                Path.of("/proc"),
                Path.of("/sys/kernel/security/lockdown"),
                Path.of("/sys/kernel/debug/magnet/control/format"),
                MonotonicClock.SYSTEM,
                InstantSource.system(),
                interruption,
                ZoneId::systemDefault,
                Terminal::errorSize,
                Path.of("/"),
                Route::ofMachine,
                Terminal::outputSize,
                World::keyboard,
                JobControl::around);
    }

    private static ControlSource module() {
        return new ControlSource() {
            @Override
            public MagnetControl open() throws IOException {
                return MagnetControl.open();
            }

            @Override
            public MagnetControl openOfAnyAbi() throws IOException {
                return MagnetControl.openOfAnyAbi();
            }
        };
    }

    private static Optional<Keys> keyboard() {
        return Keyboard.open().map(keyboard -> new Keys() {
            @Override
            public int read() throws IOException {
                return keyboard.read();
            }

            @Override
            public void pause() {
                keyboard.pause();
            }

            @Override
            public boolean goOn() {
                return keyboard.listen();
            }

            @Override
            public void close() {
                keyboard.close();
            }
        });
    }

    /** How wide lines of {@code out} may be: as its terminal is. */
    public int columns() {
        return columns(screen);
    }

    private static int messageColumns(Supplier<Optional<TerminalSize>> terminal) {
        try {
            return columns(terminal);
        } catch (UncheckedIOException e) {
            // Without native code nobody knows, and the message comes all the same.
            return Folding.NEVER;
        }
    }

    private static int columns(Supplier<Optional<TerminalSize>> shown) {
        return shown.get()
                .map(TerminalSize::columns)
                .filter(columns -> columns > 0)
                .orElse(Folding.NEVER);
    }

    /** A line to those who watch, at once. */
    public void tell(String line) throws Output.ClosedException {
        err.line(message("magnet: " + line));
        err.flush();
    }

    /** A line for {@code err}, which fits into its terminal; where there is none it stays as it is. */
    public String message(String line) {
        return message(line, terminal);
    }

    /** The same, for those without a world. */
    static String message(String line, Supplier<Optional<TerminalSize>> terminal) {
        if (line.length() <= SHORT) {
            return line;
        }
        int columns = messageColumns(terminal);
        return columns == Folding.NEVER
                ? line
                : line.lines()
                        .map(each -> Folding.of(each, columns, MESSAGE_INDENT))
                        .collect(Collectors.joining("\n"));
    }

    /** Where the installed magnet.conf is. */
    public Path config() {
        return root.resolve("etc/magnet/magnet.conf");
    }
}
