// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

/** What a {@link Collector} counts. */
public enum CollectorCounter {
    /** Records handed on, LOST and CLOCK records and unknown events included. */
    RECORDS("records"),
    /** Bytes read. */
    BYTES("bytes"),
    /** Events that LOST records say were dropped. */
    LOST("lost"),
    /** Records handed on after a younger one of another CPU; CLOCK records, which nobody is shown, are not among them. */
    LATE("late"),
    /** Times that the timer jumped or began anew. */
    EPOCHS("epochs"),
    /** Records passed over because no module writes such a one, of that CPU. */
    MALFORMED("malformed"),
    /** Bytes that were thrown away with them. */
    CORRUPT_BYTES("corrupt_bytes"),
    /** Times that the files were read. */
    ROUNDS("rounds"),
    /** Reads that returned something. */
    READS("reads");

    private final String label;

    CollectorCounter(String label) {
        this.label = label;
    }

    /** Its name, as it is printed. */
    public String label() {
        return label;
    }
}
