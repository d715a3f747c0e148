// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.util.List;

/** The two shapes of a sample that clients are known to expect. Stateless. */
public enum ReplyFormat {
    /** {@code ((D CATEGORY MASK NODE DATA) ...)}, as at Los Alamos. */
    LANL {
        @Override
        long bit(StandardCategory category) {
            return category.lanlBit();
        }

        @Override
        void write(Sexp sexp, SampledHost node, List<Category> categories) {
            sexp.open();
            for (Category category : categories) {
                sexp.open().atom("D").atom(category.name()).hex(category.bit()).hex(node.address());
                boolean several = category.variables().size() != 1;
                if (several) {
                    sexp.open();
                }
                writeVariables(sexp, category);
                if (several) {
                    sexp.close();
                }
                sexp.close();
            }
            sexp.close();
        }
    },
    /** {@code ((HOST ((CATEGORY (mask MASK) (node NODE) (VARIABLE VALUES) ...) ...)))}, as of Linux Labs. */
    LINUXLABS {
        @Override
        long bit(StandardCategory category) {
            return category.linuxLabsBit();
        }

        @Override
        void write(Sexp sexp, SampledHost node, List<Category> categories) {
            sexp.open().open().atom(node.name()).open();
            for (Category category : categories) {
                sexp.open().atom(category.name());
                sexp.open().atom("mask").hex(category.bit()).close();
                sexp.open().atom("node").hex(node.address()).close();
                writeVariables(sexp, category);
                sexp.close();
            }
            sexp.close().close().close();
        }
    };

    /** Ends a reply: readers of s-expressions pass it over, readers of lines stop at the empty one. */
    static final String END = "\n\n";

    /** The bit that stands for a category. */
    abstract long bit(StandardCategory category);

    abstract void write(Sexp sexp, SampledHost node, List<Category> categories);

    /** A sample with its end. */
    String sample(SampledHost node, List<Category> categories) {
        if (categories.isEmpty()) {
            return "()" + END;
        }
        Sexp sexp = new Sexp();
        write(sexp, node, categories);
        return sexp + END;
    }

    /** What a sample of one category consists of, without the sample's own parentheses. */
    String element(SampledHost node, Category category) {
        Sexp sexp = new Sexp();
        write(sexp, node, List.of(category));
        String sample = sexp.toString();
        return sample.substring(1, sample.length() - 1);
    }

    /** What the categories of this node are, with the end. */
    static String description(List<Category> categories) {
        return description(categories, 1);
    }

    /** What the categories are, with the end: {@code ((CATEGORY MASK 0 ((TYPE VARIABLE (SOURCE 0 0) ...) ...)) ... (nodes NODES))}. */
    static String description(List<Category> categories, int nodes) {
        Sexp sexp = new Sexp().open();
        for (Category category : categories) {
            sexp.open().atom(category.name()).hex(category.bit()).atom("0").open();
            for (Category.Variable variable : category.variables()) {
                sexp.open().atom(variable.kind().letter()).atom(variable.name());
                category.sources()
                        .forEach(source ->
                                sexp.open().atom(source).atom("0").atom("0").close());
                sexp.close();
            }
            sexp.close().close();
        }
        return sexp.open().atom("nodes").atom(Integer.toString(nodes)).close().close() + END;
    }

    private static void writeVariables(Sexp sexp, Category category) {
        for (Category.Variable variable : category.variables()) {
            sexp.open().atom(variable.name());
            variable.values().forEach(sexp::atom);
            sexp.close();
        }
    }
}
