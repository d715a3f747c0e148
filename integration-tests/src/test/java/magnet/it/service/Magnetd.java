// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestResult;
import org.awaitility.Awaitility;

/** The service, running in a guest as an admin would start it. Closing it kills it. */
public final class Magnetd implements AutoCloseable {
    static final String COMMAND = "sensor-java/bin/magnetd";
    /** Whose /dev/magnet is to be for one without privileges: the module's {@code gid}. */
    public static final String GROUP = "4711";

    static final String CONFIG = "/etc/magnet/magnet.conf";

    private static final String RUNS_LONG = "integration-tests/harness/guest-service";
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Guest guest;
    private final GuestProcess process;

    private Magnetd(Guest guest, GuestProcess process) {
        this.guest = guest;
        this.process = process;
    }

    /** Makes this text magnet.conf. */
    public static void configure(Guest guest, String text) {
        guest.start(text, List.of("install", "-D", "-m", "644", "/dev/stdin", CONFIG))
                .waitFor(LIMIT)
                .orFail();
    }

    /** Starts it and does not wait. */
    static Magnetd start(Guest guest, String... arguments) {
        return run(guest, behind(COMMAND, arguments));
    }

    /** As packaging/magnetd.service runs it: a user who is nobody, {@link #GROUP}, and CAP_PERFMON. Does not wait. */
    public static Magnetd startUnprivileged(Guest guest) {
        return run(guest, unprivileged().toArray(String[]::new));
    }

    /** The same as a command, to which options can be added. */
    static List<String> unprivileged(String... options) {
        List<String> command = new ArrayList<>(List.of(
                "setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--groups=" + GROUP,
                "--inh-caps=-all,+perfmon",
                "--ambient-caps=+perfmon",
                "--bounding-set=-all,+perfmon",
                "--no-new-privs",
                COMMAND));
        command.addAll(List.of(options));
        return command;
    }

    /** Starts it by this command, and does not wait. */
    static Magnetd run(Guest guest, String... command) {
        return new Magnetd(guest, guest.start(behind(RUNS_LONG, command)));
    }

    private static String[] behind(String program, String... arguments) {
        return Stream.concat(Stream.of(program), Arrays.stream(arguments)).toArray(String[]::new);
    }

    /** Starts it and waits until it publishes. */
    public static Magnetd startAndAwait(Guest guest, String... arguments) {
        return start(guest, arguments).awaitLog("publishing ");
    }

    /** Waits until it has logged this. */
    public Magnetd awaitLog(String text) {
        return awaitLog(0, text);
    }

    /**
     * Waits until it has logged this after something else.
     *
     * @param from characters of the log that do not count
     */
    Magnetd awaitLog(int from, String text) {
        Awaitility.await().atMost(guest.options().scaled(LIMIT)).untilAsserted(() -> {
            assertThat(process.isAlive() || log().substring(from).contains(text))
                    .as("ended: %s", log())
                    .isTrue();
            assertThat(log().substring(from)).contains(text);
        });
        return this;
    }

    /** What it has written to stderr up to now. */
    String log() {
        return process.stderr();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Lets it end by itself. */
    GuestResult await() {
        return process.waitFor(LIMIT);
    }

    /** Ends it as systemd would. */
    public GuestResult stop() {
        process.signal("TERM");
        return process.waitFor(LIMIT);
    }

    /** Ends it as a crash would. */
    GuestResult kill() {
        return process.kill();
    }

    @Override
    public void close() {
        process.kill();
    }
}
