// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts descriptions of several servers together: a category, a variable and a source are there once, wherever they came from,
 * with what the first one says of them. For one thread.
 */
final class Descriptions {
    private static final int FIELDS = 4;

    /** A category: its mask, whether it is bounded, and its variables. */
    private record Described(long mask, String bounded, Map<String, VariableDescribed> variables) {}

    /** A variable: its type, and its sources as they came, by their names. */
    private record VariableDescribed(String type, Map<String, String> sources) {}

    private final CategoryBits bits;
    private final Map<String, Described> categories = new LinkedHashMap<>();
    private long nodes;

    Descriptions(CategoryBits bits) {
        this.bits = bits;
    }

    /** Adds one; what has another shape is left out. */
    void add(String description) {
        for (String element : SexpText.elements(description)) {
            List<String> fields = SexpText.elements(element);
            if (fields.size() == FIELDS && !SexpText.isList(fields.get(0))) {
                addCategory(fields);
            } else if (fields.size() == 2 && fields.get(0).equals("nodes")) {
                nodes += CategoryBits.parse(fields.get(1));
            }
        }
    }

    /** Counts a node that does not describe itself. */
    void addUnknown() {
        nodes++;
    }

    /** The bits of all categories that were added. */
    long mask() {
        return categories.values().stream().mapToLong(Described::mask).reduce(0, (a, b) -> a | b);
    }

    /** What was added, of the categories in the mask. */
    String text(long mask) {
        Sexp sexp = new Sexp().open();
        categories.forEach((name, category) -> {
            if ((category.mask & mask) != 0) {
                sexp.open()
                        .atom(name)
                        .hex(category.mask)
                        .expression(category.bounded)
                        .open();
                category.variables.forEach((variable, described) -> {
                    sexp.open().expression(described.type).expression(variable);
                    described.sources.values().forEach(sexp::expression);
                    sexp.close();
                });
                sexp.close().close();
            }
        });
        return sexp.open().atom("nodes").atom(Long.toString(nodes)).close().close() + ReplyFormat.END;
    }

    private void addCategory(List<String> fields) {
        String name = SexpText.value(fields.get(0));
        long mask = bits.bit(name, CategoryBits.parse(fields.get(1)));
        Described category =
                categories.computeIfAbsent(name, any -> new Described(mask, fields.get(2), new LinkedHashMap<>()));
        for (String variable : SexpText.elements(fields.get(3))) {
            List<String> parts = SexpText.elements(variable);
            if (parts.size() >= 2) {
                VariableDescribed described = category.variables.computeIfAbsent(
                        parts.get(1), any -> new VariableDescribed(parts.get(0), new LinkedHashMap<>()));
                parts.subList(2, parts.size()).forEach(source -> described.sources.putIfAbsent(name(source), source));
            }
        }
    }

    private static String name(String source) {
        List<String> fields = SexpText.elements(source);
        return fields.isEmpty() ? source : fields.get(0);
    }
}
