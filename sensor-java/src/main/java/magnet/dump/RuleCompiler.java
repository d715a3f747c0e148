// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import magnet.dump.Formula.Address;
import magnet.dump.Formula.All;
import magnet.dump.Formula.Any;
import magnet.dump.Formula.Value;

/**
 * Makes a chain of rules for the kernel out of an expression: one rule for each way in which it can be true, and one that
 * drops the rest (docs/control.md). What rules cannot say is taken as true, so that the chain lets at least all pass that
 * the expression is true of. The same is done when there would be too many rules. Stateless.
 */
final class RuleCompiler {
    /** Room for rules before these and the one that drops the rest. */
    private static final int TERMS_MAX = 60;

    private static final int TESTS_MAX = 16;
    private static final int RULE_MAX = 511;
    /** {@code MAGNET_RULES_SIZE}, less what may stand before. */
    private static final int CHAIN_MAX = 4_095 - 64;

    private final Site site;
    private boolean exact = true;

    private RuleCompiler(Site site) {
        this.site = site;
    }

    /**
     * The rules of a point.
     *
     * @param rules separated by {@code ;}; empty if everything passes
     * @param isNothing whether the expression is true of nothing there
     * @param isExact whether they let exactly that pass that the expression is true of
     */
    record Rules(String rules, boolean isNothing, boolean isExact) {
        Optional<String> text() {
            return rules.isEmpty() ? Optional.empty() : Optional.of(rules);
        }
    }

    static Rules compile(Expression expression, Site site) {
        RuleCompiler compiler = new RuleCompiler(site);
        List<Term> may = compiler.terms(expression.may());
        List<Term> must = compiler.terms(expression.must());
        compiler.exact &= Set.copyOf(may).equals(Set.copyOf(must));
        return compiler.rules(may);
    }

    private Rules rules(List<Term> terms) {
        if (terms.isEmpty()) {
            return new Rules("drop", true, exact);
        }
        if (terms.contains(Term.TRUE)) {
            return new Rules("", false, exact);
        }
        Set<String> rules = new LinkedHashSet<>();
        for (Term term : terms) {
            rules.add(rule(term));
        }
        rules.add("drop");
        String chain = String.join("; ", rules);
        if (chain.length() > CHAIN_MAX) {
            exact = false;
            return new Rules("", false, false);
        }
        return new Rules(chain, false, exact);
    }

    private String rule(Term term) {
        List<String> tests = new ArrayList<>(term.tests());
        String rule = "log if " + String.join(" and ", tests);
        while (tests.size() > TESTS_MAX || rule.length() > RULE_MAX) {
            exact = false;
            tests.remove(tests.size() - 1);
            rule = "log if " + String.join(" and ", tests);
        }
        return rule;
    }

    /** The ways in which a formula can be true; none if it cannot. */
    private List<Term> terms(Formula formula) {
        if (formula instanceof All all) {
            return all(all);
        }
        if (formula instanceof Any any) {
            return any(any);
        }
        return formula instanceof Value value ? value(value) : address((Address) formula);
    }

    private List<Term> all(All all) {
        List<Term> product = List.of(Term.TRUE);
        for (Formula part : all.parts()) {
            List<Term> factors = terms(part);
            Set<Term> next = new LinkedHashSet<>();
            for (Term one : product) {
                for (Term other : factors) {
                    one.and(other).ifPresent(next::add);
                }
            }
            if (next.size() > TERMS_MAX) {
                exact = false;
            } else {
                product = List.copyOf(next);
            }
        }
        return product;
    }

    private List<Term> any(Any any) {
        Set<Term> sum = new LinkedHashSet<>();
        for (Formula part : any.parts()) {
            sum.addAll(terms(part));
        }
        if (sum.size() > TERMS_MAX && !sum.contains(Term.TRUE)) {
            exact = false;
            return List.of(Term.TRUE);
        }
        return sum.contains(Term.TRUE) ? List.of(Term.TRUE) : List.copyOf(sum);
    }

    private List<Term> value(Value value) {
        Ranges wanted = value.ranges();
        Ranges possible = site.fixed().get(value.field());
        if (possible != null) {
            Ranges common = wanted.intersect(possible);
            if (common.isEmpty()) {
                return List.of();
            }
            if (common.equals(possible)) {
                return List.of(Term.TRUE);
            }
        }
        if (wanted.isEmpty()) {
            return List.of();
        }
        if (wanted.isFull()) {
            return List.of(Term.TRUE);
        }
        if (!site.askable().contains(value.field())) {
            exact = false;
            return List.of(Term.TRUE);
        }
        return List.of(Term.of(value));
    }

    private List<Term> address(Address address) {
        if (!site.askable().contains(address.field())) {
            exact = false;
            return List.of(Term.TRUE);
        }
        return List.of(Term.of(address));
    }
}
