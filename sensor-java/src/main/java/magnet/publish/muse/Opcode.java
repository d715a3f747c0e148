// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

/** What a client can ask for; the number on the wire is the place in this list. */
enum Opcode {
    HELP,
    CREATE,
    QUERY_MAPPER,
    QUERY_HANDLER,
    DESTROY,
    START,
    STOP,
    RESET_FILTERS,
    ADD_FILTER,
    GET,
    QUIT;

    private static final Opcode[] ALL = values();

    /**
     * The one of a number.
     *
     * @throws RefusedException if there is none
     */
    static Opcode of(int number) throws RefusedException {
        if (number >= ALL.length) {
            throw new RefusedException("there is no command " + number + ", 0 to " + (ALL.length - 1) + " there are");
        }
        return ALL[number];
    }

    /** Whether a number is that of this one. */
    boolean is(int number) {
        return number < ALL.length && ALL[number] == this;
    }
}
