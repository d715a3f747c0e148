// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Every key of {@code magnet.conf}: where it stands, its default, what is allowed. Immutable. */
enum ConfigKey {
    BUFFER_SIZE("collector", "buffer-size", "256K", "a size from 64K to 256M"),
    WATERMARK("collector", "watermark", "32K", "a size from 1K to three quarters of buffer-size"),
    MAX_READ_TIMEOUT("collector", "max-read-timeout", "250ms", "a time from 1ms to 1s"),
    HOLD_BACK("collector", "hold-back", "2ms", "a time from 0ms to 1s"),
    INTERVAL("publish", "interval", "5s", "a time from 1s to 20s"),
    WINDOW("publish", "window", "auto", "auto, or a multiple of interval, of 1 to 60 intervals"),
    OPENMETRICS(
            "publish",
            "openmetrics",
            "",
            "a loopback address (no other machine shall reach it) and a port, such as 127.0.0.1:9464 or [::1]:9464, or"
                    + " nothing"),
    SUPERMON_LISTEN(
            "supermon",
            "listen",
            "",
            "an address of this machine, with a port or without, such as 127.0.0.1 or [::]:2709, or nothing"),
    SUPERMON_ALLOW(
            "supermon",
            "allow",
            "127.0.0.0/8, ::1/128",
            "addresses and networks, such as 10.0.0.0/8 or fe80::/10, several separated by commas"),
    SUPERMON_CLIENTS("supermon", "clients", "64", "a number from 1 to 1024"),
    SUPERMON_FORMAT("supermon", "format", "lanl", "lanl or linuxlabs"),
    SUPERMON_HOLE("supermon", "hole", "", "an absolute path, such as /run/magnet/monhole, or nothing"),
    MUSE_SOCKET("muse", "socket", "", "an absolute path, such as /run/magnet/magnetd, or nothing"),
    MUSE_LISTEN(
            "muse",
            "listen",
            "",
            "a loopback address (no other machine shall reach it) and a port, such as 127.0.0.1:9997 or [::1]:9997, or"
                    + " nothing"),
    MUSE_CLIENTS("muse", "clients", "16", "a number from 1 to 1024"),
    MUSE_LAYOUT("muse", "layout", "i386", "i386 or x86_64"),
    GMOND_CONF("ganglia", "gmond-conf", "/etc/ganglia/gmond.conf", "an absolute path"),
    LEVEL("metrics", "level", "summary", "heartbeat, summary or full"),
    RAISE_WHEN("metrics", "raise-when", "", "METRIC > NUMBER or METRIC < NUMBER, several joined by 'or', or nothing"),
    RAISE_TO("metrics", "raise-to", "full", "a level above that of level: summary or full"),
    RAISE_FOR("metrics", "raise-for", "60s", "a time from 1s to 86400s"),
    REPLACE("metrics", "replace", "", "cpu, cpu-interrupts, network, several separated by commas, or nothing"),
    NETWORK("metrics", "network", "on", "on or off"),
    JOURNEY("metrics", "journey", "on", "on or off"),
    SCHEDULER("metrics", "scheduler", "on", "on or off"),
    INTERRUPTS("metrics", "interrupts", "on", "on or off"),
    BLOCK("metrics", "block", "on", "on or off"),
    MEMORY("metrics", "memory", "on", "on or off"),
    SYSCALLS("metrics", "syscalls", "on", "on or off"),
    PROCESSES("metrics", "processes", "on", "on or off"),
    USER("metrics", "user", "on", "on or off"),
    LOG_LEVEL("service", "log-level", "info", "error, warn, info, debug or trace"),
    AFFINITY("service", "affinity", "", "a list of CPUs as taskset takes it, such as 0,2-3, or nothing"),
    HANDLER_DIRECTORY("service", "handler-directory", "", "an absolute path, or nothing"),
    PID_FILE("service", "pid-file", "", "an absolute path, or nothing"),
    TEE_DIRECTORY("service", "tee-directory", "", "an absolute path, or nothing");

    private final String section;
    private final String key;
    private final String defaultText;
    private final String allowed;

    ConfigKey(String section, String key, String defaultText, String allowed) {
        this.section = section;
        this.key = key;
        this.defaultText = defaultText;
        this.allowed = allowed;
    }

    String section() {
        return section;
    }

    String key() {
        return key;
    }

    /** {@code section.key}, as a param of gmond.conf is called. */
    String fullName() {
        return section + "." + key;
    }

    /** The value that counts when the file does not give one, as it would be written there. */
    String defaultText() {
        return defaultText;
    }

    /** What a value may be, to follow "allowed is". */
    String allowed() {
        return allowed;
    }

    static Optional<ConfigKey> find(String section, String key) {
        return Arrays.stream(values())
                .filter(each -> each.section.equals(section) && each.key.equals(key))
                .findFirst();
    }

    static List<String> sections() {
        return Arrays.stream(values()).map(ConfigKey::section).distinct().toList();
    }

    static List<String> keysOf(String section) {
        return Arrays.stream(values())
                .filter(each -> each.section.equals(section))
                .map(ConfigKey::key)
                .toList();
    }
}
