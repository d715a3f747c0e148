// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a thread that runs is called now, as {@code /proc} tells. Stateless. */
public final class ThreadComm {
    private ThreadComm() {}

    /**
     * The name, each character a byte of it; empty if there is no such thread any more.
     *
     * @param proc where proc is mounted
     */
    public static String of(Path proc, int thread) {
        try {
            byte[] name =
                    Files.readAllBytes(proc.resolve(Integer.toString(thread)).resolve("comm"));
            // The kernel ends the line; all before its end is the name, blanks and line feeds too.
            int length = name.length > 0 && name[name.length - 1] == '\n' ? name.length - 1 : name.length;
            return new String(name, 0, length, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
