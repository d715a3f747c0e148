// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

/**
 * Understands what a client sends, byte for byte, wherever it is cut: {@code 0x} and hex digits say which categories it wants
 * from now on, {@code S} asks for a sample, {@code #} for the description, {@code R} lets a concentrator connect anew, {@code Q} ends the connection. All else means
 * nothing: clients send line ends, quotes, and more. Of a mask the last 16 digits count. For one thread; needs no memory
 * but its own.
 */
final class RequestReader {
    /** Who does what is asked for. */
    interface Requests {
        /** Sends a sample of the categories in the mask. */
        void sample(long mask);

        /** Sends what those categories are. */
        void describe(long mask);

        /** Tries again whom a concentrator could not reach. */
        void reconnect();

        /** Closes the connection once all answers are sent. */
        void quit();
    }

    /** What the bytes before this one were. */
    private enum Before {
        NOTHING,
        ZERO,
        PREFIX,
        DIGITS
    }

    private static final int DIGIT_BITS = 4;
    private static final int RADIX = 16;

    private Before before = Before.NOTHING;
    private long digits;
    private long mask = ~0L;

    /** Takes the next byte. */
    void accept(byte next, Requests requests) {
        char character = (char) (next & 0xff);
        int digit = Character.digit(character, RADIX);
        switch (before) {
            case ZERO -> {
                if (character == 'x' || character == 'X') {
                    before = Before.PREFIX;
                    digits = 0;
                    return;
                }
            }
            case PREFIX, DIGITS -> {
                if (digit >= 0) {
                    before = Before.DIGITS;
                    digits = digits << DIGIT_BITS | digit;
                    return;
                }
                mask = before == Before.DIGITS ? digits : mask;
            }
            default -> {}
        }
        before = character == '0' ? Before.ZERO : Before.NOTHING;
        command(character, requests);
    }

    private void command(char character, Requests requests) {
        switch (character) {
            case 'S' -> requests.sample(mask);
            case '#' -> requests.describe(mask);
            case 'R' -> requests.reconnect();
            case 'Q' -> requests.quit();
            default -> {}
        }
    }
}
