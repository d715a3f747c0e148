// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a sender needs of gmond.conf. Immutable.
 *
 * @param channels every udp_send_channel, in order; at least one
 * @param overrideHostname globals.override_hostname
 * @param overrideIp globals.override_ip
 * @param sendMetadataIntervalSeconds globals.send_metadata_interval; 0 if not given, which leaves it to the sender
 * @param mute globals.mute: gmond itself sends nothing. gmetric sends all the same, and so do we
 * @param deaf globals.deaf: gmond receives nothing
 * @param cluster cluster.name, for log lines
 * @param module the module section that switches magnet, if there is one
 * @param fallback whether there was no file, so that gmetric's built-in channel is used
 */
public record GmondConfig(
        List<SendChannel> channels,
        Optional<String> overrideHostname,
        Optional<String> overrideIp,
        int sendMetadataIntervalSeconds,
        boolean mute,
        boolean deaf,
        String cluster,
        Optional<SensorModule> module,
        boolean fallback) {

    private static final SendChannel DEFAULT_CHANNEL =
            new SendChannel("239.2.11.71", 8649, true, Optional.empty(), 1, Optional.empty(), false);

    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_:][A-Za-z0-9_.:-]*");

    public GmondConfig {
        channels = List.copyOf(channels);
    }

    /**
     * Reads gmond.conf with everything that it includes.
     *
     * <p>If there is no file, the result is what gmetric does without one: multicast to 239.2.11.71:8649, ttl 1.
     *
     * @throws GmondConfigException if it cannot be read, is malformed, or has no send channel; says where and why
     */
    public static GmondConfig read(Path path) throws GmondConfigException {
        return read(path.toString(), new GmondConfigFiles(), System::getenv);
    }

    static GmondConfig read(String path, GmondConfigSource source, UnaryOperator<@Nullable String> environment)
            throws GmondConfigException {
        try {
            return of(new GmondConfigParser(source, environment).parse(path));
        } catch (NoSuchFileException e) {
            return new GmondConfig(
                    List.of(DEFAULT_CHANNEL),
                    Optional.empty(),
                    Optional.empty(),
                    0,
                    false,
                    false,
                    "",
                    Optional.empty(),
                    true);
        } catch (IOException | InvalidPathException e) {
            throw new GmondConfigException(path + ": cannot be read: " + GmondConfigParser.reason(e));
        }
    }

    private static GmondConfig of(GmondSection root) throws GmondConfigException {
        List<SendChannel> channels = new ArrayList<>();
        for (GmondSection section : root.sections("udp_send_channel")) {
            channels.add(channel(section));
        }
        if (channels.isEmpty()) {
            throw new GmondConfigException(
                    root.file() + ": no udp_send_channel, so there is nowhere to send metrics to");
        }
        return new GmondConfig(
                channels,
                hostText(root, "override_hostname"),
                hostText(root, "override_ip"),
                integer(root.optionOf("globals", "send_metadata_interval"), "send_metadata_interval", 0, 0, 86_400),
                flag(root.optionOf("globals", "mute"), "mute"),
                flag(root.optionOf("globals", "deaf"), "deaf"),
                text(root.optionOf("cluster", "name")).orElse("unspecified"),
                SensorModule.of(root),
                false);
    }

    private static SendChannel channel(GmondSection section) throws GmondConfigException {
        Optional<String> multicast = text(section.option("mcast_join"));
        Optional<String> host = multicast.or(() -> text(section.option("host")));
        Optional<String> bind = text(section.option("bind"));
        boolean bindHostname = flag(section.option("bind_hostname"), "bind_hostname");
        if (host.isEmpty()) {
            throw new GmondConfigException(
                    section.file(), section.line(), "udp_send_channel has neither host nor mcast_join");
        }
        if (section.option("port").isEmpty()) {
            throw new GmondConfigException(section.file(), section.line(), "udp_send_channel has no port");
        }
        if (bind.isPresent() && bindHostname) {
            throw new GmondConfigException(
                    section.file(), section.line(), "bind and bind_hostname exclude each other in a udp_send_channel");
        }
        return new SendChannel(
                host.get(),
                integer(section.option("port"), "port", 0, 1, 65_535),
                multicast.isPresent(),
                text(section.option("mcast_if")),
                integer(section.option("ttl"), "ttl", 1, 0, 255),
                bind,
                bindHostname);
    }

    /** gmond puts it into its XML as it stands, and gmetad makes a folder of that name. */
    private static Optional<String> hostText(GmondSection root, String name) throws GmondConfigException {
        Optional<GmondSection.Option> option = root.optionOf("globals", name);
        Optional<String> text = text(option);
        if (text.isPresent() && !HOST.matcher(text.get()).matches()) {
            throw new GmondConfigException(
                    option.orElseThrow().file(),
                    option.orElseThrow().line(),
                    name
                            + " has characters that break gmond's XML or gmetad's files; allowed are letters, digits and _.:-");
        }
        return text;
    }

    private static Optional<String> text(Optional<GmondSection.Option> option) {
        return option.map(GmondSection.Option::value).filter(value -> !value.isEmpty());
    }

    private static int integer(Optional<GmondSection.Option> option, String name, int otherwise, int least, int most)
            throws GmondConfigException {
        if (option.isEmpty()) {
            return otherwise;
        }
        GmondSection.Option given = option.get();
        try {
            long value = Long.decode(given.value());
            if (value >= least && value <= most) {
                return (int) value;
            }
        } catch (NumberFormatException e) {
            // Said below, with what is allowed.
        }
        throw new GmondConfigException(
                given.file(),
                given.line(),
                name + " = '" + given.value() + "' is not a number from " + least + " to " + most);
    }

    static boolean flag(Optional<GmondSection.Option> option, String name) throws GmondConfigException {
        if (option.isEmpty()) {
            return false;
        }
        GmondSection.Option given = option.get();
        return switch (given.value().toLowerCase(Locale.ROOT)) {
            case "yes", "true", "on" -> true;
            case "no", "false", "off" -> false;
            default ->
                throw new GmondConfigException(
                        given.file(), given.line(), name + " = '" + given.value() + "' is neither yes nor no");
        };
    }
}
