// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

/**
 * An element of a metric's EXTRA_DATA: GROUP, TITLE, DESC, SPOOF_HOST. Immutable.
 *
 * @param key its name
 * @param value its text, already safe to send
 */
record ExtraElement(String key, String value) {}
