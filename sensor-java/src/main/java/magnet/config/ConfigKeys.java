// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Every key of {@code magnet.conf}: the service's, and those of its sinks. Immutable. */
final class ConfigKeys {
    private final List<ConfigKey> all = new ArrayList<>(ServiceKeys.ALL);

    /** @param sinks those that there are */
    ConfigKeys(List<? extends SinkSection<?>> sinks) {
        sinks.forEach(sink -> all.addAll(sink.keys()));
    }

    List<ConfigKey> all() {
        return all;
    }

    Optional<ConfigKey> find(String section, String key) {
        return all.stream().filter(each -> each.is(section, key)).findFirst();
    }

    List<String> sections() {
        return all.stream().map(ConfigKey::section).distinct().toList();
    }

    List<String> keysOf(String section) {
        return all.stream()
                .filter(each -> each.section().equals(section))
                .map(ConfigKey::key)
                .toList();
    }
}
