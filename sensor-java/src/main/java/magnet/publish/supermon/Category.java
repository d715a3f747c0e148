// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.util.List;

/**
 * What belongs together in a sample, and is asked for by one bit. Immutable.
 *
 * @param name what it is called
 * @param bit its bit in a mask
 * @param sources what each variable has a value of, such as CPUs; empty where there is one value
 * @param variables its variables
 */
record Category(String name, long bit, List<String> sources, List<Variable> variables) {
    /** What a variable's values are. The letters stand in a description. */
    enum Kind {
        /** A whole number, not negative. */
        UNSIGNED("U"),
        /** A number with a point. Of magnet's own. */
        DECIMAL("F"),
        /** A text. */
        STRING("S");

        private final String letter;

        Kind(String letter) {
            this.letter = letter;
        }

        String letter() {
            return letter;
        }
    }

    /**
     * A variable.
     *
     * @param name what it is called
     * @param kind what its values are
     * @param values one for each source, as they are written
     */
    record Variable(String name, Kind kind, List<String> values) {
        Variable {
            values = List.copyOf(values);
        }
    }

    Category {
        sources = List.copyOf(sources);
        variables = List.copyOf(variables);
    }

    /** One without sources. */
    Category(String name, long bit, List<Variable> variables) {
        this(name, bit, List.of(), variables);
    }
}
