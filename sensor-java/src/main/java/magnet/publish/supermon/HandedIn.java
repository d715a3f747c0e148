// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import magnet.publish.supermon.Category.Kind;
import magnet.publish.supermon.Category.Variable;

/**
 * Values that programs of this node hand in, {@code (NAME VALUE ...)}, each kept for {@value #KEEP_SECONDS} s. A name is that
 * user's who has given it a value, as long as that is kept; a user has {@value #NAMES_OF_USER} of them, all have
 * {@value #NAMES}. For one thread.
 */
final class HandedIn {
    static final String NAME = "monhole";
    static final long BIT = 0x80000;
    static final int KEEP_SECONDS = 60;
    static final int NAMES_OF_USER = 64;
    static final int NAMES = 1_024;
    static final int VALUES = 64;

    private static final Pattern NAME_FORM = Pattern.compile("[A-Za-z][A-Za-z0-9_.:/-]{0,63}");
    private static final Pattern WHOLE = Pattern.compile("\\d+");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?");

    /** A name's values, whose they are, and since when. */
    private record Kept(String user, Variable variable, long nanos) {}

    private final LongSupplier nanoClock;
    private final Map<String, Kept> kept = new TreeMap<>();

    HandedIn(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    /**
     * Takes values, in place of those that the name has.
     *
     * @param expression as a {@link SexpReader} has found it
     * @throws IOException if they cannot be taken; the message says why
     */
    void take(String user, String expression) throws IOException {
        List<String> fields = SexpText.elements(expression);
        if (fields.size() < 2 || fields.size() > VALUES + 1) {
            throw new IOException("give (NAME VALUE ...), 1 to " + VALUES + " values");
        }
        String name = fields.get(0);
        if (!NAME_FORM.matcher(name).matches()) {
            throw new IOException("a name begins with a letter and has up to 64 of letters, digits and _.:/-");
        }
        forgetOld();
        Kept before = kept.get(name);
        if (before != null && !before.user.equals(user)) {
            throw new IOException(name + " is another user's");
        }
        if (before == null) {
            checkRoom(user);
        }
        List<String> values =
                fields.subList(1, fields.size()).stream().map(SexpText::value).toList();
        kept.put(name, new Kept(user, new Variable(name, kind(values), values), nanoClock.getAsLong()));
    }

    private void checkRoom(String user) throws IOException {
        long own = kept.values().stream().filter(each -> each.user.equals(user)).count();
        if (own >= NAMES_OF_USER || kept.size() >= NAMES) {
            throw new IOException("too many names: a user may have " + NAMES_OF_USER + ", all together " + NAMES);
        }
    }

    /** What is kept; empty if nothing is. */
    Optional<Category> category() {
        forgetOld();
        List<Variable> variables = new ArrayList<>();
        kept.values().forEach(each -> variables.add(each.variable));
        return variables.isEmpty() ? Optional.empty() : Optional.of(new Category(NAME, BIT, variables));
    }

    private void forgetOld() {
        long now = nanoClock.getAsLong();
        for (Iterator<Kept> each = kept.values().iterator(); each.hasNext(); ) {
            if (now - each.next().nanos > TimeUnit.SECONDS.toNanos(KEEP_SECONDS)) {
                each.remove();
            }
        }
    }

    private static Kind kind(List<String> values) {
        if (values.stream().allMatch(each -> WHOLE.matcher(each).matches())) {
            return Kind.UNSIGNED;
        }
        return values.stream().allMatch(each -> DECIMAL.matcher(each).matches()) ? Kind.DECIMAL : Kind.STRING;
    }
}
