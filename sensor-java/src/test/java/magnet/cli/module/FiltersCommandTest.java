// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import magnet.cli.TestWorld;
import magnet.cli.WorldFixture;
import magnet.control.FakeModule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class FiltersCommandTest extends WorldFixture {
    FiltersCommandTest() {
        super(new FakeModule().subscribed("udp_sendmsg").subscribed("sched_switch"));
    }

    @Test
    void shouldListWhatIsLogged() {
        assertThat(world.run("filters")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "ID  POINT         BUFFER  SAMPLE  INTERVAL  SNAP  COUNTERS                HITS  COMMITTED"
                                + "  FILTERED  SAMPLED",
                        " 1  udp_sendmsg   main      1/10      20ms    64  instructions,cpu_clock    25         20"
                                + "         0        0",
                        " 2  sched_switch  main         -         -     -  -                         25         20"
                                + "         0        0",
                        "",
                        "SUBSCRIPTION  RULE  MATCHED  TEXT",
                        "           1     1       15  drop if id & 1",
                        "           1     2        7  sample 10 if cpu == 0",
                        "",
                        "CORRELATION  BUFFER  OWNER       MATCHED  DROPPED  LOST BEFORE  FORGOTTEN  DEFINITION",
                        "          3  found   persistent       10        4           20         30  a then b");
    }

    @ParameterizedTest
    @MethodSource("magnet.unit.WrittenTimes#times")
    void shouldReadTimesAsConfigurationAndRulesDo(String text, long micros) throws IOException {
        assertThat(world.run("filters", "--subscription", "1", "--sample-interval", text))
                .isZero();
        assertThat(module.lastRequest("SUB_SET")).isEqualTo("SUB_ID=1 SAMPLE_INTERVAL_US=" + micros);
    }

    @ParameterizedTest
    @MethodSource("magnet.unit.WrittenTimes#noTimes")
    void shouldRefuseWhatIsNoTimeElsewhere(String text) {
        assertThat(world.run("filters", "--subscription", "1", "--sample-interval=" + text))
                .isEqualTo(2);
        assertThat(world.errLines()).singleElement().asString().contains("--sample-interval wants a time such as");
    }

    @Test
    void shouldListThemAsJson() {
        assertThat(world.run("filters", "--json")).isZero();
        assertThat(world.outLines())
                .singleElement()
                .asString()
                .startsWith(
                        "{\"subscriptions\": [{\"id\": 1, \"point\": \"udp_sendmsg\", \"buffer\": \"main\", \"hits\":"
                                + " 25,")
                .contains(
                        "\"sample_count\": 10, \"sample_interval_us\": 20000, \"snap_bytes\": 64, \"counters\":"
                                + " [\"instructions\", \"cpu_clock\"], \"rules\": [{\"id\": 1, \"text\": \"drop if id &"
                                + " 1\", \"matched\": 15}, {\"id\": 2, \"text\": \"sample 10 if cpu == 0\", \"matched\":"
                                + " 7}]}",
                        "\"counters\": [], \"rules\": []}]")
                .endsWith("\"correlations\": [{\"id\": 3, \"definition\": \"a then b\", \"buffer\": \"found\","
                        + " \"persistent\": true, \"matched\": 10, \"dropped\": 4, \"lost_before\": 20,"
                        + " \"forgotten\": 30}]}");
        assertThat(world.run("filters", "--json", "--subscription", "2")).isZero();
        assertThat(world.outLines()).last().asString().contains("sched_switch").doesNotContain("udp_sendmsg");
        assertThat(world.run("filters", "--json", "--correlate", "a then b", "--buffer", "found"))
                .isZero();
        assertThat(world.outLines()).last().asString().contains("\"subscriptions\": []", "a then b");
    }

    @Test
    void shouldListOneSubscription() {
        assertThat(world.run("filters", "--subscription", "2")).isZero();
        assertThat(world.outLines()).hasSize(4).contains("no rules").noneMatch(line -> line.contains("udp_sendmsg"));
        assertThat(world.run("filters", "--subscription", "3")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: there is no subscription 3 (\"magnet filters\" lists them)");
    }

    @Test
    void shouldSayThatThereIsNothing() throws IOException {
        TestWorld idle = new TestWorld(folder.resolve("idle"), new FakeModule().idle());
        assertThat(idle.run("filters")).isZero();
        assertThat(idle.outLines()).containsExactly("no subscriptions");
    }

    @Test
    void shouldMakeAndDeleteCorrelatingFilters() throws IOException {
        assertThat(world.run("filters", "--correlate", "a then b", "--buffer", "found"))
                .isZero();
        assertThat(module.lastRequest("CORRELATION_NEW")).isEqualTo("BUFFER=found DEFINITION=a then b FLAGS=1");
        assertThat(world.run("filters", "--remove-correlation", "3")).isZero();
        assertThat(module.lastRequest("CORRELATION_DEL")).isEqualTo("CORRELATION_ID=3");
        assertThat(world.outLines())
                .containsExactly(
                        "CORRELATION  BUFFER  OWNER       MATCHED  DROPPED  LOST BEFORE  FORGOTTEN  DEFINITION",
                        "          3  found   persistent       10        4           20         30  a then b");
    }

    @Test
    void shouldPutRulesInAndTakeThemOut() throws IOException {
        assertThat(world.run("filters", "--subscription", "1", "--add", "log if id < 5"))
                .isZero();
        assertThat(module.lastRequest("RULE_NEW")).isEqualTo("RULE_TEXT=log if id < 5 SUB_ID=1");
        assertThat(world.run("filters", "--subscription", "1", "--add", "log", "--before", "2", "--remove", "1"))
                .isZero();
        assertThat(module.lastRequest("RULE_NEW")).isEqualTo("RULE_TEXT=log SUB_ID=1 RULE_BEFORE=2");
        assertThat(module.lastRequest("RULE_DEL")).isEqualTo("SUB_ID=1 RULE_ID=1");
        assertThat(module.wasAskedTo("SUB_SET")).isFalse();
    }

    @Test
    void shouldGiveTheKernelNumbersForWords() throws IOException {
        assertThat(world.run("filters", "--subscription", "1", "--add", "log if family == INET6"))
                .isZero();
        assertThat(module.lastRequest("RULE_NEW")).isEqualTo("RULE_TEXT=log if family == 10 SUB_ID=1");
        assertThat(world.run("filters", "--subscription", "2", "--set", "drop if prev_state == T; log"))
                .isZero();
        assertThat(module.lastRequest("SUB_SET")).isEqualTo("RULES=drop if prev_state == 4,260; log SUB_ID=2");
    }

    @Test
    void shouldNameTheWordsOfAFieldThatHasNotTheGivenOne() throws IOException {
        assertThat(world.run("filters", "--subscription", "1", "--add", "log if family == inet7"))
                .isEqualTo(2);
        assertThat(world.errLines())
                .containsExactly("magnet: family has no word 'inet7'; there are inet, inet6 (see: magnet help rules)");
        assertThat(world.run("filters", "--subscription", "1", "--set", "log if family = inet"))
                .isEqualTo(2);
        assertThat(world.errLines()).last().asString().contains("OP is ==, !=");
        assertThat(module.wasAskedTo("RULE_NEW")).isFalse();
    }

    @Test
    void shouldChangeOnlyWhatIsNamed() throws IOException {
        assertThat(world.run("filters", "--subscription", "1", "--set", "drop if id & 1; log"))
                .isZero();
        assertThat(module.lastRequest("SUB_SET")).isEqualTo("RULES=drop if id & 1; log SUB_ID=1");
        assertThat(world.run(
                        "filters", "--subscription", "1", "--sample", "1", "--sample-interval", "0", "--snap", "1K"))
                .isZero();
        assertThat(module.lastRequest("SUB_SET"))
                .isEqualTo("SUB_ID=1 SAMPLE_COUNT=1 SAMPLE_INTERVAL_US=0 SNAP_LEN=1024");
        assertThat(world.run("filters", "--subscription", "1", "--sample-interval", "1s", "--set", ""))
                .isZero();
        assertThat(module.lastRequest("SUB_SET")).isEqualTo("RULES= SUB_ID=1 SAMPLE_INTERVAL_US=1000000");
        assertThat(world.run("filters", "--subscription", "1", "--counters", "context_switches"))
                .isZero();
        assertThat(module.lastRequest("SUB_SET")).isEqualTo("SUB_ID=1 COUNTERS=128");
        assertThat(world.run("filters", "--subscription", "1", "--counters", "none"))
                .isZero();
        assertThat(module.lastRequest("SUB_SET")).isEqualTo("SUB_ID=1 COUNTERS=0");
        assertThat(module.wasAskedTo("RULE_NEW")).isFalse();
    }
}
