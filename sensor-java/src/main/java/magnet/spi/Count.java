// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

/** A sum over the trailing window. For the handlers' thread; allocates nothing. */
public interface Count {
    /** Adds to it. */
    void add(long amount);
}
