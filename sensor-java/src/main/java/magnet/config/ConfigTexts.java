// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import magnet.metric.MetricGroup;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;

/** The texts that are given for keys, as values of the kinds that there are; what is not allowed is refused. Immutable. */
public final class ConfigTexts {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
    private static final Pattern COMMA = Pattern.compile(",");

    private final String file;
    private final Map<ConfigKey, Given> given;

    /**
     * @param file name for messages about what is not given
     * @param given what is
     */
    ConfigTexts(String file, Map<ConfigKey, Given> given) {
        this.file = file;
        this.given = Map.copyOf(given);
    }

    /** What is given for a key, or counts otherwise. */
    public String text(ConfigKey key) {
        Given value = given.get(key);
        return value == null ? key.defaultText() : value.text();
    }

    /** Whether something stands there. */
    public boolean isGiven(ConfigKey key) {
        return given.containsKey(key);
    }

    /** Says what is given for a key, and what is allowed. */
    public ConfigException bad(ConfigKey key) {
        return new ConfigException(place(key) + "[" + key.section() + "] " + key.key() + " = '" + text(key)
                + "'; allowed is " + key.allowed());
    }

    /** Where a key stands, or the file where it does not, with {@code ": "} at its end. */
    String place(ConfigKey key) {
        Given value = given.get(key);
        return value == null ? file + ": " : value.place();
    }

    /** A size in bytes within bounds. */
    public long size(ConfigKey key, long least, long most) throws ConfigException {
        long bytes = parsed(key, ByteSize::parse).bytes();
        if (bytes < least || bytes > most) {
            throw bad(key);
        }
        return bytes;
    }

    /** A time within bounds. */
    public Duration time(ConfigKey key, Duration least, Duration most) throws ConfigException {
        Duration time = parsed(key, TimeSpan::parse).duration();
        if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
            throw bad(key);
        }
        return time;
    }

    private <T> T parsed(ConfigKey key, Function<String, T> grammar) throws ConfigException {
        try {
            return grammar.apply(text(key));
        } catch (IllegalArgumentException e) {
            throw bad(key);
        }
    }

    /** One of several words, in upper or lower case. */
    public <E extends Enum<E>> E word(ConfigKey key, Class<E> words) throws ConfigException {
        return parsed(key, text -> Enum.valueOf(words, text.toUpperCase(Locale.ROOT)));
    }

    /** Whether the key of a group of metrics is on; not if it has none. */
    public boolean isOn(MetricGroup group) throws ConfigException {
        Optional<ConfigKey> key = ServiceKeys.find("metrics", group.key());
        return key.isPresent() && flag(key.get());
    }

    /** Whether it is on. */
    public boolean flag(ConfigKey key) throws ConfigException {
        return switch (text(key).toLowerCase(Locale.ROOT)) {
            case "on", "yes", "true" -> true;
            case "off", "no", "false" -> false;
            default -> throw bad(key);
        };
    }

    /** A number from 1 on. */
    public int number(ConfigKey key, int most) throws ConfigException {
        String text = text(key);
        int number = NUMBER.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (number < 1 || number > most) {
            throw bad(key);
        }
        return number;
    }

    /** An absolute path, if one is given. */
    public Optional<Path> path(ConfigKey key) throws ConfigException {
        if (text(key).isEmpty()) {
            return Optional.empty();
        }
        try {
            Path path = Path.of(text(key));
            if (path.isAbsolute()) {
                return Optional.of(path);
            }
        } catch (InvalidPathException e) {
            // Said below, with what is allowed.
        }
        throw bad(key);
    }

    /** An address that no other machine can reach, with a port, if one is given. */
    public Optional<InetSocketAddress> loopback(ConfigKey key) throws ConfigException {
        String text = text(key);
        return text.isEmpty()
                ? Optional.empty()
                : Optional.of(LoopbackAddress.parse(text).orElseThrow(() -> bad(key)));
    }

    /** An address of this machine, with a port or without, if one is given. */
    public Optional<InetSocketAddress> listen(ConfigKey key, int defaultPort) throws ConfigException {
        String text = text(key);
        return text.isEmpty()
                ? Optional.empty()
                : Optional.of(ListenAddress.parse(text, defaultPort).orElseThrow(() -> bad(key)));
    }

    /** What stands between commas, one at least, without blanks around it. */
    public List<String> items(ConfigKey key) {
        return Arrays.stream(COMMA.split(text(key), -1)).map(String::strip).toList();
    }

    /** Networks, one at least. */
    public Networks networks(ConfigKey key) throws ConfigException {
        List<Network> networks = new ArrayList<>();
        for (String each : items(key)) {
            networks.add(Network.parse(each).orElseThrow(() -> bad(key)));
        }
        return new Networks(networks);
    }
}
