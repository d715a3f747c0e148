// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;

/** Is told how far the measurement is. */
@FunctionalInterface
public interface Progress {
    /** Something begins. */
    void at(String what) throws IOException;
}
