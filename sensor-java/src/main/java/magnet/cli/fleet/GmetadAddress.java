// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a gmetad answers: the host, and the {@code xml_port} of its gmetad.conf. Immutable.
 *
 * @param host name or address
 * @param port from 1 to 65535
 */
public record GmetadAddress(String host, int port) {
    /** What a text has to be, to follow "wants". */
    public static final String WANTED = "a host and a port such as head:8651, 10.0.0.1 or [::1]:8651";

    /** gmetad's {@code xml_port} unless gmetad.conf says otherwise. */
    public static final int XML_PORT = 8_651;

    private static final int LAST_PORT = 65_535;
    private static final Pattern FORM =
            Pattern.compile("(?:\\[([0-9A-Fa-f:.%\\w]+)]|([^\\s:\\[\\]]+))(?::(\\d{1,5}))?");

    /** The one of this machine. */
    public static GmetadAddress local() {
        return new GmetadAddress("127.0.0.1", XML_PORT);
    }

    /**
     * An address as it is written.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static GmetadAddress parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not " + WANTED);
        }
        int port = matcher.group(3) == null ? XML_PORT : Integer.parseInt(matcher.group(3));
        if (port < 1 || port > LAST_PORT) {
            throw new IllegalArgumentException("not " + WANTED);
        }
        return new GmetadAddress(matcher.group(1) == null ? matcher.group(2) : matcher.group(1), port);
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
