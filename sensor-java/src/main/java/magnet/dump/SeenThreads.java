// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.nio.charset.StandardCharsets;
import java.util.function.IntFunction;
import magnet.record.RecordFlyweight;
import magnet.trace.ThreadNames;
import org.jspecify.annotations.Nullable;

/**
 * What threads are called when they have to do with a packet: as records say it, and of threads that began before, as
 * {@code /proc} does. That is asked when such a thread is seen, again after a second, and again of all threads where events
 * were lost. Keeps {@value #PLACES} names, in pairs of places, so that two threads do not take each other's. For one thread.
 */
public final class SeenThreads {
    private static final int PLACES = 4_096;
    private static final long STALE_NS = 1_000_000_000;
    private static final int FIRST_PRINTABLE = 0x21;
    private static final int LAST_PRINTABLE = 0x7e;

    private final IntFunction<String> running;
    private final ThreadNames told = ThreadNames.ofRunning(thread -> "");
    private final int[] threads = new int[PLACES];
    private final long[] asked = new long[PLACES];
    /** How much {@link #told} had been told when it was last looked there. */
    private final long[] looked = new long[PLACES];

    /** Losses until then. */
    private final long[] losses = new long[PLACES];

    private final boolean[] isTold = new boolean[PLACES];
    private final @Nullable String[] names = new String[PLACES];

    /** @param running tells what a thread is called now, each character a byte of it; empty if it cannot */
    public SeenThreads(IntFunction<String> running) {
        this.running = running;
    }

    /** A record that may say what a thread is called from here on, or that such records were lost. */
    void learn(RecordFlyweight record) {
        told.onRecord(record);
    }

    /** Of a CPU's events nothing is known for a while. */
    void onGap(int cpu) {
        told.onGap(cpu);
    }

    /** Makes sure that the name of a thread is known, if it can be. */
    void note(int thread, long nowNanos) {
        if (thread == 0) {
            return;
        }
        int place = place(thread);
        boolean another = threads[place] != thread;
        if (another || looked[place] != told.changes()) {
            looked[place] = told.changes();
            takeTold(place, thread, nowNanos);
        }
        another = threads[place] != thread || losses[place] != told.losses();
        if (another || (!isTold[place] && nowNanos - asked[place] > STALE_NS)) {
            String name = printableBytes(running.apply(thread));
            if (another || !name.isEmpty()) {
                names[place] = name;
            }
            take(place, thread, nowNanos, false);
        }
    }

    /** What records say goes before what /proc says, which may be of later. */
    private void takeTold(int place, int thread, long nowNanos) {
        String name = told.told(thread);
        if (!name.isEmpty()) {
            names[place] = printableBytes(name);
            take(place, thread, nowNanos, true);
        }
    }

    private void take(int place, int thread, long nowNanos, boolean byRecord) {
        isTold[place] = byRecord;
        threads[place] = thread;
        asked[place] = nowNanos;
        losses[place] = told.losses();
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

    /** A text of any characters as printable ASCII, byte by byte. */
    static String printable(String text) {
        return printableBytes(new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1));
    }

    private static String printableBytes(String name) {
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
