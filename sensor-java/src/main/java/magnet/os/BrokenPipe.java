// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Tells a reader that went away from an output that cannot be written: Java's streams do not. Stateless. */
public final class BrokenPipe {
    private static final String IN_ENGLISH = "Broken pipe";

    private BrokenPipe() {}

    /** Whether writing failed because nobody reads any more (EPIPE). */
    public static boolean is(IOException e) {
        String message = String.valueOf(e.getMessage());
        return message.equals(IN_ENGLISH) || message.equals(inTheLanguageOfTheUser());
    }

    /** The JVM has it from the C library, which speaks the language of LC_MESSAGES. */
    private static String inTheLanguageOfTheUser() {
        try {
            Libc.require();
            return Libc.strerror(Errno.EPIPE.number());
        } catch (UncheckedIOException e) {
            return IN_ENGLISH;
        }
    }
}
