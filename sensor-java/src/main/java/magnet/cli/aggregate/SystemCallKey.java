// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import magnet.record.WordKind;

/**
 * System calls as keys: 32-bit programs have numbers of their own, so that one number is two calls. Stateless.
 *
 * <pre>
 * 63        32 31         0
 * +-----------+------------+
 * | 1: 32-bit |   number   |
 * +-----------+------------+
 * </pre>
 */
final class SystemCallKey {
    private static final long COMPAT = 1;

    private SystemCallKey() {}

    /** A key. A number of more than 32 bits, such as the -1 of a debugger, is no call and stays as it is. */
    static long of(WordKind kind, long number) {
        boolean compat = kind == WordKind.COMPAT_SYSTEM_CALL && number >>> Integer.SIZE == 0;
        return compat ? (COMPAT << Integer.SIZE) | number : number;
    }

    /** Whether it is a 32-bit program's. */
    static boolean isCompat(long key) {
        return key >>> Integer.SIZE == COMPAT;
    }

    /** The call's number. */
    static long number(long key) {
        return isCompat(key) ? key & 0xffff_ffffL : key;
    }
}
