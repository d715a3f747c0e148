// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import magnet.config.ConfigException;
import magnet.metric.Level;
import magnet.spi.Description;
import magnet.spi.Point;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeclarationsTest {
    @Test
    void shouldHaveTheseDefaults() throws Exception {
        assertThat(Sections.definitions("""
                        [handler opens]
                        kind = count
                        point = f:do_filp_open name=+0(+0($arg2)):string
                        """)).singleElement().satisfies(definition -> {
            assertThat(definition.name()).isEqualTo("opens");
            assertThat(definition.kind()).isEqualTo(DeclaredKind.COUNT);
            assertThat(definition.points()).containsExactly(new Point("f:do_filp_open name=+0(+0($arg2)):string", ""));
            assertThat(definition.field()).isEmpty();
            assertThat(definition.filter()).isEmpty();
            assertThat(definition.level()).isEqualTo(Level.SUMMARY);
            assertThat(definition.metric())
                    .isEqualTo(new Description("events", "events", "opens events", "Handler opens of magnet.conf"));
        });
        assertThat(metric("kind = rate\npoint = udp_sendmsg").unit()).isEqualTo("events/sec");
        assertThat(metric("kind = rate\npoint = udp_sendmsg\nfield = len"))
                .extracting(Description::what, Description::unit)
                .containsExactly("len", "len/sec");
        assertThat(metric("kind = distribution\npoint = udp_sendmsg\nfield = len"))
                .extracting(Description::what, Description::unit)
                .containsExactly("len", "len");
        assertThat(metric("kind = distribution\npoint = r:vfs_fsync_range\nfield = latency"))
                .extracting(Description::what, Description::unit)
                .containsExactly("latency", "us");
        assertThat(metric("kind = interval\npoint = marker"))
                .extracting(Description::what, Description::unit)
                .containsExactly("interval", "us");
        assertThat(metric("kind = count\npoint = f:a __Big__X=$arg1\nfield = __Big__X")
                        .what())
                .isEqualTo("big_x");
    }

    @Test
    void shouldTakeEveryKey() throws Exception {
        HandlerDefinition definition = Sections.definitions("""
                        [handler hop_time]
                        kind = interval
                        point = udp_sendmsg
                        where = drop if len < 100; log if tgid in 1,2; drop
                        until = ip_send_skb
                        until-where = drop if dport != 53
                        by = tid
                        filter = mine
                        metric = hop
                        unit = microseconds
                        title = From here to there
                        description = How long it takes
                        group = my-group.1
                        level = heartbeat
                        """).get(0);
        assertThat(definition.points())
                .containsExactly(
                        new Point("udp_sendmsg", "drop if len < 100; log if tgid in 1,2; drop"),
                        new Point("ip_send_skb", "drop if dport != 53"));
        assertThat(definition.by()).isEqualTo("tid");
        assertThat(definition.filter()).isEqualTo(Optional.of("mine"));
        assertThat(definition.level()).isEqualTo(Level.HEARTBEAT);
        assertThat(definition.metric())
                .isEqualTo(new Description(
                        "hop", "microseconds", "From here to there", "How long it takes", "my-group.1"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[handler]\\nkind = count\\npoint = marker|1: [handler ] '' is no name of a handler: that is lower case",
                "[handler Big]\\nkind = count\\npoint = marker|1: [handler Big] 'Big' is no name of a handler",
                "[handler a__b]\\nkind = count\\npoint = marker|1: [handler a__b] 'a__b' is no name",
                "[handler x.y]\\nkind = count\\npoint = marker|1: [handler x.y] 'x.y' is no name",
                "[handler net]\\nkind = count\\npoint = marker|1: [handler net] 'net' is no name for a handler: names that begin with 'net' are those of magnet's own metrics",
                "[handler tcp_x]\\nkind = count\\npoint = nonesuch|3: [handler tcp_x] there is no point 'nonesuch'",
                "[handler net_tcp]\\nkind = count\\npoint = marker|1: [handler net_tcp] 'net_tcp' is no name for a handler",
                "[handler handlers]\\nkind = count\\npoint = marker|1: [handler handlers] 'handlers' is no name for a handler",
                "[handler x]\\npoint = marker|1: [handler x] has no kind: count, rate, distribution, interval",
                "[handler x]\\nkind = sum\\npoint = marker|2: [handler x] kind: 'sum'; allowed is count, rate, distribution, interval",
                "[handler x]\\nkind = count|1: [handler x] has no point",
                "[handler x]\\nkind = count\\npoint =|1: [handler x] has no point",
                "[handler x]\\nkind = count\\npoint = udp_sendmsgg|3: [handler x] there is no point 'udp_sendmsgg'; did you mean 'udp_sendmsg'?",
                "[handler x]\\nkind = count\\npoint = lost|3: [handler x] there is no point 'lost'",
                "[handler x]\\nkind = count\\npoint = task_ctx_in|3: [handler x] there is no point 'task_ctx_in'",
                "[handler x]\\nkind = count\\npoint = f:vfs_read count|3: [handler x] point 'f:vfs_read count': a field is [name=]$argN",
                "[handler x]\\nkind = count\\npoint = marker\\nwhere = drop when id == 1|4: [handler x] rules 'drop when id == 1': after the action comes the end, or: if TEST and TEST ...",
                "[handler x]\\nkind = count\\npoint = marker\\nwhere = drop if size > 1|4: [handler x] rules 'drop if size > 1': marker has no field 'size'; there are cpu, tgid, tid, id, len",
                "[handler x]\\nkind = count\\npoint = udp_rcv\\nwhere = drop if dport == 70000|4: [handler x] rules 'drop if dport == 70000': a value is no number, or not one that the field can have",
                "[handler x]\\nkind = count\\npoint = ip_queue_xmit\\nwhere = drop if dport == 53|4: [handler x] rules 'drop if dport == 53': ip_queue_xmit sees the packet before it has headers to ask for",
                "[handler x]\\nkind = count\\npoint = marker\\nfield = size|4: [handler x] field: marker has no field 'size'; there are len, cpu, tgid, tid and id",
                "[handler x]\\nkind = count\\npoint = f:a n=+0($arg1):string\\nfield = n|4: [handler x] field: 'n' is a text, and no number",
                "[handler x]\\nkind = distribution\\npoint = marker|1: [handler x] field: kind = distribution needs it",
                "[handler x]\\nkind = interval\\npoint = marker\\nfield = len|4: [handler x] field: kind = interval does not take it",
                "[handler x]\\nkind = count\\npoint = marker\\nuntil = marker|4: [handler x] until: kind = count does not take it",
                "[handler x]\\nkind = interval\\npoint = marker\\nuntil-where = drop|4: [handler x] until-where: there is no until",
                "[handler x]\\nkind = interval\\npoint = marker\\nuntil = udp_rcv\\nby = len2|5: [handler x] by: marker has no field 'len2'",
                "[handler x]\\nkind = interval\\npoint = udp_rcv\\nuntil = marker\\nby = packet_id|5: [handler x] by: marker has no field 'packet_id'",
                "[handler x]\\nkind = count\\npoint = marker\\nmetric = A b|4: [handler x] 'A b' can be no part of a metric's name",
                "[handler x]\\nkind = count\\npoint = marker\\nunit = a<b|4: [handler x] unit 'a<b' cannot be published",
                "[handler x]\\nkind = count\\npoint = marker\\ntitle = \u00fcber|4: [handler x] title '\u00fcber' cannot be published",
                "[handler x]\\nkind = count\\npoint = marker\\ndescription = a & b|4: [handler x] description 'a & b' cannot be published",
                "[handler x]\\nkind = count\\npoint = marker\\ngroup = a,b|4: [handler x] 'a,b' is no group",
                "[handler x]\\nkind = count\\npoint = marker\\nlevel = fulll|4: [handler x] level: 'fulll'; did you mean 'full'?",
                "[handler a]\\nkind = count\\npoint = marker\\nmetric = b_c\\n[handler a_b]\\nkind = count\\npoint = marker\\nmetric = c|5: [handler a_b] has a metric magnet_a_b_c_count, as has [handler a]; give one another name by metric =",
            })
    void shouldRefuseWithFileAndLine(String text, String message) {
        assertThatThrownBy(() -> Sections.definitions(text.replace("\\n", "\n")))
                .isInstanceOf(HandlerException.class)
                .hasMessageStartingWith(Sections.FILE + ":" + message);
    }

    /** A pattern that is asked first would need a stack as deep as the name is long. */
    @Test
    void shouldRefuseNamesOfAnyLength() {
        String endless = "a_bb_".repeat(50_000) + "a";
        assertThatThrownBy(() -> HandlerNames.checkName(endless)).isInstanceOf(HandlerException.class);
        assertThatThrownBy(() -> HandlerNames.checkWhat(endless)).isInstanceOf(HandlerException.class);
    }

    @Test
    void shouldRefuseTooMany() throws Exception {
        assertThat(Sections.definitions(many(Declarations.HANDLERS_MAX))).hasSize(Declarations.HANDLERS_MAX);
        assertThatThrownBy(() -> Sections.definitions(many(Declarations.HANDLERS_MAX + 1)))
                .hasMessage(Sections.FILE + ":97: there are more than 32 handlers");
    }

    @Test
    void shouldBeEqualWhenOnlyLinesMove() throws Exception {
        String text = "[handler x]\nkind = count\npoint = marker\n";
        assertThat(Sections.definitions("\n\n" + text)).isEqualTo(Sections.definitions(text));
    }

    private static String many(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "[handler x" + i + "]\nkind = count\npoint = marker\n")
                .collect(Collectors.joining());
    }

    private static Description metric(String keys) throws HandlerException, ConfigException {
        return Sections.definitions("[handler x]\n" + keys + "\n").get(0).metric();
    }
}
