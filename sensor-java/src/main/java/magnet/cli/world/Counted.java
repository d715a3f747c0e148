// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

/** A number with its noun, as people say it: 1 warning, 2 warnings. Stateless. */
public final class Counted {
    private Counted() {}

    /**
     * A number with a noun that takes an {@code s}.
     *
     * @param noun for one
     */
    public static String of(long number, String noun) {
        return of(number, noun, noun + "s");
    }

    /** Of a noun that has another plural. */
    public static String of(long number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    /** The same with its verb, for what was done to them: 1 event was, 2 events were. */
    public static String were(long number, String noun) {
        return of(number, noun) + (number == 1 ? " was" : " were");
    }

    /** The verb for what so many are, where other words stand between. */
    public static String are(long number) {
        return number == 1 ? "is" : "are";
    }
}
