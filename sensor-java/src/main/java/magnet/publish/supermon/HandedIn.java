// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
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
 * user's who has given it a value, as long as that is kept; a user has {@value #NAMES_OF_USER} of them in
 * {@value #BYTES_OF_USER} bytes, all have {@value #NAMES} in {@value #BYTES}: one person may be many users. For one thread.
 */
final class HandedIn {
    static final String NAME = "monhole";
    static final long BIT = 0x80000;
    static final int KEEP_SECONDS = 60;
    static final int NAMES_OF_USER = 64;
    static final int NAMES = 1_024;
    static final int BYTES_OF_USER = 16 * 1024;
    static final int BYTES = 64 * 1024;
    static final int VALUES = 64;

    private static final Pattern NAME_FORM = Pattern.compile("[A-Za-z][A-Za-z0-9_.:/-]{0,63}");
    private static final Pattern WHOLE = Pattern.compile("\\d+");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?");

    /** A name's values, whose they are, what they take, and since when. */
    private record Kept(String user, Variable variable, int bytes, long nanos) {}

    /** What is kept together. */
    private record Share(int names, int bytes) {
        static final Share NOTHING = new Share(0, 0);

        Share plus(Share other) {
            return new Share(names + other.names, bytes + other.bytes);
        }

        Share without(Share other) {
            return new Share(names - other.names, bytes - other.bytes);
        }
    }

    private final LongSupplier nanoClock;
    private final Map<String, Kept> kept = new TreeMap<>();
    private final Map<String, Share> users = new HashMap<>();
    private Share all = Share.NOTHING;
    private long forgotNanos;

    HandedIn(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        this.forgotNanos = nanoClock.getAsLong();
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
        long now = nanoClock.getAsLong();
        if (now - forgotNanos >= TimeUnit.SECONDS.toNanos(1)) {
            forgetOld(now);
        }
        Kept before = kept.get(name);
        if (before != null && isOld(before, now)) {
            forget(before);
            kept.remove(name);
            before = null;
        }
        if (before != null && !before.user.equals(user)) {
            throw new IOException(name + " is another user's");
        }
        Share more = new Share(1, expression.length()).without(before == null ? Share.NOTHING : share(before));
        checkRoom(user, more);
        List<String> values = new ArrayList<>();
        for (String field : fields.subList(1, fields.size())) {
            values.add(text(field));
        }
        kept.put(name, new Kept(user, new Variable(name, kind(values), values), expression.length(), now));
        add(user, more);
    }

    private void checkRoom(String user, Share more) throws IOException {
        Share own = users.getOrDefault(user, Share.NOTHING).plus(more);
        Share together = all.plus(more);
        if (own.names > NAMES_OF_USER || together.names > NAMES) {
            throw new IOException("too many names: a user may have " + NAMES_OF_USER + ", all together " + NAMES);
        }
        if (own.bytes > BYTES_OF_USER || together.bytes > BYTES) {
            throw new IOException("too many bytes: a user may have " + BYTES_OF_USER + ", all together " + BYTES);
        }
    }

    private static Share share(Kept kept) {
        return new Share(1, kept.bytes);
    }

    private void add(String user, Share more) {
        all = all.plus(more);
        users.merge(user, more, Share::plus);
        users.remove(user, Share.NOTHING);
    }

    /** What is kept; empty if nothing is. */
    Optional<Category> category() {
        forgetOld(nanoClock.getAsLong());
        List<Variable> variables = new ArrayList<>();
        kept.values().forEach(each -> variables.add(each.variable));
        return variables.isEmpty() ? Optional.empty() : Optional.of(new Category(NAME, BIT, variables));
    }

    private void forgetOld(long now) {
        forgotNanos = now;
        for (Iterator<Kept> each = kept.values().iterator(); each.hasNext(); ) {
            Kept old = each.next();
            if (isOld(old, now)) {
                each.remove();
                forget(old);
            }
        }
    }

    private static boolean isOld(Kept kept, long now) {
        return now - kept.nanos > TimeUnit.SECONDS.toNanos(KEEP_SECONDS);
    }

    private void forget(Kept old) {
        add(old.user, Share.NOTHING.without(share(old)));
    }

    /** What an atom of a character for each byte says in UTF-8. */
    private static String text(String atom) {
        return ByteText.ofCharacters(SexpText.value(atom));
    }

    private static Kind kind(List<String> values) {
        if (values.stream().allMatch(each -> WHOLE.matcher(each).matches())) {
            return Kind.UNSIGNED;
        }
        return values.stream().allMatch(each -> DECIMAL.matcher(each).matches()) ? Kind.DECIMAL : Kind.STRING;
    }
}
