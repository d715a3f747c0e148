// SPDX-License-Identifier: Apache-2.0
package magnet.summary;

/**
 * A quantity over the trailing window, kept in slots: what is recorded goes to the current one. For one thread.
 */
public interface Windowed {

    /** Makes the oldest slot the current one and empties it. */
    void advance();
}
