// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.recording;

import java.util.Locale;

/** How far a recording is. */
public enum RecordingState {
    /** Its instant has not come. */
    READY,
    /** It records. */
    RECORDING,
    /** It has ended when it should. */
    DONE,
    /** It has ended before, and says why. */
    FAILED;

    /** Whether there is more to come. */
    public boolean isActive() {
        return this == READY || this == RECORDING;
    }

    /** Its name in answers and files. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The one of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    static RecordingState ofLabel(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }
}
