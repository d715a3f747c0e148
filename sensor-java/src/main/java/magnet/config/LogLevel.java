// SPDX-License-Identifier: Apache-2.0
package magnet.config;

/** How much the service logs. */
public enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE
}
