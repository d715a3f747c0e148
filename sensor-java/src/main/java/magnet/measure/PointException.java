// SPDX-License-Identifier: Apache-2.0
package magnet.measure;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A point cannot be subscribed on this kernel; the message says why. Who measures goes on without it. */
public final class PointException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable IOException refusal;

    /** @param message why */
    public PointException(String message) {
        super(message);
        this.refusal = null;
    }

    /**
     * A refusal by the kernel.
     *
     * @param message why
     * @param refusal its answer
     */
    public PointException(String message, IOException refusal) {
        super(message, refusal);
        this.refusal = refusal;
    }

    /** The kernel's answer, for whoever cannot go on without the point; empty if it was not asked. */
    public Optional<IOException> refusal() {
        return Optional.ofNullable(refusal);
    }
}
