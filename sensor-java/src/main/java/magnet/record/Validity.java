// SPDX-License-Identifier: Apache-2.0
package magnet.record;

/** What a check of a record against the bytes at hand found. */
public enum Validity {
    /** The whole record is there, and its size is one that the kernel writes. */
    VALID,
    /** The bytes end before the record does; what is there is not wrong. More bytes may mend it. */
    TRUNCATED,
    /** No module writes such a record. Where the next one begins is not known. */
    CORRUPT
}
