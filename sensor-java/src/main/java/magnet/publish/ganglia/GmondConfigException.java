// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

/** gmond.conf cannot be used; the message says where and why, in one line. */
public final class GmondConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    GmondConfigException(String message) {
        super(message);
    }

    GmondConfigException(String file, int line, String what) {
        this(file + ":" + line + ": " + what);
    }
}
