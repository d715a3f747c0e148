// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import magnet.config.ConfigException;
import magnet.config.ConfigKey;
import magnet.config.ConfigTexts;
import magnet.config.ListenAddress;
import magnet.config.Networks;
import magnet.config.SinkSection;

/** {@code [supermon]}. */
public final class SupermonSection implements SinkSection<SupermonSection.Service> {
    private static final String SECTION = "supermon";
    private static final int MOST_CLIENTS = 1_024;

    private static final ConfigKey LISTEN = new ConfigKey(
            SECTION,
            "listen",
            "",
            "an address of this machine, with a port or without, such as 127.0.0.1 or [::]:2709, or nothing");
    private static final ConfigKey ALLOW = new ConfigKey(
            SECTION,
            "allow",
            "127.0.0.0/8, ::1/128",
            "addresses and networks, such as 10.0.0.0/8 or fe80::/10, several separated by commas");
    private static final ConfigKey CLIENTS =
            new ConfigKey(SECTION, "clients", "64", "a number from 1 to " + MOST_CLIENTS);
    private static final ConfigKey FORMAT = new ConfigKey(SECTION, "format", "lanl", "lanl or linuxlabs");
    private static final ConfigKey HOLE =
            new ConfigKey(SECTION, "hole", "", "an absolute path, such as /run/magnet/monhole, or nothing");

    /**
     * What the sink is made of.
     *
     * @param settings how clients are answered
     * @param hole socket at which programs hand in values of their own; none if empty
     */
    public record Service(SupermonSettings settings, Optional<Path> hole) {}

    @Override
    public List<ConfigKey> keys() {
        return List.of(LISTEN, ALLOW, CLIENTS, FORMAT, HOLE);
    }

    @Override
    public Optional<Service> read(ConfigTexts texts) throws ConfigException {
        Networks allow = texts.networks(ALLOW);
        int clients = texts.number(CLIENTS, MOST_CLIENTS);
        ReplyFormat format = texts.word(FORMAT, ReplyFormat.class);
        Optional<Path> hole = texts.path(HOLE);
        Optional<InetSocketAddress> address = texts.listen(LISTEN, ListenAddress.SUPERMON_PORT);
        return address.map(at -> new Service(new SupermonSettings(at, allow, clients, format), hole));
    }

    @Override
    public Class<Service> type() {
        return Service.class;
    }

    @Override
    public String describe(Service server) {
        return "answers Supermon's clients: "
                + SupermonSink.describe(server.settings().address());
    }
}
