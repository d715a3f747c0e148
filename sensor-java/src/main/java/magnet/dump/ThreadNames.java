// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What threads are called: records do not say, so {@code /proc} is asked when a thread is seen, and again after a second,
 * since it may run another program by then. One that has ended before it was asked for has no name. Keeps
 * {@value #PLACES} names, in pairs of places, so that two threads do not take each other's. For one thread.
 */
public final class ThreadNames {
    private static final int PLACES = 4_096;
    private static final long STALE_NS = 1_000_000_000;
    private static final int FIRST_PRINTABLE = 0x21;
    private static final int LAST_PRINTABLE = 0x7e;

    private final Path proc;
    private final int[] threads = new int[PLACES];
    private final long[] asked = new long[PLACES];
    private final @Nullable String[] names = new String[PLACES];

    /** @param proc where proc is mounted */
    public ThreadNames(Path proc) {
        this.proc = proc;
    }

    /** Makes sure that the name of a thread is known, if it can be. */
    void note(int thread, long nowNanos) {
        int place = place(thread);
        if (thread != 0 && (threads[place] != thread || nowNanos - asked[place] > STALE_NS)) {
            boolean another = threads[place] != thread;
            String name = ask(thread);
            if (another || !name.isEmpty()) {
                names[place] = name;
            }
            threads[place] = thread;
            asked[place] = nowNanos;
        }
    }

    /** Its name in printable ASCII, without spaces; empty if it is not known. */
    String name(int thread) {
        if (thread == 0) {
            return "idle";
        }
        int place = place(thread);
        String name = names[place];
        return threads[place] == thread && name != null ? name : "";
    }

    /** Where the thread is, else the place of its pair that was asked for longer ago. */
    private int place(int thread) {
        int first = thread * 2 & (PLACES - 1);
        int second = first + 1;
        if (threads[first] == thread) {
            return first;
        }
        return threads[second] == thread || asked[second] - asked[first] < 0 ? second : first;
    }

    private String ask(int thread) {
        try {
            byte[] name =
                    Files.readAllBytes(proc.resolve(Integer.toString(thread)).resolve("comm"));
            return printable(new String(name, StandardCharsets.ISO_8859_1).replace("\n", ""));
        } catch (IOException e) {
            return "";
        }
    }

    private static String printable(String name) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c >= FIRST_PRINTABLE && c <= LAST_PRINTABLE) {
                text.append(c);
            } else {
                text.append("\\x%02x".formatted((int) c));
            }
        }
        return text.toString();
    }
}
