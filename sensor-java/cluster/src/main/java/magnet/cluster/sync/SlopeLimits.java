// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.sync;

/**
 * What the rate of one clock in that of another can be, apart from what packets say. Immutable.
 *
 * @param least seconds of the second clock in one of the first, less 1
 * @param greatest the same; at least {@code least}
 */
record SlopeLimits(double least, double greatest) {
    /** No clock of a computer is further from its nominal frequency, not even one that the kernel has misjudged. */
    static final SlopeLimits OF_ANY = new SlopeLimits(-1e-3, 1e-3);

    SlopeLimits {
        if (!(least <= greatest)) {
            throw new IllegalArgumentException("least=" + least + " greatest=" + greatest);
        }
    }
}
