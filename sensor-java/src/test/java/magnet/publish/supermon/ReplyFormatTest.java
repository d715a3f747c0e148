// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import magnet.publish.supermon.Category.Kind;
import magnet.publish.supermon.Category.Variable;
import org.junit.jupiter.api.Test;

final class ReplyFormatTest {
    private static final SampledHost NODE = new SampledHost("n-1", SampledHost.littleEndian(new byte[] {10, 0, 4, 1}));
    private static final Category CPUINFO = new Category(
            "cpuinfo",
            1,
            List.of("cpu0", "cpu1"),
            List.of(
                    new Variable("user", Kind.UNSIGNED, List.of("818850", "890795")),
                    new Variable("nice", Kind.UNSIGNED, List.of("1037", "1285"))));
    private static final Category AVENRUN =
            new Category("avenrun", 0x40, List.of(new Variable("avenrun", Kind.UNSIGNED, List.of("0", "82", "29"))));

    @Test
    void shouldWriteRecordsOfFiveFieldsForLosAlamos() {
        assertThat(ReplyFormat.LANL.sample(NODE, List.of(CPUINFO, AVENRUN)))
                .isEqualTo("((D cpuinfo 0x1 0x104000a ((user 818850 890795) (nice 1037 1285)))"
                        + " (D avenrun 0x40 0x104000a (avenrun 0 82 29)))\n\n");
    }

    @Test
    void shouldWriteALineForANodeForLinuxLabs() {
        assertThat(ReplyFormat.LINUXLABS.sample(NODE, List.of(CPUINFO, AVENRUN)))
                .isEqualTo("((n-1 ((cpuinfo (mask 0x1) (node 0x104000a) (user 818850 890795) (nice 1037 1285))"
                        + " (avenrun (mask 0x40) (node 0x104000a) (avenrun 0 82 29)))))\n\n");
    }

    @Test
    void shouldWriteAnEmptyListWhereNothingIsWanted() {
        assertThat(ReplyFormat.LANL.sample(NODE, List.of())).isEqualTo("()\n\n");
        assertThat(ReplyFormat.LINUXLABS.sample(NODE, List.of())).isEqualTo("()\n\n");
    }

    @Test
    void shouldDescribeVariablesWithTheirSources() {
        assertThat(ReplyFormat.description(List.of(CPUINFO, AVENRUN)))
                .isEqualTo("((cpuinfo 0x1 0 ((U user (cpu0 0 0) (cpu1 0 0)) (U nice (cpu0 0 0) (cpu1 0 0))))"
                        + " (avenrun 0x40 0 ((U avenrun))) (nodes 1))\n\n");
    }
}
