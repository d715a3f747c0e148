// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What stands in XML before the first element. gmetad sends its document type there, which nobody needs: it is taken out, so
 * that no parser ever sees a declaration. Stateless.
 */
final class Prolog {
    private static final int MOST = 1 << 16;
    private static final String DOCTYPE = "<!DOCTYPE";

    private Prolog() {}

    /**
     * The same text with spaces in place of its document type, so that places in it stay what they are. A document type that
     * hides its end in a quoted text leaves something behind that is no XML.
     *
     * @throws AnswerException if there is too much of it, or it is no text of one byte a character
     */
    static InputStream withoutDocumentType(InputStream in) throws IOException {
        BufferedInputStream rest = new BufferedInputStream(in, MOST);
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        int before = -1;
        for (int now = rest.read(); now >= 0; now = rest.read()) {
            taken.write(now);
            if (now == 0) {
                throw new AnswerException("the answer is no XML that gmetad writes: it has a zero byte");
            }
            if (taken.size() > MOST) {
                throw new AnswerException(
                        "the answer has more than " + MOST + " bytes before its first element, which no gmetad's has");
            }
            if (before == '<' && Character.isLetter(now) && !inDocumentType(taken.toByteArray())) {
                break;
            }
            before = now;
        }
        return new SequenceInputStream(new ByteArrayInputStream(blanked(taken.toByteArray())), rest);
    }

    private static boolean inDocumentType(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int start = text.indexOf(DOCTYPE);
        return start >= 0 && end(text, start) < 0;
    }

    private static byte[] blanked(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int start = text.indexOf(DOCTYPE);
        if (start < 0) {
            return bytes;
        }
        int end = end(text, start);
        byte[] blank = Arrays.copyOf(bytes, bytes.length);
        for (int i = start; i < (end < 0 ? bytes.length : end); i++) {
            blank[i] = blank[i] == '\n' ? blank[i] : (byte) ' ';
        }
        return blank;
    }

    /** Behind its last character; negative if it has no end yet. */
    private static int end(String text, int start) {
        int bracket = text.indexOf('[', start);
        int angle = text.indexOf('>', start);
        if (bracket >= 0 && (angle < 0 || bracket < angle)) {
            int closed = text.indexOf(']', bracket);
            angle = closed < 0 ? -1 : text.indexOf('>', closed);
        }
        return angle < 0 ? -1 : angle + 1;
    }
}
