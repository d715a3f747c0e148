// SPDX-License-Identifier: Apache-2.0
package magnet.cli.dump;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import magnet.unit.TimeSpan;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Two letters mean one thing to tcpdump, where they stand alone, and another to all commands of magnet, where a value follows:
 * {@code -n} and {@code -d}. No expression begins with a number or a time, so what follows decides. Stateless.
 */
public final class TcpdumpLetters {
    private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");
    private static final Pattern NO_NAMES = Pattern.compile("-n{2,}");
    /** Together with other letters: {@code -ni eth0}. */
    private static final Pattern NO_NAMES_AND = Pattern.compile("^-n+(?=[a-zA-Z])");

    private TcpdumpLetters() {}

    /**
     * The arguments with what tcpdump's letters mean.
     *
     * @param command of the options
     * @param arguments after the command's name
     */
    public static List<String> understood(CommandSpec command, List<String> arguments) {
        List<String> understood = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            String argument = NO_NAMES_AND.matcher(arguments.get(i)).replaceFirst("-");
            if (argument.equals("--")) {
                understood.addAll(arguments.subList(i, arguments.size()));
                break;
            }
            boolean alone = argument.equals("-n") && !followedBy(arguments, i, TcpdumpLetters::isNumber);
            if (argument.equals("-d") && !followedBy(arguments, i, TcpdumpLetters::isTime)) {
                understood.add("--explain");
            } else if (!alone && !NO_NAMES.matcher(argument).matches()) {
                understood.add(argument);
                if (takesNext(command, argument) && i + 1 < arguments.size()) {
                    understood.add(arguments.get(++i));
                }
            }
        }
        return understood;
    }

    private static boolean followedBy(List<String> arguments, int at, Predicate<String> what) {
        return at + 1 < arguments.size() && what.test(arguments.get(at + 1));
    }

    private static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    private static boolean isTime(String text) {
        try {
            TimeSpan.parse(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static boolean takesNext(CommandSpec command, String argument) {
        OptionSpec option = command.findOption(argument);
        return option != null && option.arity().max() > 0;
    }
}
