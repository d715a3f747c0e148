// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** What the module takes as a buffer's name: it becomes that of a folder. Stateless. */
public final class BufferName {
    /** Longest name. */
    public static final int MOST = 63;

    private static final Pattern FORM = Pattern.compile("[\\w-][\\w.-]*");

    private BufferName() {}

    /**
     * Complains about what cannot be one.
     *
     * @param label of the option or argument
     * @param most characters
     */
    public static void check(CommandLine command, String label, String name, int most) {
        if (!FORM.matcher(name).matches() || name.length() > most) {
            throw new ParameterException(
                    command,
                    label + " wants letters, digits, '_', '-' and '.', no '.' in front and at most " + most + ", not '"
                            + VisibleText.of(name) + "'");
        }
    }
}
