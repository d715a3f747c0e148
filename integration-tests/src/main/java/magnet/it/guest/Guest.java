// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A running guest. Commands run in it as root, in the root of the source tree; it sees the host's files under the
 * same paths, read-only, and a file of the host that it has read once may look the same to it for ever.
 * Safe to use from several threads. Closing it ends it.
 */
public final class Guest implements AutoCloseable {
    /** How long {@link #run} lets a command run. */
    public static final Duration DEFAULT_LIMIT = Duration.ofSeconds(60);

    private static final Duration BOOT_LIMIT = Duration.ofMinutes(10);
    private static final Duration END_LIMIT = Duration.ofSeconds(10);
    private static final Duration PROCESSES_LIMIT = Duration.ofSeconds(60);
    private static final String PROCESSES =
            "pkill -QUIT java; ps --ppid 2 -p 2 --deselect -o pid,ppid,stat,wchan:24,etime,args; sleep 2";
    private static final int CONSOLE_LINES = 60;

    private final GuestOptions options;
    private final Path folder;
    private final Process qemu;
    private final CountDownLatch ready = new CountDownLatch(1);
    private final Map<Integer, GuestProcess> running = new ConcurrentHashMap<>();
    private final Map<Integer, CompletableFuture<Instant>> asking = new ConcurrentHashMap<>();
    private final AtomicInteger lastId = new AtomicInteger();
    private final Fifo agent;
    private final Fifo monitor;
    private final Queue<String> monitorAnswers = new ConcurrentLinkedQueue<>();
    private volatile boolean ended;
    private volatile boolean kept;
    private volatile boolean poweredOff;

    private Guest(GuestOptions options, Path folder, Process qemu) throws IOException {
        this.options = options;
        this.folder = folder;
        this.qemu = qemu;
        agent = new Fifo(folder.resolve("agent"), this::received);
        monitor = new Fifo(folder.resolve("monitor"), this::monitorSaid);
        var unused = qemu.onExit().thenRun(this::qemuEnded);
    }

    /**
     * Boots a guest; fetches its kernel and packages before if they are not there yet.
     *
     * @throws GuestTimeoutException if it does not come up in time
     * @throws GuestException if it cannot be started
     */
    public static Guest boot(GuestOptions options) {
        try {
            Path guests = Files.createDirectories(Tree.build().resolve("guest"));
            String now = LocalTime.now(ZoneId.systemDefault()).format(DateTimeFormatter.ofPattern("HHmmss"));
            Path folder = Files.createTempDirectory(guests, "run-" + now + "-");
            Process qemu = Qemu.start(folder, options);
            awaitReady(folder, qemu);
            Guest guest = new Guest(options, folder, qemu);
            guest.awaitAgent();
            return guest;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Until boot has made the pipes; it may have to download a kernel first. */
    private static void awaitReady(Path folder, Process qemu) throws IOException {
        try {
            while (!Files.exists(folder.resolve("ready"))) {
                if (qemu.waitFor(20, TimeUnit.MILLISECONDS)) {
                    throw new GuestException(
                            "the guest could not be started:\n" + Files.readString(folder.resolve("boot.log")));
                }
            }
        } catch (InterruptedException e) {
            throw interrupted(qemu, e);
        }
    }

    private void awaitAgent() {
        try {
            if (!ready.await(options.scaled(BOOT_LIMIT).toMillis(), TimeUnit.MILLISECONDS)) {
                keep();
                saveRegisters();
                close();
                throw new GuestTimeoutException("the guest did not come up within " + BOOT_LIMIT + "; " + consoleEnd());
            }
            if (ended) {
                throw died();
            }
        } catch (InterruptedException e) {
            throw interrupted(qemu, e);
        }
    }

    /** Where a guest that hangs is, for whoever wants to know why. */
    private void saveRegisters() throws InterruptedException {
        monitor("info registers -a");
        Thread.sleep(1000);
    }

    private static GuestException interrupted(Process qemu, InterruptedException cause) {
        qemu.destroyForcibly();
        Thread.currentThread().interrupt();
        return new GuestException("interrupted while the guest booted or ended", cause);
    }

    /** What it is like. */
    public GuestOptions options() {
        return options;
    }

    /**
     * Runs a command and waits at most {@link #DEFAULT_LIMIT} for its end.
     *
     * @throws GuestTimeoutException if it did not end in time; it is killed then
     * @throws GuestDiedException if the guest ended before
     */
    public GuestResult run(String... command) {
        return run(DEFAULT_LIMIT, command);
    }

    /** As {@link #run(String...)}, with another limit (which is longer on a kernel that looks for faults). */
    public GuestResult run(Duration limit, String... command) {
        return start(command).waitFor(limit);
    }

    /** Runs a script in bash. */
    public GuestResult sh(String script) {
        return run("bash", "-c", script);
    }

    /** As {@link #sh(String)}, with another limit. */
    public GuestResult sh(Duration limit, String script) {
        return run(limit, "bash", "-c", script);
    }

    /** Starts a command and does not wait for it. It has nothing to read. */
    public GuestProcess start(String... command) {
        return start("", List.of(command));
    }

    /** Starts a command that reads {@code stdin}, and does not wait for it. */
    public GuestProcess start(String stdin, List<String> command) {
        int id = lastId.incrementAndGet();
        Path process = folder.resolve("guest/process/" + id);
        try {
            Files.createDirectories(process);
            Files.writeString(process.resolve("argv"), String.join("\0", command) + "\0");
            if (!stdin.isEmpty()) {
                Files.writeString(process.resolve("stdin"), stdin);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        GuestProcess started = new GuestProcess(this, command, process);
        running.put(id, started);
        if (ended) {
            throw died();
        }
        send("start " + id + (stdin.isEmpty() ? "" : " stdin"));
        return started;
    }

    /**
     * What runs, for people who ask why something does not end; without threads of the kernel. Programs in Java write what their
     * threads do to their standard output. Empty if the guest does not answer.
     */
    String processes() {
        try {
            GuestProcess asked = start("bash", "-c", PROCESSES);
            return asked.endsWithin(PROCESSES_LIMIT).isPresent() ? asked.stdout() : "";
        } catch (GuestDiedException e) {
            return "";
        }
    }

    /**
     * The time by the guest's wall clock, told by what is running there already: no process is started for it.
     *
     * @throws GuestTimeoutException if it is not told in time
     * @throws GuestDiedException if the guest has ended
     */
    public Instant now() {
        int id = lastId.incrementAndGet();
        CompletableFuture<Instant> asked = new CompletableFuture<>();
        asking.put(id, asked);
        if (ended) {
            throw died();
        }
        send("time " + id);
        try {
            return asked.get(options.scaled(DEFAULT_LIMIT).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new GuestTimeoutException("did not tell the time within " + DEFAULT_LIMIT + "; " + consoleEnd());
        } catch (ExecutionException e) {
            throw died();
        } catch (InterruptedException e) {
            throw interrupted(qemu, e);
        }
    }

    /** A folder that host and guest both may write to, under the same path. */
    public Path share() {
        return folder.resolve("share");
    }

    /** Copies a file of the host to a place in the guest, where it can be changed. */
    public void push(Path file, String guestPath) {
        Path between = share().resolve("push-" + lastId.incrementAndGet());
        try {
            Files.copy(file, between, StandardCopyOption.COPY_ATTRIBUTES);
            run("cp", "-p", "--no-preserve=ownership", between.toString(), guestPath)
                    .orFail();
            Files.delete(between);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Brings a file of the guest, also one of /proc and its like, to the host. */
    public Path fetch(String guestPath, Path file) {
        Path between = share().resolve("fetch-" + lastId.incrementAndGet());
        try {
            run("cp", "--no-preserve=mode,ownership", guestPath, between.toString())
                    .orFail();
            return Files.move(between, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is in a file of the guest. */
    public String read(String guestPath) {
        return run("cat", guestPath).orFail().stdout();
    }

    /** Gives QEMU's monitor a command, such as "nmi". */
    public void monitor(String command) {
        monitor.send(command);
    }

    /** Gives QEMU's monitor a command again and again until it has answered with this text. */
    public void awaitMonitor(String command, String answer, Duration limit) {
        await(limit, "'%s' was not answered by '%s'".formatted(command, answer), () -> {
            boolean answered = monitorAnswers.stream().anyMatch(line -> line.contains(answer));
            if (!answered) {
                monitor(command);
            }
            return answered;
        });
    }

    /** Waits until this text is on its console. */
    public void awaitConsole(String text, Duration limit) {
        await(
                limit,
                "'%s' was not on the console".formatted(text),
                () -> consoleText().contains(text));
    }

    private void await(Duration limit, String missing, BooleanSupplier there) {
        long deadline = System.nanoTime() + options.scaled(limit).toNanos();
        while (!there.getAsBoolean()) {
            if (ended) {
                throw died();
            }
            if (System.nanoTime() > deadline) {
                throw new GuestTimeoutException("%s within %s; %s".formatted(missing, limit, consoleEnd()));
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(200);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GuestException("interrupted", e);
        }
    }

    /** What has been written to its console. */
    public String consoleText() {
        try {
            return Files.exists(console()) ? new String(Files.readAllBytes(console()), StandardCharsets.UTF_8) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The log of its console. */
    public Path console() {
        return folder.resolve("console.log");
    }

    /** The kernel's log up to now, or until it was powered off, saved beside the console's. */
    public Path kernelLog() {
        Path log = folder.resolve("guest/dmesg.txt");
        try {
            return poweredOff
                    ? log
                    : Files.writeString(log, run("dmesg").orFail().stdout());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Shuts a machine of its own down, and waits until it is off.
     *
     * @throws GuestTimeoutException if it is not in time
     */
    public void powerOff(Duration limit) {
        kernelLog();
        poweredOff = true;
        start("systemctl", "poweroff");
        awaitOff(limit);
    }

    /**
     * Lets the kernel panic, and waits until the machine is off. What its last words are stands on the console.
     *
     * @throws GuestTimeoutException if it is not in time
     */
    public void panic(Duration limit) {
        poweredOff = true;
        start("bash", "-c", "echo c >/proc/sysrq-trigger");
        awaitOff(limit);
    }

    private void awaitOff(Duration limit) {
        try {
            if (!qemu.waitFor(options.scaled(limit).toMillis(), TimeUnit.MILLISECONDS)) {
                throw new GuestTimeoutException("is not off within " + limit + "; " + consoleEnd());
            }
        } catch (InterruptedException e) {
            throw interrupted(qemu, e);
        }
    }

    /** Whether it runs: it has neither been ended nor gone off by itself. */
    public boolean isAlive() {
        return !ended && qemu.isAlive();
    }

    /** The last lines of its console, and where the whole log is. */
    public String consoleEnd() {
        List<String> lines = consoleText().lines().toList();
        int from = Math.max(0, lines.size() - CONSOLE_LINES);
        return "the last lines of the guest's console, " + console() + ":\n    | "
                + String.join("\n    | ", lines.subList(from, lines.size()));
    }

    void send(String line) {
        agent.send(line);
    }

    GuestDiedException died() {
        return new GuestDiedException("the guest is gone; " + consoleEnd());
    }

    private void monitorSaid(String line) {
        monitorAnswers.add(line);
        try {
            Files.writeString(
                    folder.resolve("monitor.log"), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void received(String line) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("ready")) {
            ready.countDown();
        } else if (words.length == 3 && words[0].equals("time")) {
            told(Integer.parseInt(words[1]), Long.parseLong(words[2]));
        } else if (words.length == 3) {
            changed(words[0], Integer.parseInt(words[1]), Integer.parseInt(words[2]));
        }
    }

    private void told(int id, long micros) {
        CompletableFuture<Instant> asked = asking.remove(id);
        if (asked != null) {
            asked.complete(Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
        }
    }

    private void changed(String what, int id, int value) {
        GuestProcess process = running.get(id);
        if (process != null && what.equals("group")) {
            process.began(value);
        } else if (process != null && what.equals("exit")) {
            running.remove(id);
            process.ended(value);
        }
    }

    private void qemuEnded() {
        ended = true;
        ready.countDown();
        running.values().forEach(process -> process.lost(died()));
        running.clear();
        asking.values().forEach(asked -> asked.completeExceptionally(died()));
        asking.clear();
    }

    /** Makes its logs and its share outlast it, so that what went wrong can be found out. */
    public void keep() {
        kept = true;
    }

    /**
     * Ends it at once, and waits until it is gone. What its run left on the host, the console's log included, is
     * deleted, unless {@link #keep} was called or it had ended by itself without {@link #powerOff}.
     */
    @Override
    public void close() {
        boolean delete = !kept && (!ended || poweredOff);
        endQemu();
        try {
            agent.close();
            monitor.close();
            if (delete) {
                deleteFolder();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void endQemu() {
        qemu.destroyForcibly();
        try {
            qemu.onExit().get(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new GuestException("QEMU, process " + qemu.pid() + ", does not end", e);
        }
    }

    private void deleteFolder() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
