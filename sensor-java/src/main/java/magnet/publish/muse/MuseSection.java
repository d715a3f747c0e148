// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import magnet.config.ConfigException;
import magnet.config.ConfigKey;
import magnet.config.ConfigTexts;
import magnet.config.SinkSection;

/** {@code [muse]}. */
public final class MuseSection implements SinkSection<MuseSettings> {
    private static final String SECTION = "muse";
    private static final int MOST_CLIENTS = 1_024;

    private static final ConfigKey SOCKET =
            new ConfigKey(SECTION, "socket", "", "an absolute path, such as /run/magnet/magnetd, or nothing");
    private static final ConfigKey LISTEN = new ConfigKey(
            SECTION,
            "listen",
            "",
            "a loopback address (no other machine shall reach it) and a port, such as 127.0.0.1:9997 or [::1]:9997, or"
                    + " nothing");
    private static final ConfigKey CLIENTS =
            new ConfigKey(SECTION, "clients", "16", "a number from 1 to " + MOST_CLIENTS);
    private static final ConfigKey LAYOUT = new ConfigKey(SECTION, "layout", "i386", "i386 or x86_64");

    @Override
    public List<ConfigKey> keys() {
        return List.of(SOCKET, LISTEN, CLIENTS, LAYOUT);
    }

    @Override
    public Optional<MuseSettings> read(ConfigTexts texts) throws ConfigException {
        int clients = texts.number(CLIENTS, MOST_CLIENTS);
        StructLayout layout = texts.word(LAYOUT, StructLayout.class);
        Optional<Path> socket = texts.path(SOCKET);
        Optional<InetSocketAddress> address = texts.loopback(LISTEN);
        return socket.isEmpty() && address.isEmpty()
                ? Optional.empty()
                : Optional.of(new MuseSettings(socket, address, clients, layout));
    }

    @Override
    public Class<MuseSettings> type() {
        return MuseSettings.class;
    }

    @Override
    public String describe(MuseSettings settings) {
        return "answers MUSE's clients: " + MuseSink.describe(settings);
    }
}
