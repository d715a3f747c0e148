// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import magnet.record.WordKind;

/**
 * What a number of a key stands for.
 *
 * @param value how it is read where it has no word
 * @param words which words it has; {@link WordKind#NUMBER} for none
 */
record KeyKind(ValueKind value, WordKind words) {
    /** Which words a key of it has: 32-bit programs have system calls of their own. */
    WordKind wordsOf(long key) {
        return words == WordKind.SYSTEM_CALL && SystemCallKey.isCompat(key) ? WordKind.COMPAT_SYSTEM_CALL : words;
    }

    /** The number in a key of it. */
    long numberIn(long key) {
        return words == WordKind.SYSTEM_CALL ? SystemCallKey.number(key) : key;
    }
}
