// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import magnet.cli.dump.TcpdumpLetters;
import magnet.cli.fleet.GmetadAddress;
import magnet.cli.module.GuardOption;
import magnet.cli.world.CounterSet;
import magnet.config.NearestName;
import magnet.unit.ByteSize;
import magnet.unit.TimeSpan;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says in one line what is wrong with a command line, and what is wanted instead. Stateless. */
final class Misuse {
    /** Which package brings which command, for whoever has not installed it. */
    private static final Map<String, String> BROUGHT = Map.of("cluster", "magnet-cluster", "view", "magnet-cluster");

    private Misuse() {}

    /** Lets a command line have options of this package's own types. */
    static CommandLine withTypes(CommandLine commandLine) {
        return commandLine
                .registerConverter(ByteSize.class, new Converter<>(ByteSize::parse))
                .registerConverter(TimeSpan.class, new Converter<>(Misuse::aboveZero))
                .registerConverter(CounterSet.class, new Converter<>(CounterSet::parse))
                .registerConverter(GuardOption.class, new Converter<>(GuardOption::parse))
                .registerConverter(GmetadAddress.class, new Converter<>(GmetadAddress::parse));
    }

    /**
     * A class with a name. A lambda of a picocli interface, which is of Java 5, keeps that interface and all that implements it out
     * of the class archive: they would be read from the jar at each start.
     */
    private record Converter<T>(Function<String, T> parse) implements ITypeConverter<T> {
        @Override
        public T convert(String text) {
            return parse.apply(text);
        }
    }

    private static TimeSpan aboveZero(String text) {
        TimeSpan time = TimeSpan.parse(text);
        if (time.duration().isZero()) {
            throw new IllegalArgumentException("no time at all");
        }
        return time;
    }

    /** The line, without the program's name. */
    static String line(ParameterException e) {
        return what(e) + " (see: " + e.getCommandLine().getCommandSpec().qualifiedName() + " --help)";
    }

    private static String what(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            return unknown(unmatched);
        }
        if (e instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            return missing(missing);
        }
        if (e instanceof OverwrittenOptionException twice && twice.getOverwritten() instanceof OptionSpec option) {
            return option.longestName() + " is given twice";
        }
        if (e.getArgSpec() instanceof OptionSpec option && e.getValue() != null) {
            String wanted = wanted(option.auxiliaryTypes()[0]);
            if (!wanted.isEmpty()) {
                return option.longestName() + " wants " + wanted + ", not '" + e.getValue() + "'";
            }
        }
        return String.valueOf(e.getMessage());
    }

    /** An argument, an option that has to be there, or the value of one that is. */
    private static String missing(MissingParameterException e) {
        ArgSpec first = e.getMissing().get(0);
        if (!(first instanceof OptionSpec option)) {
            return first.paramLabel() + " is missing";
        }
        return option.required()
                ? option.longestName() + " " + option.paramLabel() + " is missing"
                : option.longestName() + " wants a value, " + option.paramLabel();
    }

    private static String unknown(UnmatchedArgumentException e) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        String given = e.getUnmatched().get(0);
        if (e.isUnknownOption()) {
            if (command.name().equals("dump")) {
                Optional<String> advice = TcpdumpLetters.advice(command, given);
                if (advice.isPresent()) {
                    return advice.get();
                }
            }
            String name = given.split("=", 2)[0];
            List<String> options = command.options().stream()
                    .filter(option -> !option.hidden())
                    .map(OptionSpec::longestName)
                    .toList();
            return "unknown option '" + name + "'" + nearest(name, options);
        }
        boolean isArgument = command.subcommands().isEmpty();
        if (command.parent() == null && BROUGHT.containsKey(given)) {
            return "the command '" + given + "' comes with the package " + BROUGHT.get(given)
                    + ", which is not installed";
        }
        return "unknown " + (isArgument ? "argument" : "command") + " '" + given + "'"
                + nearest(given, List.copyOf(command.subcommands().keySet()));
    }

    private static String nearest(String name, List<String> known) {
        return NearestName.near(name, known)
                .map(near -> "; did you mean " + near + "?")
                .orElse("");
    }

    private static String wanted(Class<?> type) {
        if (type == ByteSize.class) {
            return ByteSize.WANTED;
        }
        if (type == TimeSpan.class) {
            return TimeSpan.WANTED;
        }
        if (type == CounterSet.class) {
            return CounterSet.WANTED;
        }
        if (type == GuardOption.class) {
            return GuardOption.WANTED;
        }
        if (type == GmetadAddress.class) {
            return GmetadAddress.WANTED;
        }
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(each -> each.toString().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", ", "one of ", ""));
        }
        boolean isNumber = type == Long.class || type == long.class || type == Integer.class || type == int.class;
        return isNumber ? "a whole number" : "";
    }
}
