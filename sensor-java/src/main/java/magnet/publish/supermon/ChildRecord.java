// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A category of a node, in another server's sample. Immutable.
 *
 * @param host the expression before the node's categories, in the shape of Linux Labs; empty in that of Los Alamos
 * @param category its name
 * @param mask its bit, as the other one has it
 * @param text the expression, as it came
 */
record ChildRecord(String host, String category, long mask, String text) {
    private static final int FIELDS_OF_LANL = 5;
    private static final String NODES = "(nodes ";

    /** What a sample has; what has neither of the shapes is left out. */
    static List<ChildRecord> parse(String sample) {
        List<ChildRecord> records = new ArrayList<>();
        for (String element : SexpText.elements(sample)) {
            List<String> fields = SexpText.elements(element);
            if (fields.size() == FIELDS_OF_LANL && !SexpText.isList(fields.get(1))) {
                records.add(
                        new ChildRecord("", SexpText.value(fields.get(1)), CategoryBits.parse(fields.get(2)), element));
            } else if (fields.size() == 2 && !SexpText.isList(fields.get(0))) {
                addNode(records, fields.get(0), fields.get(1));
            }
        }
        return records;
    }

    private static void addNode(List<ChildRecord> records, String host, String categories) {
        for (String category : SexpText.elements(categories)) {
            List<String> fields = SexpText.elements(category);
            if (fields.size() > 1 && !SexpText.isList(fields.get(0))) {
                records.add(new ChildRecord(host, SexpText.value(fields.get(0)), mask(fields), category));
            }
        }
    }

    private static long mask(List<String> fields) {
        for (String field : fields) {
            List<String> pair = SexpText.elements(field);
            if (pair.size() == 2 && pair.get(0).equals("mask")) {
                return CategoryBits.parse(pair.get(1));
            }
        }
        return 0;
    }

    /**
     * Whether an answer is a description, not a sample: its last element is {@code (nodes NUMBER)}.
     *
     * @param answer a whole answer
     */
    static boolean isDescription(String answer) {
        int last = answer.lastIndexOf('(');
        return answer.startsWith(NODES, last) && answer.indexOf(')', last) == answer.length() - 2;
    }

    /** Writes those that are wanted, in their order; a node's in one list, where they came so. */
    static void write(StringBuilder text, List<ChildRecord> records, long mask, CategoryBits bits) {
        String open = "";
        for (ChildRecord each : records) {
            if ((bits.bit(each.category, each.mask) & mask) == 0) {
                continue;
            }
            if (!each.host.equals(open)) {
                text.append(open.isEmpty() ? "" : "))");
                separate(text);
                text.append(each.host.isEmpty() ? "" : "(" + each.host + " (");
                open = each.host;
            }
            separate(text);
            text.append(each.text);
        }
        text.append(open.isEmpty() ? "" : "))");
    }

    private static void separate(StringBuilder text) {
        char last = text.charAt(text.length() - 1);
        if (last != '(' && last != ' ') {
            text.append(' ');
        }
    }

    /** The categories that a description names, with their bits. */
    static Map<String, Long> bits(String description) {
        Map<String, Long> bits = new HashMap<>();
        for (String element : SexpText.elements(description)) {
            List<String> fields = SexpText.elements(element);
            if (fields.size() == 4 && !SexpText.isList(fields.get(0))) {
                bits.put(SexpText.value(fields.get(0)), CategoryBits.parse(fields.get(1)));
            }
        }
        return bits;
    }
}
