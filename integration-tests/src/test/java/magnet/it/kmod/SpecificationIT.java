// SPDX-License-Identifier: Apache-2.0
package magnet.it.kmod;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.it.kmod.NetlinkAnswers.Answered;
import magnet.it.kmod.NetlinkAnswers.Message;
import magnet.it.kmod.NetlinkSpecification.Attribute;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The netlink specification, magnet.yaml, is true: what the module answers, and what it takes, is what is promised there, no
 * less and no more.
 */
@GuestTest
final class SpecificationIT {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final long PERSISTENT = 1;

    private final NetlinkSpecification specification = NetlinkSpecification.read();
    private final Guest guest;

    SpecificationIT(Guest guest) {
        this.guest = guest;
    }

    @AfterEach
    void remove() {
        KernelModule.remove(guest);
    }

    @TestFactory
    Stream<DynamicTest> agreement() {
        KernelModule.load(guest);
        NetlinkAnswers answers = new NetlinkAnswers(
                guest.run(LIMIT, "build/tools/answers").orFail().stdout());
        return Stream.of(
                DynamicTest.dynamicTest("ways of asking", () -> waysOfAsking(answers)),
                DynamicTest.dynamicTest("answers", () -> answersAreAsPromised(answers)),
                DynamicTest.dynamicTest("nests", () -> nestsAreAsPromised(answers)),
                DynamicTest.dynamicTest("types", () -> typesAreAsPromised(answers)),
                DynamicTest.dynamicTest("owners", () -> ownersAreAsPromised(answers)),
                DynamicTest.dynamicTest("requests", () -> requestsAreAsPromised(answers)),
                DynamicTest.dynamicTest("longest texts", () -> longestTextsAreAsPromised(answers)));
    }

    private void waysOfAsking(NetlinkAnswers answers) {
        assertThat(answers.commands("do")).isNotEmpty().isEqualTo(specification.operations("do"));
        assertThat(answers.commands("dump")).isNotEmpty().isEqualTo(specification.operations("dump"));
        for (int command : specification.operations("do")) {
            assertThat(answers.replies(command))
                    .as(specification.name(command))
                    .isNotEmpty()
                    .containsOnly(specification.answer(command).isEmpty() ? 0 : 1);
        }
        Set<Integer> notices = new TreeSet<>();
        answers.messages().stream()
                .filter(message -> message.kind().equals("event"))
                .forEach(message -> notices.add(message.command()));
        assertThat(notices).isNotEmpty().isEqualTo(specification.operations("event"));
    }

    /** Each attribute that came is promised, and each that is promised came at least once. */
    private void answersAreAsPromised(NetlinkAnswers answers) {
        Map<String, Set<String>> promised = new TreeMap<>();
        Map<String, Set<String>> came = new TreeMap<>();
        for (String way : List.of("do", "dump", "event")) {
            for (int command : specification.operations(way)) {
                promised.put(specification.name(command), specification.answer(command));
                Set<String> names = new TreeSet<>();
                answers.messages(command).forEach(message -> addNames(message.attributes(), names));
                came.put(specification.name(command), names);
            }
        }
        assertThat(came).isEqualTo(promised);
    }

    /** The same of what is in nests. */
    private void nestsAreAsPromised(NetlinkAnswers answers) {
        Map<String, Set<String>> promised = new TreeMap<>();
        specification.nestedSets().forEach(set -> promised.put(set, specification.members(set)));
        Map<String, Set<String>> came = new TreeMap<>();
        for (Message message : answers.messages()) {
            for (Answered attribute : message.attributes()) {
                if (attribute.isNest()) {
                    String set = specification.attribute(attribute.type()).nested();
                    addNames(attribute.nested(), came.computeIfAbsent(set, key -> new TreeSet<>()));
                }
            }
        }
        assertThat(came).isNotEmpty().isEqualTo(promised);
    }

    /** Padding may be anywhere and nowhere: it depends on the machine, and no message promises it. */
    private void addNames(List<Answered> attributes, Set<String> names) {
        attributes.stream()
                .map(attribute -> specification.attribute(attribute.type()))
                .filter(attribute -> !attribute.type().equals("pad"))
                .forEach(attribute -> names.add(attribute.name()));
    }

    private void typesAreAsPromised(NetlinkAnswers answers) {
        assertThat(answers.messages()).isNotEmpty();
        answers.messages().forEach(message -> checkTypes(message.attributes()));
    }

    private void checkTypes(List<Answered> attributes) {
        for (Answered answered : attributes) {
            Attribute attribute = specification.attribute(answered.type());
            assertThat(fits(answered, attribute))
                    .as("%s as %s", answered, attribute)
                    .isTrue();
            if (attribute.values() >= 0) {
                assertThat(answered.value()).as(attribute.name()).isBetween(0L, attribute.values() - 1);
            }
            checkTypes(answered.nested());
        }
    }

    private static boolean fits(Answered answered, Attribute attribute) {
        return switch (attribute.type()) {
            case "pad" -> answered.length() == 0;
            case "u16" -> answered.length() == Short.BYTES;
            case "u32" -> answered.length() == Integer.BYTES;
            case "u64" -> answered.length() == Long.BYTES;
            case "string" ->
                answered.text() && (attribute.longest() < 0 || answered.length() <= attribute.longest() + 1);
            case "nest" -> answered.isNest() && !answered.nested().isEmpty();
            default -> throw new AssertionError("no type that this test knows: " + attribute);
        };
    }

    /** Of what can have one, an owner is told exactly if it is not persistent. */
    private void ownersAreAsPromised(NetlinkAnswers answers) {
        Set<Boolean> persistent = new TreeSet<>();
        for (Message message : answers.messages()) {
            Map<String, Long> values = new TreeMap<>();
            message.attributes()
                    .forEach(each ->
                            values.put(specification.attribute(each.type()).name(), each.value()));
            if (values.containsKey("flags")) {
                boolean keeps = (values.get("flags") & PERSISTENT) != 0;
                assertThat(values.containsKey("owner")).as("%s", message).isEqualTo(!keeps);
                persistent.add(keeps);
            }
        }
        assertThat(persistent).containsExactly(false, true);
    }

    /** Of all attributes each command takes those of its list, in the form of their type, and refuses all others. */
    private void requestsAreAsPromised(NetlinkAnswers answers) {
        Map<String, Map<String, String>> promised = new TreeMap<>();
        Map<String, Map<String, String>> taken = new TreeMap<>();
        for (String way : List.of("do", "dump", "event")) {
            for (int command : specification.operations(way)) {
                Map<String, String> types = new TreeMap<>();
                answers.takes(command)
                        .forEach((type, forms) ->
                                types.put(specification.attribute(type).name(), type(forms)));
                taken.put(specification.name(command), types);
                promised.put(specification.name(command), typesOf(specification.request(command)));
            }
        }
        assertThat(taken).isEqualTo(promised);
    }

    private Map<String, String> typesOf(Set<String> names) {
        Map<String, String> types = new TreeMap<>();
        for (int number = 1;
                number <= specification.members(NetlinkSpecification.ALL).size();
                number++) {
            Attribute attribute = specification.attribute(number);
            if (names.contains(attribute.name())) {
                types.put(attribute.name(), attribute.type());
            }
        }
        return types;
    }

    /** Bytes that are all zero are a text too, an empty one. */
    private static String type(String forms) {
        return switch (forms) {
            case "4" -> "u32";
            case "8" -> "u64";
            case "text 4 8" -> "string";
            default -> "no type: " + forms;
        };
    }

    private void longestTextsAreAsPromised(NetlinkAnswers answers) {
        int checked = 0;
        for (int command : specification.operations("do")) {
            for (Map.Entry<Integer, Integer> longest : answers.longest(command).entrySet()) {
                Attribute attribute = specification.attribute(longest.getKey());
                assertThat(longest.getValue())
                        .as("%s of %s", attribute.name(), specification.name(command))
                        .isEqualTo(attribute.longest());
                checked++;
            }
        }
        assertThat(checked).isPositive();
    }
}
