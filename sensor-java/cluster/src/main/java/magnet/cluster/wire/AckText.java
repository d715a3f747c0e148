// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The text of an ACK: lines {@code key=value}, of which those that find no room are left out. Stateless. */
public final class AckText {
    private AckText() {}

    /** The text of some fields, in their order; a value's line ends become spaces. */
    public static String of(Map<String, String> fields) {
        StringBuilder text = new StringBuilder();
        int bytes = 0;
        for (Map.Entry<String, String> field : fields.entrySet()) {
            String line =
                    field.getKey() + "=" + field.getValue().replace('\n', ' ').replace('\r', ' ') + "\n";
            bytes += line.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > DatagramForm.TEXT_MOST) {
                break;
            }
            text.append(line);
        }
        return text.toString();
    }

    /** The fields of a text; what has no {@code =} is none. */
    public static Map<String, String> parse(String text) {
        Map<String, String> fields = new LinkedHashMap<>();
        text.lines().forEach(line -> {
            int equals = line.indexOf('=');
            if (equals > 0) {
                fields.put(line.substring(0, equals), printable(line.substring(equals + 1)));
            }
        });
        return fields;
    }

    /** A terminal takes other characters for orders. */
    private static String printable(String value) {
        StringBuilder text = new StringBuilder(value.length());
        value.codePoints().forEach(each -> text.appendCodePoint(Character.isISOControl(each) ? '?' : each));
        return text.toString();
    }
}
