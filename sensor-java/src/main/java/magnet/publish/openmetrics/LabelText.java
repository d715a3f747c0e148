// SPDX-License-Identifier: Apache-2.0
package magnet.publish.openmetrics;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/** Names of processes come byte by byte, a character for each; OpenMetrics is in UTF-8. Stateless. */
final class LabelText {
    private static final int LAST_LATIN_1 = 0xff;

    private LabelText() {}

    /** What the bytes are in UTF-8; those that are none, as of a name that the kernel cut short, as {@code \\xc3}. */
    static String of(String bytes) {
        if (bytes.chars().anyMatch(c -> c > LAST_LATIN_1)) {
            return bytes;
        }
        ByteBuffer in = ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1));
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        StringBuilder text = new StringBuilder(bytes.length());
        CharBuffer out = CharBuffer.allocate(bytes.length());
        while (in.hasRemaining()) {
            CoderResult result = decoder.reset().decode(in, out, true);
            text.append(out.flip());
            out.clear();
            for (int i = 0; result.isError() && i < result.length(); i++) {
                text.append("\\x%02x".formatted(in.get()));
            }
        }
        return text.toString();
    }
}
