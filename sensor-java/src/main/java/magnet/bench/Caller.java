// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import magnet.os.CheapCall;

/** Makes system calls; tests make up their own. */
@FunctionalInterface
public interface Caller {
    /** Makes a call so many times. */
    void repeat(CheapCall call, int times);
}
