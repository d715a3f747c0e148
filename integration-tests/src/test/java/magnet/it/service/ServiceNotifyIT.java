// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestResult;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.service.NotifyListener.Message;
import magnet.metric.Level;
import magnet.metric.Metrics;
import magnet.record.EventType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * magnetd as packaging/magnetd.service runs it: a user who is nobody, the group of /dev/magnet, CAP_PERFMON and nothing
 * else; on one CPU; and somebody else's listener in systemd's place, whom it tells how it is.
 */
@GuestTest(turns = true)
final class ServiceNotifyIT {
    private static final String GROUP = Magnetd.GROUP;
    private static final Duration LIMIT = Duration.ofMinutes(2);
    /** A long one: under emulation a whole second may pass in which nobody gets to run. */
    private static final long WATCHDOG_MICROS = 10_000_000;

    private static final int PERIODS = 4;
    private static final int NO_MODULE = 5;
    private static final int MARKERS = 1009;
    private static final String SUMMARY = "/tmp/summary.json";
    /** CapEff in /proc/PID/status of a process that has CAP_PERFMON and no other. */
    private static final String ONLY_PERFMON = "CapEff:\t0000004000000000";

    private static final String CONFIG = GmondConf.CONFIG + """
            [collector]
            buffer-size = 8M
            [publish]
            interval = 1s
            [metrics]
            level = %s
            [service]
            affinity = 1
            """;

    private final Guest guest;

    ServiceNotifyIT(Guest guest) {
        this.guest = guest;
    }

    @BeforeAll
    static void prepare(Guest guest) {
        GmondConf.install(guest);
    }

    @AfterEach
    void unload() {
        ModuleState module = new ModuleState(guest);
        if (module.isLoaded()) {
            module.awaitNothingOn();
            KernelModule.remove(guest);
        }
        guest.run("rm", "-f", SUMMARY).orFail();
    }

    private Magnetd start(String socket) {
        List<String> command =
                new ArrayList<>(List.of("env", "NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=" + WATCHDOG_MICROS));
        command.addAll(Magnetd.unprivileged("--summary", SUMMARY));
        return Magnetd.run(guest, command.toArray(String[]::new));
    }

    @Test
    void shouldTellItsWholeLife() {
        String socket = "@magnet/notify";
        KernelModule.load(guest, "gid=" + GROUP);
        Magnetd.configure(guest, CONFIG.formatted("full"));
        try (NotifyListener systemd = NotifyListener.start(guest, socket);
                Magnetd magnetd = start(socket)) {
            assertReadyWhenItCollects(systemd);
            assertRunsAsItShould(magnetd);
            work();
            assertWatchdogIsFed(systemd);
            assertTellsOfReloads(systemd, magnetd);
            assertTellsOfItsEnd(systemd, magnetd);
        }
        assertEveryEventDelivered();
    }

    private static void assertReadyWhenItCollects(NotifyListener systemd) {
        Message ready = systemd.await("READY=1", 1);
        assertThat(ready.pointsOn())
                .as("points that were on when it said so")
                .isEqualTo(Metrics.eventsOf(Metrics.of(Level.FULL)).size());
        assertThat(ready.value("STATUS")).matches("level full: \\d{3} metrics made of \\d+ points");
        assertThat(systemd.messages())
                .filteredOn(message -> message.micros() < ready.micros())
                .as("before that nothing but signs of life")
                .allSatisfy(message -> assertThat(message.lines()).containsExactly("WATCHDOG=1"));
    }

    private void assertRunsAsItShould(Magnetd magnetd) {
        String tasks = "/proc/" + magnetd.pid() + "/task";
        assertThat(guest.read("/proc/" + magnetd.pid() + "/status").lines())
                .contains(ONLY_PERFMON, "NoNewPrivs:\t1")
                .anyMatch(line -> line.matches("Uid:(\t65534){4}"))
                .anyMatch(line -> line.matches("Groups:\t" + GROUP + " ?"));
        List<String> cpus = guest.sh("cat " + tasks + "/*/status")
                .orFail()
                .stdout()
                .lines()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .toList();
        assertThat(cpus).hasSizeGreaterThan(5).containsOnly("Cpus_allowed_list:\t1");
    }

    private void work() {
        guest.sh(
                        LIMIT,
                        "for ((i = 1; i <= " + MARKERS
                                + "; i++)); do echo \"$i\" >/sys/kernel/debug/magnet/marker; done")
                .orFail();
    }

    /** systemd ends who is silent for the whole time; twice in it is what is asked for. */
    private void assertWatchdogIsFed(NotifyListener systemd) {
        int fed = systemd.saying("WATCHDOG=1").size();
        systemd.await("WATCHDOG=1", fed + 2 * PERIODS);
        List<Long> times =
                systemd.saying("WATCHDOG=1").stream().map(Message::micros).toList();
        List<Long> gaps = new ArrayList<>();
        for (int i = 1; i < times.size(); i++) {
            gaps.add(times.get(i) - times.get(i - 1));
        }
        assertThat(gaps)
                .allMatch(gap ->
                        gap < guest.options().scaled(Duration.ofSeconds(1)).toSeconds() * WATCHDOG_MICROS);
        assertThat(gaps.stream().sorted().toList().get(gaps.size() / 2))
                .as("the median: half of the time, and what a busy machine needs to say so")
                .isBetween(WATCHDOG_MICROS * 2 / 5, WATCHDOG_MICROS * 3 / 4);
        assertThat(systemd.messages())
                .filteredOn(message -> message.lines().size() == 1
                        && message.value("STATUS").matches("level full: .* points; \\d+ events/s, 0 lost/s"))
                .as("how it is, with each publication")
                .hasSizeGreaterThan(5);
    }

    private void assertTellsOfReloads(NotifyListener systemd, Magnetd magnetd) {
        assertThat(reload(systemd, magnetd, CONFIG.formatted("full")).lines())
                .as("the same run goes on")
                .containsExactly("READY=1");

        assertThat(reload(systemd, magnetd, "[publish]\nintervall = 1s\n").lines())
                .as("and so it does when the file is malformed")
                .containsExactly("READY=1");
        assertThat(magnetd.log()).contains(Magnetd.CONFIG + ":2: unknown key 'intervall'");

        Message again = reload(systemd, magnetd, CONFIG.formatted("full") + "log-level = debug\n");
        assertThat(again.pointsOn())
                .as("points of the new run when it said so")
                .isEqualTo(Metrics.eventsOf(Metrics.of(Level.FULL)).size());
        assertThat(again.value("STATUS")).startsWith("level full: ");
    }

    /** Gives the message that ends it. The service looks at its files by itself, too, but not that fast. */
    private Message reload(NotifyListener systemd, Magnetd magnetd, String config) {
        guest.start(config, List.of("install", "-m", "644", "/dev/stdin", "/tmp/next.conf"))
                .waitFor(LIMIT)
                .orFail();
        int reloads = systemd.saying("RELOADING=1").size();
        int ready = systemd.saying("READY=1").size();
        long before = monotonicMicros();
        guest.sh("cp /tmp/next.conf " + Magnetd.CONFIG + " && kill -HUP " + magnetd.pid())
                .orFail();
        Message reloading = systemd.await("RELOADING=1", reloads + 1);
        assertThat(Long.parseLong(reloading.value("MONOTONIC_USEC"))).isBetween(before, reloading.micros());
        Message end = systemd.await("READY=1", ready + 1);
        assertThat(end.micros()).isGreaterThanOrEqualTo(reloading.micros());
        return end;
    }

    /** To a hundredth of a second, rounded down. */
    private long monotonicMicros() {
        String uptime = guest.read("/proc/uptime").split(" ", 2)[0];
        return Math.round(Double.parseDouble(uptime) * 100) * 10_000;
    }

    private static void assertTellsOfItsEnd(NotifyListener systemd, Magnetd magnetd) {
        GuestResult end = magnetd.stop().orFail();
        systemd.await("STOPPING=1", 1);
        List<Message> messages = systemd.messages();
        assertThat(messages.get(messages.size() - 1).says("STOPPING=1"))
                .as("nothing after it: %s", messages)
                .isTrue();
        assertThat(end.stderr()).doesNotContain("cannot tell the service manager");
    }

    /** What the run after the last reload came to; all markers were before it. */
    private void assertEveryEventDelivered() {
        JsonObject summary = Json.object(guest.read(SUMMARY));
        assertThat(summary.get("lost").getAsLong()).isZero();
        for (JsonElement subscription : summary.getAsJsonArray("subscriptions")) {
            for (JsonElement cpu : subscription.getAsJsonObject().getAsJsonArray("cpus")) {
                assertThat(cpu.getAsJsonObject().get("delivered").getAsLong())
                        .as(subscription.toString())
                        .isEqualTo(cpu.getAsJsonObject().get("committed").getAsLong());
            }
        }
    }

    @Test
    void shouldCountExactlyWithoutRoot() {
        KernelModule.load(guest, "gid=" + GROUP);
        Magnetd.configure(guest, CONFIG.formatted("full"));
        String socket = "/tmp/notify";
        try (NotifyListener systemd = NotifyListener.start(guest, socket);
                Magnetd magnetd = start(socket)) {
            systemd.await("READY=1", 1);
            work();
            magnetd.stop().orFail();
        }
        assertEveryEventDelivered();
        JsonObject summary = Json.object(guest.read(SUMMARY));
        assertThat(summary.getAsJsonObject("events_by_id").get("marker").getAsLong())
                .isEqualTo(MARKERS);
        List<String> points = new ArrayList<>();
        summary.getAsJsonArray("subscriptions")
                .forEach(each -> points.add(each.getAsJsonObject().get("point").getAsString()));
        assertThat(points)
                .containsExactlyInAnyOrderElementsOf(Metrics.eventsOf(Metrics.of(Level.FULL)).stream()
                        .map(EventType::label)
                        .toList());
    }

    @Tag("long")
    @Test
    void shouldNeverSayThatItIsReadyWhenItCannotCollect() {
        Magnetd.configure(guest, CONFIG.formatted("full"));
        try (NotifyListener systemd = NotifyListener.start(guest, "@magnet");
                Magnetd magnetd = start("@magnet")) {
            assertThat(magnetd.await().exitCode()).isEqualTo(NO_MODULE);
            assertThat(systemd.saying("READY=1")).isEmpty();
        }
    }
}
