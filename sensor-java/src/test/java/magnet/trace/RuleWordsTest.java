// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import magnet.record.WordKind;
import magnet.record.Words;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RuleWordsTest {
    private static final Words KERNEL = Words.common()
            .with(WordKind.DROP_REASON, reasons())
            .with(WordKind.GFP_FLAGS, Map.of(0xcc0L, "GFP_KERNEL", 0x40000L, "__GFP_COMP"))
            .with(WordKind.BLOCK_OP, Map.of(0L, "READ", 1L, "WRITE"))
            .with(WordKind.SYSTEM_CALL, Map.of(257L, "openat"));

    private final RuleWords words = RuleWords.of(KERNEL);

    /** As many as a kernel has, so that nobody wants to read them all. */
    private static Map<Long, String> reasons() {
        Map<Long, String> reasons = new LinkedHashMap<>(IntStream.range(100, 160)
                .boxed()
                .collect(Collectors.toMap(Integer::longValue, number -> "SOMETHING_ELSE_" + number)));
        reasons.put(3L, "NO_SOCKET");
        reasons.put(6L, "SOCKET_FILTER");
        return reasons;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "kfree_skb       | drop if reason == NO_SOCKET       | drop if reason == 3",
                "kfree_skb       | drop if reason == no_socket       | drop if reason == 3",
                "kfree_skb       | drop if reason in NO_SOCKET,SOCKET_FILTER,9-11 | drop if reason in 3,6,9-11",
                "kfree_skb       | drop if cpu == 0 and reason != NO_SOCKET and protocol == udp; log"
                        + " | drop if cpu == 0 and reason != 3 and protocol == 17; log",
                "kfree_skb       | log if reason > NO_SOCKET         | log if reason > 3",
                "dev_queue_xmit  | drop if protocol in icmpv6,sctp   | drop if protocol in 58,132",
                "dev_queue_xmit  | drop if protocol == ipv6-icmp     | drop if protocol == 58",
                "udp_sendmsg     | drop if family == inet6           | drop if family == 10",
                "sched_switch    | drop if prev_state == D"
                        + "          | drop if prev_state == 2,258,4096,8194,8450,32768",
                "sched_switch    | drop if prev_state == disk_sleep"
                        + " | drop if prev_state == 2,258,4096,8194,8450,32768",
                "sched_switch    | drop if prev_state == Preempted   | drop if prev_state == 2147483648-4294967295",
                "sched_switch    | drop if prev_state == T           | drop if prev_state == 4,260",
                "sched_switch    | drop if prev_state == t           | drop if prev_state == 8,264",
                "softirq_entry   | drop if id == NET_RX              | drop if id == 3",
                "sys_enter       | log if id == openat; drop         | log if id == 257; drop",
                "block_rq_issue  | drop if op == READ                | drop if op == 0",
            })
    void shouldPutNumbersInThePlaceOfWords(String event, String rules, String numbered) throws RuleException {
        assertThat(words.numbered(event, rules)).isEqualTo(numbered);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "drop",
                "drop if reason == 3",
                "drop if reason in 3,5-9,0x20; log",
                "sample 10 if cpu == 0",
                "drop if",
                "drop if reason",
                "drop if reason ==",
                "log if saddr == fe80::1 and daddr in 10.0.0.0/8; drop",
                "drop if cgroup in /system.slice/a.service",
                "drop if nothing == word"
            })
    void shouldLeaveTheRestAsItIs(String rules) throws RuleException {
        assertThat(words.numbered("kfree_skb", rules)).isEqualTo(rules);
        assertThat(words.numbered("a_point_of_mine", "drop if reason == NO_SOCKET"))
                .isEqualTo("drop if reason == NO_SOCKET");
    }

    @Test
    void shouldNameTheNearestWordsWhereThereAreMany() {
        assertThatThrownBy(() -> words.numbered("kfree_skb", "drop if reason == NO_SOKCET"))
                .isInstanceOf(RuleException.class)
                .hasMessageStartingWith("reason has no word 'NO_SOKCET'; the nearest are NO_SOCKET, ");
    }

    @Test
    void shouldListTheWordsWhereThereAreFew() {
        assertThatThrownBy(() -> words.numbered("udp_sendmsg", "drop if family == inet7"))
                .hasMessage("family has no word 'inet7'; there are inet, inet6");
        assertThatThrownBy(() -> RuleWords.ofAnyKernel().numbered("udp_sendmsg", "drop if family == inet7"))
                .hasMessage("family has no word 'inet7'; there are inet, inet6");
    }

    @Test
    void shouldSayWhenNobodyKnowsTheWords() {
        assertThatThrownBy(() -> RuleWords.of(Words.common()).numbered("kfree_skb", "drop if reason == NO_SOCKET"))
                .hasMessage("reason has no word 'NO_SOCKET'; nobody can tell here which words it has,"
                        + " so give a number");
    }

    @Test
    void shouldRefuseToOrderAWordOfSeveralNumbers() {
        assertThatThrownBy(() -> words.numbered("sched_switch", "drop if prev_state > disk_sleep"))
                .hasMessage("'disk_sleep' of prev_state stands for several numbers: it is compared with ==, != and in");
    }

    @Test
    void shouldTakeWhatOnlyTheKernelKnowsBeforeItIsAsked() throws RuleException {
        assertThat(RuleWords.ofAnyKernel().numbered("kfree_skb", "drop if reason == ANYTHING"))
                .isEqualTo("drop if reason == 0");
    }

    @Test
    void shouldJoinFlags() throws RuleException {
        assertThat(words.numbered("mm_vmscan_direct_reclaim_begin", "log if gfp_flags == GFP_KERNEL|__GFP_COMP"))
                .isEqualTo("log if gfp_flags == " + (0xcc0 | 0x40000));
        assertThat(words.numbered("mm_vmscan_direct_reclaim_begin", "log if gfp_flags & __gfp_comp"))
                .isEqualTo("log if gfp_flags & " + 0x40000);
    }
}
