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
 * @param collected what its collection groups have, in order
 * @param fallback whether there was no file, so that gmetric's built-in channel is used
 * @param complaints what cannot be used, or not as it stands, a line each; the rest counts
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
        List<CollectedMetric> collected,
        boolean fallback,
        List<String> complaints) {

    private static final SendChannel DEFAULT_CHANNEL =
            new SendChannel("239.2.11.71", 8649, true, Optional.empty(), 1, Optional.empty(), false);

    private static final String METADATA_INTERVAL = "send_metadata_interval";
    private static final int SECONDS_PER_DAY = 86_400;
    private static final Pattern HOST = Pattern.compile("[A-Za-z0-9_:][A-Za-z0-9_.:-]*");

    public GmondConfig {
        channels = List.copyOf(channels);
        collected = List.copyOf(collected);
        complaints = List.copyOf(complaints);
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
                    List.of(),
                    true,
                    List.of());
        } catch (IOException | InvalidPathException e) {
            throw new GmondConfigException(path + ": cannot be read: " + GmondConfigParser.reason(e));
        }
    }

    private static GmondConfig of(GmondSection root) throws GmondConfigException {
        ChannelSections channels = new ChannelSections();
        List<SendChannel> usable = channels.read(root);
        List<String> complaints = new ArrayList<>(channels.complaints());
        return new GmondConfig(
                usable,
                hostText(root, "override_hostname"),
                hostText(root, "override_ip"),
                metadataInterval(root, complaints),
                flag(root.optionOf("globals", "mute"), "mute"),
                flag(root.optionOf("globals", "deaf"), "deaf"),
                text(root.optionOf("cluster", "name")).orElse("unspecified"),
                SensorModule.of(root),
                CollectedMetric.of(root),
                false,
                complaints);
    }

    /** More than a day is a day: what is more than a minute leaves it to the sender anyway. */
    private static int metadataInterval(GmondSection root, List<String> complaints) {
        Optional<GmondSection.Option> given = root.optionOf("globals", METADATA_INTERVAL);
        Optional<Long> seconds = given.flatMap(GmondSection.Option::integer);
        if (given.isPresent() && seconds.filter(number -> number >= 0).isEmpty()) {
            GmondSection.Option option = given.get();
            complaints.add(option.wrong(METADATA_INTERVAL + " = '" + option.value()
                            + "' is not a number from 0 on; it is as if it were not given")
                    .getMessage());
            return 0;
        }
        return (int) Math.min(SECONDS_PER_DAY, seconds.orElse(0L));
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
