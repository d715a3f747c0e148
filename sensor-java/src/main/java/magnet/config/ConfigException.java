// SPDX-License-Identifier: Apache-2.0
package magnet.config;

/** magnet.conf cannot be used; the message says where and why, in one line. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message where and why, in one line */
    public ConfigException(String message) {
        super(message);
    }
}
