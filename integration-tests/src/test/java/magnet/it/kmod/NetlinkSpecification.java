// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import magnet.it.guest.Tree;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What {@code magnet.yaml} promises; numbers are, as in every such file, places in its lists, from 1. Immutable. */
final class NetlinkSpecification {
    /** The set that all others are part of. */
    static final String ALL = "a";

    /** An attribute; what it does not have is empty, or -1. */
    record Attribute(String name, String type, String nested, int longest, long values) {}

    private final Map<?, ?> root;
    private final Map<Integer, Attribute> attributes = new LinkedHashMap<>();
    private final Map<Integer, Map<?, ?>> operations = new LinkedHashMap<>();

    private NetlinkSpecification(Map<?, ?> root) {
        this.root = root;
        for (Object attribute : list(set(ALL), "attributes")) {
            attributes.put(attributes.size() + 1, attribute((Map<?, ?>) attribute));
        }
        for (Object operation : list(map(root, "operations"), "list")) {
            operations.put(operations.size() + 1, (Map<?, ?>) operation);
        }
    }

    static NetlinkSpecification read() {
        try {
            String text = Files.readString(Tree.root().resolve("sensor-kmod/magnet.yaml"));
            return new NetlinkSpecification(new Yaml(new SafeConstructor(new LoaderOptions())).load(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The attribute of this number. */
    Attribute attribute(int number) {
        return Objects.requireNonNull(attributes.get(number), () -> "no attribute " + number);
    }

    /** Numbers of all operations that are asked for in this way: "do", "dump", "event". */
    Set<Integer> operations(String way) {
        Set<Integer> found = new TreeSet<>(operations.keySet());
        found.removeIf(number -> !operation(number).containsKey(way));
        return found;
    }

    /** Name of an operation. */
    String name(int operation) {
        return Objects.toString(operation(operation).get("name"));
    }

    /** Names of the attributes of its requests. */
    Set<String> request(int operation) {
        return names(map(map(operation(operation), "do"), "request"));
    }

    /** Names of the attributes of its replies, or of the notice that it is; empty if it is only acknowledged. */
    Set<String> answer(int operation) {
        Map<?, ?> found = operation(operation);
        Set<String> names = new TreeSet<>(names(map(found, "event")));
        names.addAll(names(map(map(found, "do"), "reply")));
        names.addAll(names(map(map(found, "dump"), "reply")));
        return names;
    }

    /** Names of the sets that attributes contain. */
    Set<String> nestedSets() {
        Set<String> names = new TreeSet<>();
        attributes.values().forEach(attribute -> names.add(attribute.nested()));
        names.remove("");
        return names;
    }

    /** Names of the attributes of a set. */
    Set<String> members(String set) {
        Set<String> names = new TreeSet<>();
        list(set(set), "attributes").forEach(entry -> names.add(text((Map<?, ?>) entry, "name")));
        return names;
    }

    private Map<?, ?> operation(int number) {
        return Objects.requireNonNull(operations.get(number), () -> "no operation " + number);
    }

    private Attribute attribute(Map<?, ?> attribute) {
        return new Attribute(
                text(attribute, "name"),
                text(attribute, "type"),
                text(attribute, "nested-attributes"),
                map(attribute, "checks").get("max-len") instanceof Integer longest ? longest : -1,
                attribute.containsKey("enum") ? values(text(attribute, "enum")) : -1);
    }

    /** How many values an enumeration has, or combinations of its flags. */
    private long values(String definition) {
        Map<?, ?> found = named(list(root, "definitions"), definition);
        int entries = list(found, "entries").size();
        return text(found, "type").equals("flags") ? 1L << entries : entries;
    }

    private Map<?, ?> set(String name) {
        return named(list(root, "attribute-sets"), name);
    }

    private static Map<?, ?> named(List<?> list, String name) {
        for (Object entry : list) {
            if (text((Map<?, ?>) entry, "name").equals(name)) {
                return (Map<?, ?>) entry;
            }
        }
        throw new AssertionError("magnet.yaml has no " + name);
    }

    private static Set<String> names(Map<?, ?> message) {
        Set<String> names = new TreeSet<>();
        list(message, "attributes").forEach(name -> names.add(name.toString()));
        return names;
    }

    private static Map<?, ?> map(Map<?, ?> from, String key) {
        return from.get(key) instanceof Map<?, ?> found ? found : Map.of();
    }

    private static List<?> list(Map<?, ?> from, String key) {
        return from.get(key) instanceof List<?> found ? found : List.of();
    }

    private static String text(Map<?, ?> from, String key) {
        @Nullable Object found = from.get(key);
        return found == null ? "" : found.toString();
    }
}
