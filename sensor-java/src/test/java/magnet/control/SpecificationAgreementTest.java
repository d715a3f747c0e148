// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.testing.UapiHeader;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The netlink specification, magnet.yaml, and the kernel's header must say the same, in the same order. */
final class SpecificationAgreementTest {
    private static final UapiHeader HEADER = UapiHeader.read();
    private static Map<?, ?> specification = Map.of();

    @BeforeAll
    static void readSpecification() throws IOException {
        String text = Files.readString(Path.of("../sensor-kmod/magnet.yaml"));
        specification = new Yaml(new SafeConstructor(new LoaderOptions())).load(text);
    }

    @Test
    void shouldNameTheSameAttributesInOrder() {
        Map<?, ?> set = (Map<?, ?>) ((List<?>) specification.get("attribute-sets")).get(0);

        List<String> expected = new ArrayList<>(HEADER.enumeration("magnet_a").keySet());
        expected.remove("MAGNET_A_UNSPEC");
        assertThat(names(set.get("attributes"), "MAGNET_A_")).containsExactlyElementsOf(expected);
    }

    @Test
    void shouldNameTheSameCommandsInOrder() {
        Map<?, ?> operations = (Map<?, ?>) specification.get("operations");

        List<String> expected = new ArrayList<>(HEADER.enumeration("magnet_cmd").keySet());
        expected.remove("MAGNET_CMD_UNSPEC");
        assertThat(names(operations.get("list"), "MAGNET_CMD_")).containsExactlyElementsOf(expected);
    }

    @Test
    void shouldUseOnlyAttributesThatItDefines() {
        Map<?, ?> set = (Map<?, ?>) ((List<?>) specification.get("attribute-sets")).get(0);
        List<String> defined = names(set.get("attributes"), "");
        Map<?, ?> operations = (Map<?, ?>) specification.get("operations");

        assertThat(attributesUsed(operations.get("list"))).isNotEmpty().isSubsetOf(defined);
    }

    @Test
    void shouldNameTheSameEnumEntries() {
        assertThat(entries("layout", "MAGNET_LAYOUT_"))
                .containsExactlyElementsOf(HEADER.enumeration("magnet_layout").keySet());
        assertThat(entries("clock-source", "MAGNET_CLOCK_"))
                .containsExactlyElementsOf(
                        HEADER.enumeration("magnet_clock_source").keySet());
        assertThat(entries("mechanism", "MAGNET_MECHANISM_"))
                .containsExactlyElementsOf(
                        HEADER.enumeration("magnet_mechanism").keySet());
        assertThat(entries("hook", "MAGNET_HOOK_"))
                .containsExactlyElementsOf(HEADER.enumeration("magnet_hook").keySet());
        assertThat(entries("fn-state", "MAGNET_FN_"))
                .containsExactlyElementsOf(HEADER.enumeration("magnet_fn_state").keySet());
    }

    @Test
    void shouldNameTheSameFamilyAndGroup() {
        assertThat(specification.get("name")).isEqualTo(HEADER.string("MAGNET_GENL_NAME"));
        assertThat(specification.get("version")).isEqualTo((int) HEADER.value("MAGNET_GENL_VERSION"));
        Map<?, ?> groups = (Map<?, ?>) specification.get("mcast-groups");
        assertThat(names(groups.get("list"), "")).containsExactly(lower(HEADER.string("MAGNET_GENL_MCGRP")));
    }

    private static List<String> entries(String definition, String prefix) {
        for (Object entry : (List<?>) specification.get("definitions")) {
            if (((Map<?, ?>) entry).get("name").equals(definition)) {
                return ((List<?>) ((Map<?, ?>) entry).get("entries"))
                        .stream().map(name -> constant(prefix, name)).toList();
            }
        }
        throw new AssertionError("no definition of " + definition);
    }

    private static List<String> names(Object list, String prefix) {
        return ((List<?>) list)
                .stream()
                        .map(entry -> ((Map<?, ?>) entry).get("name"))
                        .map(name -> prefix.isEmpty() ? lower(name) : constant(prefix, name))
                        .toList();
    }

    /** All names below a key "attributes", at any depth. */
    private static List<String> attributesUsed(Object node) {
        List<String> found = new ArrayList<>();
        if (node instanceof List<?> list) {
            list.forEach(entry -> found.addAll(attributesUsed(entry)));
        } else if (node instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                if (key.equals("attributes")) {
                    ((List<?>) value).forEach(name -> found.add(lower(name)));
                } else {
                    found.addAll(attributesUsed(value));
                }
            });
        }
        return found;
    }

    private static String constant(String prefix, Object name) {
        return prefix + name.toString().toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private static String lower(Object name) {
        return name.toString().toLowerCase(Locale.ROOT);
    }
}
