// SPDX-License-Identifier: Apache-2.0
package magnet.config;

/**
 * A key of {@code magnet.conf}. Immutable.
 *
 * @param section where it stands
 * @param key its name there
 * @param defaultText the value that counts when the file does not give one, as it would be written there
 * @param allowed what a value may be, to follow "allowed is"
 */
public record ConfigKey(String section, String key, String defaultText, String allowed) {
    /** {@code section.key}, as a param of gmond.conf is called. */
    String fullName() {
        return section + "." + key;
    }

    boolean is(String itsSection, String itsKey) {
        return section.equals(itsSection) && key.equals(itsKey);
    }
}
