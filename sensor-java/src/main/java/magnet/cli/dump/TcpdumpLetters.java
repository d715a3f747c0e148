// SPDX-License-Identifier: Apache-2.0
package magnet.cli.dump;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import magnet.unit.TimeSpan;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Two letters mean one thing to tcpdump, where they stand alone, and another to all commands of magnet, where a value follows:
 * {@code -n} and {@code -d}. No expression begins with a number or a time, so what follows decides. Letters may stand
 * together. Stateless.
 */
public final class TcpdumpLetters {
    private static final Pattern NUMBER = Pattern.compile("[+-]?\\d+");
    private static final Pattern LETTERS = Pattern.compile("-[a-zA-Z#].*");

    /** What tcpdump has and this command has not, and what does it. */
    private static final Map<Character, String> ELSEWHERE = Map.ofEntries(
            Map.entry('a', "addresses are numbers; write a file with -w, and tcpdump -r FILE prints names"),
            Map.entry('b', "routing protocols are not dissected; write a file with -w for tcpdump -r FILE"),
            Map.entry('C', "one file is written; to split it, magnet dump -w - | tcpdump -r - -w FILE -C SIZE"),
            Map.entry('D', "ip link lists interfaces"),
            Map.entry('E', "nothing is decrypted; write a file with -w for tcpdump -r FILE -E SECRET"),
            Map.entry('F', "give the expression itself: magnet dump \"$(cat FILE)\""),
            Map.entry('G', "one file is written; to split it, magnet dump -w - | tcpdump -r - -w FILE -G SECONDS"),
            Map.entry('H', "records have no 802.11s headers"),
            Map.entry('I', "records have no 802.11 headers, so there is no monitor mode"),
            Map.entry('j', "time stamps are always the kernel's own, in nanoseconds"),
            Map.entry('J', "time stamps are always the kernel's own, in nanoseconds"),
            Map.entry('L', "the link type of a file is always LINUX_SLL2"),
            Map.entry('m', "SNMP is not dissected; write a file with -w for tcpdump -r FILE -m MODULE"),
            Map.entry('M', "digests are not checked; write a file with -w for tcpdump -r FILE -M SECRET"),
            Map.entry('Q', "say inbound or outbound in the expression"),
            Map.entry('r', "a file is read by tcpdump -r FILE, also one that magnet dump -w wrote"),
            Map.entry('S', "sequence numbers are not printed; write a file with -w for tcpdump -r FILE -S"),
            Map.entry('T', "payloads are not dissected; write a file with -w for tcpdump -r FILE -T TYPE"),
            Map.entry(
                    'W', "one file is written; to split it, magnet dump -w - | tcpdump -r - -w FILE -C SIZE -W COUNT"),
            Map.entry('y', "the link type of a file is always LINUX_SLL2"),
            Map.entry('z', "one file is written; run a command on it afterwards"),
            Map.entry('Z', "the command keeps its user; setpriv starts it as another one"));

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
            String argument = arguments.get(i);
            if (argument.equals("--")) {
                understood.addAll(arguments.subList(i, arguments.size()));
                break;
            }
            if (LETTERS.matcher(argument).matches()) {
                boolean number = followedBy(arguments, i, TcpdumpLetters::isNumber);
                boolean time = followedBy(arguments, i, TcpdumpLetters::isTime);
                understood.addAll(letters(command, argument, number, time));
            } else {
                understood.add(argument);
            }
            boolean kept = !understood.isEmpty() && takesNext(command, understood.get(understood.size() - 1));
            if (kept && i + 1 < arguments.size()) {
                understood.add(arguments.get(++i));
            }
        }
        return understood;
    }

    /** One letter or several, and behind the last of them perhaps its value. */
    private static List<String> letters(CommandSpec command, String argument, boolean number, boolean time) {
        StringBuilder kept = new StringBuilder("-");
        boolean explain = false;
        for (int i = 1; i < argument.length(); i++) {
            char letter = argument.charAt(i);
            String behind = argument.substring(i + 1);
            boolean again = argument.charAt(i - 1) == letter;
            boolean valued = letter == 'n'
                    ? isNumber(behind) || (behind.isEmpty() && number && !again)
                    : letter == 'd' && (isTime(behind) || (behind.isEmpty() && time && !again));
            boolean own = letter == 'n' || letter == 'd';
            if (valued || (!own && !isFlag(command, letter))) {
                kept.append(argument, i, argument.length());
                break;
            }
            explain |= letter == 'd';
            if (!own) {
                kept.append(letter);
            }
        }
        List<String> understood = new ArrayList<>();
        if (explain) {
            understood.add("--explain");
        }
        if (kept.length() > 1) {
            understood.add(kept.toString());
        }
        return understood;
    }

    private static boolean isFlag(CommandSpec command, char letter) {
        OptionSpec option = command.findOption("-" + letter);
        return option != null && option.arity().max() == 0;
    }

    /**
     * What to say about a letter that tcpdump has and this command has not.
     *
     * @param argument the unknown one
     */
    public static Optional<String> advice(CommandSpec command, String argument) {
        if (!LETTERS.matcher(argument).matches()) {
            return Optional.empty();
        }
        int at = 1;
        while (at < argument.length() - 1 && isFlag(command, argument.charAt(at))) {
            at++;
        }
        char letter = argument.charAt(at);
        return Optional.ofNullable(ELSEWHERE.get(letter)).map(text -> "no -" + letter + " of tcpdump's here: " + text);
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
        if (!LETTERS.matcher(argument).matches()) {
            OptionSpec option = command.findOption(argument);
            return option != null && option.arity().max() > 0;
        }
        int at = 1;
        while (at < argument.length() - 1 && isFlag(command, argument.charAt(at))) {
            at++;
        }
        OptionSpec option = command.findOption("-" + argument.charAt(at));
        return at == argument.length() - 1 && option != null && option.arity().max() > 0;
    }
}
