// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

/**
 * A token of gmond.conf. Immutable.
 *
 * @param kind what it is
 * @param text its text, without quotes and escapes
 * @param line line that it ends on, from 1
 */
record GmondToken(Kind kind, String text, int line) {
    enum Kind {
        STRING,
        OPEN_BRACE,
        CLOSE_BRACE,
        OPEN_PARENTHESIS,
        CLOSE_PARENTHESIS,
        EQUALS,
        APPEND,
        COMMA,
        END
    }
}
