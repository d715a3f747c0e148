// SPDX-License-Identifier: Apache-2.0
package magnet.spi;

import java.util.Objects;

/**
 * What a metric is. Immutable. Texts are printable ASCII without {@code & < > " '}, not empty.
 *
 * @param what part of its name: lower case letters, digits and single {@code _}, at most 40 characters
 * @param unit unit of the published number, at most 32 characters
 * @param title title of its graph, at most 80 characters
 * @param text what it says, at most 400 characters
 * @param group Ganglia group that it is shown in: letters, digits, {@code _}, {@code -} and {@code .}
 */
public record Description(String what, String unit, String title, String text, String group) {
    public Description {
        Objects.requireNonNull(what);
        Objects.requireNonNull(unit);
        Objects.requireNonNull(title);
        Objects.requireNonNull(text);
        Objects.requireNonNull(group);
    }

    /** One that is shown with other handlers' metrics. */
    public Description(String what, String unit, String title, String text) {
        this(what, unit, title, text, "magnet_handlers");
    }
}
