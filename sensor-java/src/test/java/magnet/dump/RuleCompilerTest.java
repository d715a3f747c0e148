// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import java.util.Random;
import magnet.record.EventType;
import magnet.trace.EventFormat;
import magnet.trace.RuleChain;
import magnet.trace.RuleException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel's rules, as {@link RuleChain} has them offline, against what expressions are true of. */
final class RuleCompilerTest {
    private static final int EXPRESSIONS = 400;
    private static final int PACKETS = 60;

    private static RuleCompiler.Rules rules(String expression, EventType point) throws ExpressionException {
        return RuleCompiler.compile(ExpressionParser.parse(expression), Site.of(point));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''| ''",
                "udp| log if ethertype in 0x800,0x86dd and protocol == 17; drop",
                "ip and not tcp| log if ethertype == 0x800 and protocol != 6; drop",
                "udp dst port 53| log if ethertype in 0x800,0x86dd and protocol == 17 and dport == 53; drop",
                "src host 10.0.0.1 and ip| log if ethertype == 0x800 and saddr in 10.0.0.1; drop",
                "ip and not src net 10.0.0.0/8| log if ethertype == 0x800 and saddr != 10.0.0.0/8; drop",
                "cpu 1 and outbound| log if cpu == 1; drop",
                "tcp and udp| drop",
                "inbound| drop",
            })
    void shouldSayWhatAnExpressionIs(String expression, String wanted) throws ExpressionException {
        RuleCompiler.Rules rules = rules(expression, EventType.NET_DEV_START_XMIT);
        assertThat(rules.rules()).isEqualTo(wanted == null ? "" : wanted);
        assertThat(rules.isNothing()).isEqualTo("drop".equals(wanted));
        assertThat(rules.isExact()).isTrue();
    }

    @Test
    void shouldAskNothingOfAJourneysPointThatIsNotThePackets() throws ExpressionException {
        assertThat(rules("tid 7 and cpu 1", EventType.IP_LOCAL_DELIVER).rules()).isEmpty();
        assertThat(rules("not inbound", EventType.IP_LOCAL_DELIVER).rules()).isEmpty();
        assertThat(rules("udp and port 53", EventType.TCP_RCV).isNothing()).isTrue();
        assertThat(rules("udp and port 53", EventType.IP_QUEUE_XMIT).isNothing())
                .isTrue();
        assertThat(rules("udp and src port 53", EventType.UDP_RCV).rules())
                .isEqualTo("log if ethertype in 0x800,0x86dd and protocol == 17 and sport == 53; drop");
    }

    /** What rules cannot say they let pass. */
    @Test
    void shouldLetMorePassThanIsWantedWhereRulesCannotTell() throws ExpressionException {
        RuleCompiler.Rules host = rules("host 10.0.0.1", EventType.NETIF_RECEIVE_SKB);
        assertThat(host.isExact()).isFalse();
        assertThat(host.rules())
                .isEqualTo("log if ethertype in 0x806,0x8035; log if ethertype == 0x800 and saddr in 10.0.0.1;"
                        + " log if ethertype == 0x800 and daddr in 10.0.0.1; drop");
        assertThat(rules("not port 0", EventType.NETIF_RECEIVE_SKB).isExact()).isFalse();

        StringBuilder many = new StringBuilder("udp src port 1");
        for (int i = 3; i < 200; i += 2) {
            many.append(" or (udp src port ")
                    .append(i)
                    .append(" and dst port ")
                    .append(i)
                    .append(")");
        }
        RuleCompiler.Rules all = rules(many.toString(), EventType.NETIF_RECEIVE_SKB);
        assertThat(all.isExact()).isFalse();
        assertThat(all.rules()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 20261123, 77})
    void shouldLetAtLeastThatPassThatExpressionsAreTrueOf(long seed) throws Exception {
        Random random = new Random(seed);
        RandomExpressions some = new RandomExpressions(random);
        int exact = 0;
        int matched = 0;
        for (int i = 0; i < EXPRESSIONS; i++) {
            String text = some.expression(3);
            Expression expression = ExpressionParser.parse(text);
            for (EventType point : new EventType[] {EventType.NET_DEV_START_XMIT, EventType.NETIF_RECEIVE_SKB}) {
                RuleCompiler.Rules rules = RuleCompiler.compile(expression, Site.of(point));
                exact += rules.isExact() ? 1 : 0;
                matched += agreeing(text, expression, rules, point, some, random);
            }
        }
        assertThat(exact).as("of %d, seed %d", 2 * EXPRESSIONS, seed).isBetween(EXPRESSIONS / 2, 2 * EXPRESSIONS - 1);
        assertThat(matched).isBetween(EXPRESSIONS * PACKETS / 4, 2 * EXPRESSIONS * PACKETS * 3 / 4);
    }

    private static int agreeing(
            String text,
            Expression expression,
            RuleCompiler.Rules rules,
            EventType point,
            RandomExpressions some,
            Random random)
            throws RuleException {
        RuleChain chain = RuleChain.parse(EventFormat.of(point), 1_000, rules.rules());
        PacketFacts facts = new PacketFacts();
        int matched = 0;
        for (int i = 0; i < PACKETS; i++) {
            int ethertype = some.ethertype();
            byte[] packet = some.packet(ethertype);
            int cpu = random.nextInt(2);
            int process = random.nextInt(2);
            int thread = random.nextInt(2);
            facts.event(point == EventType.NET_DEV_START_XMIT, cpu, process, thread)
                    .read(ethertype, ByteBuffer.wrap(packet), 0, packet.length);
            boolean wanted = expression.matches(facts);
            boolean[] passes = {false};
            new PacketRecords(256)
                    .at(cpu, process, thread)
                    .packet(point, 1, 0, 5, 2, ethertype, packet)
                    .handTo(record -> passes[0] = chain.passes(record));
            matched += wanted ? 1 : 0;
            assertThat(passes[0])
                    .as("%s, at %s: %s", text, point.label(), rules.rules())
                    .isEqualTo(rules.isExact() ? wanted : wanted || passes[0]);
        }
        return matched;
    }

    /** The same packets at the points that their journeys pass. */
    @ParameterizedTest
    @ValueSource(longs = {3, 20261124})
    void shouldLetJourneysOfWantedPacketsPass(long seed) throws Exception {
        Random random = new Random(seed);
        RandomExpressions some = new RandomExpressions(random);
        PacketFacts facts = new PacketFacts();
        for (int i = 0; i < EXPRESSIONS; i++) {
            String text = some.expression(3);
            Expression expression = ExpressionParser.parse(text);
            RuleCompiler.Rules rules = RuleCompiler.compile(expression, Site.of(EventType.IP_LOCAL_DELIVER));
            RuleChain chain = RuleChain.parse(EventFormat.of(EventType.IP_LOCAL_DELIVER), 1_000, rules.rules());
            for (int k = 0; k < PACKETS; k++) {
                int ethertype = some.pick(Ethertype.IPV4, Ethertype.IPV6);
                byte[] packet = some.packet(ethertype);
                facts.event(random.nextBoolean(), random.nextInt(2), random.nextInt(2), random.nextInt(2))
                        .read(ethertype, ByteBuffer.wrap(packet), 0, packet.length);
                if (expression.matches(facts)) {
                    new PacketRecords(256)
                            .packet(EventType.IP_LOCAL_DELIVER, 1, 0, 5, 2, ethertype, packet)
                            .handTo(record -> assertThat(chain.passes(record))
                                    .as("%s: %s", text, rules.rules())
                                    .isTrue());
                }
            }
        }
    }

    /** The largest chain that the kernel takes has 4,095 characters, and rules of 511. */
    @ParameterizedTest
    @ValueSource(longs = {5, 6})
    void shouldStayInTheKernelsBounds(long seed) throws Exception {
        RandomExpressions some = new RandomExpressions(new Random(seed));
        for (int i = 0; i < EXPRESSIONS; i++) {
            DumpPlan plan;
            try {
                plan = DumpPlan.of(some.expression(7), OptionalInt.of(123_456_789), true);
            } catch (ExpressionException e) {
                assertThat(e).hasMessageContaining("no packet can be such");
                continue;
            }
            for (DumpPlan.Subscription each : plan.subscriptions()) {
                assertThat(each.rules().length()).isLessThan(4_096);
                RuleChain.parse(EventFormat.of(each.point()), 1_000, each.rules());
            }
        }
    }

    @Test
    void shouldPlanWhatAnInterfaceAndTheLoopbackNeed() throws ExpressionException {
        assertThat(DumpPlan.of("", OptionalInt.empty(), false).subscriptions())
                .extracting(DumpPlan.Subscription::point, DumpPlan.Subscription::rules)
                .containsExactlyInAnyOrder(
                        tuple(EventType.NET_DEV_START_XMIT, "drop if ifindex == 1"),
                        tuple(EventType.NET_DEV_XMIT, "drop if ifindex == 1"),
                        tuple(EventType.NET_DEV_RECEIVE, ""),
                        tuple(EventType.NETIF_RECEIVE_SKB, ""));
        assertThat(DumpPlan.of("udp", OptionalInt.of(1), true).subscriptions())
                .extracting(DumpPlan.Subscription::point)
                .doesNotContain(EventType.NET_DEV_START_XMIT, EventType.NET_DEV_XMIT, EventType.TCP_RCV)
                .contains(EventType.NETIF_RECEIVE_SKB, EventType.UDP_RCV, EventType.INET_SENDMSG);
    }

    @ParameterizedTest
    @CsvSource({
        "outbound, NET_DEV_START_XMIT, NET_DEV_XMIT",
        "udp and inbound, NET_DEV_RECEIVE, NETIF_RECEIVE_SKB",
    })
    void shouldAskForOneWayOnlyWhenNoOtherIsWanted(String expression, EventType first, EventType second)
            throws ExpressionException {
        assertThat(DumpPlan.of(expression, OptionalInt.empty(), false).subscriptions())
                .extracting(DumpPlan.Subscription::point)
                .containsExactlyInAnyOrder(first, second);
        assertThat(DumpPlan.of(expression, OptionalInt.empty(), true).subscriptions())
                .extracting(DumpPlan.Subscription::point)
                .contains(EventType.NET_DEV_XMIT, EventType.NET_DEV_RECEIVE);
    }
}
