// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import magnet.os.Errno;

/** Refusals of the kernel, for tests of what stands on {@link MagnetControl}. */
public final class Refusal {
    private Refusal() {}

    public static ControlException of(String request, Errno errno, String kernelText) {
        return new ControlException(request, errno.number(), kernelText);
    }
}
