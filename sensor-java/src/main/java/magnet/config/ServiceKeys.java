// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.List;
import java.util.Optional;

/** The keys of {@code magnet.conf} that are no sink's, in the order of the file. Stateless. */
final class ServiceKeys {
    static final ConfigKey BUFFER_SIZE = new ConfigKey("collector", "buffer-size", "256K", "a size from 64K to 256M");
    static final ConfigKey WATERMARK =
            new ConfigKey("collector", "watermark", "32K", "a size from 1K to three quarters of buffer-size");
    static final ConfigKey MAX_READ_TIMEOUT =
            new ConfigKey("collector", "max-read-timeout", "250ms", "a time from 1ms to 1s");
    static final ConfigKey HOLD_BACK = new ConfigKey("collector", "hold-back", "2ms", "a time from 0ms to 1s");
    static final ConfigKey INTERVAL = new ConfigKey("publish", "interval", "5s", "a time from 1s to 20s");
    static final ConfigKey WINDOW =
            new ConfigKey("publish", "window", "auto", "auto, or a multiple of interval, of 1 to 60 intervals");
    static final ConfigKey GMOND_CONF =
            new ConfigKey("ganglia", "gmond-conf", "/etc/ganglia/gmond.conf", "an absolute path");
    static final ConfigKey LEVEL = new ConfigKey("metrics", "level", "summary", "heartbeat, summary or full");
    static final ConfigKey RAISE_WHEN = new ConfigKey(
            "metrics", "raise-when", "", "METRIC > NUMBER or METRIC < NUMBER, several joined by 'or', or nothing");
    static final ConfigKey RAISE_TO =
            new ConfigKey("metrics", "raise-to", "full", "a level above that of level: summary or full");
    static final ConfigKey RAISE_FOR = new ConfigKey("metrics", "raise-for", "60s", "a time from 1s to 86400s");
    static final ConfigKey REPLACE = new ConfigKey(
            "metrics", "replace", "", "cpu, cpu-interrupts, network, several separated by commas, or nothing");
    static final ConfigKey NETWORK = new ConfigKey("metrics", "network", "on", "on or off");
    static final ConfigKey JOURNEY = new ConfigKey("metrics", "journey", "on", "on or off");
    static final ConfigKey SCHEDULER = new ConfigKey("metrics", "scheduler", "on", "on or off");
    static final ConfigKey INTERRUPTS = new ConfigKey("metrics", "interrupts", "on", "on or off");
    static final ConfigKey BLOCK = new ConfigKey("metrics", "block", "on", "on or off");
    static final ConfigKey MEMORY = new ConfigKey("metrics", "memory", "on", "on or off");
    static final ConfigKey SYSCALLS = new ConfigKey("metrics", "syscalls", "on", "on or off");
    static final ConfigKey PROCESSES = new ConfigKey("metrics", "processes", "on", "on or off");
    static final ConfigKey JOBS = new ConfigKey("metrics", "jobs", "off", "on or off");
    static final ConfigKey USER = new ConfigKey("metrics", "user", "on", "on or off");
    static final ConfigKey LOG_LEVEL =
            new ConfigKey("service", "log-level", "info", "error, warn, info, debug or trace");
    static final ConfigKey AFFINITY =
            new ConfigKey("service", "affinity", "", "a list of CPUs as taskset takes it, such as 0,2-3, or nothing");
    static final ConfigKey HANDLER_DIRECTORY =
            new ConfigKey("service", "handler-directory", "", "an absolute path, or nothing");
    static final ConfigKey PID_FILE = new ConfigKey("service", "pid-file", "", "an absolute path, or nothing");
    static final ConfigKey TEE_DIRECTORY =
            new ConfigKey("service", "tee-directory", "", "an absolute path, or nothing");
    static final ConfigKey RECORDER = new ConfigKey(
            "record", "recorder", "", "the name of a flight recorder: letters, digits, '_', '-', '.'; or nothing");
    static final ConfigKey RECORD_DIRECTORY =
            new ConfigKey("record", "directory", "/var/lib/magnet/recorded", "an absolute path");
    static final ConfigKey SAVE_WHEN =
            new ConfigKey("record", "save-when", "raised", "raised, urgent, or both separated by a comma");
    static final ConfigKey KEEP_TRACES = new ConfigKey("record", "keep-traces", "10", "a number from 1 to 10000");
    static final ConfigKey KEEP_SIZE = new ConfigKey("record", "keep-size", "1G", "a size from 1M to 1024G");
    static final ConfigKey MIN_FREE = new ConfigKey("record", "min-free", "1G", "a size from 0 to 1024G");
    static final ConfigKey PAUSE = new ConfigKey("record", "pause", "60s", "a time from 0s to 86400s");

    /** All of them. */
    static final List<ConfigKey> ALL = List.of(
            BUFFER_SIZE,
            WATERMARK,
            MAX_READ_TIMEOUT,
            HOLD_BACK,
            INTERVAL,
            WINDOW,
            GMOND_CONF,
            LEVEL,
            RAISE_WHEN,
            RAISE_TO,
            RAISE_FOR,
            REPLACE,
            NETWORK,
            JOURNEY,
            SCHEDULER,
            INTERRUPTS,
            BLOCK,
            MEMORY,
            SYSCALLS,
            PROCESSES,
            JOBS,
            USER,
            RECORDER,
            RECORD_DIRECTORY,
            SAVE_WHEN,
            KEEP_TRACES,
            KEEP_SIZE,
            MIN_FREE,
            PAUSE,
            LOG_LEVEL,
            AFFINITY,
            HANDLER_DIRECTORY,
            PID_FILE,
            TEE_DIRECTORY);

    private ServiceKeys() {}

    static Optional<ConfigKey> find(String section, String key) {
        return ALL.stream().filter(each -> each.is(section, key)).findFirst();
    }
}
