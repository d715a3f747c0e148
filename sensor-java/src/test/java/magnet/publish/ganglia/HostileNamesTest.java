// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.xml.parsers.DocumentBuilderFactory;
import magnet.metric.Metric;
import magnet.metric.TopOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/**
 * Names that programs choose for themselves, put in where gmond and gmetad print them without a look: a parser of XML reads
 * them back, whatever they are. What gmetad decodes first cannot bring anything back either.
 */
class HostileNamesTest {
    private static final Metric NAME = TopOrder.CPU.names().get(0);

    static List<String> names() {
        List<String> names = new ArrayList<>(List.of(
                "\"><METRIC NAME=\"x",
                "a'b\"c&d<e>f/g\\h",
                "&lt;script&gt;",
                "&#34;&#x22;&quot;&amp;amp;",
                "]]><!--",
                "../../../etc/passwd",
                "line\nline\r\nline\ttab\u0000nul\u001b[2J",
                "caf\u00e9 \u65e5\u672c\u8a9e \ud83d\ude00",
                "lone \ud800 surrogate \ufffe\uffff",
                "%s%n%d{}${jndi:ldap://x}",
                "kworker/0:1-events",
                "(sd-pam)",
                "",
                " ",
                "x".repeat(5_000)));
        Random random = new Random(20_261_122);
        for (int i = 0; i < 200; i++) {
            StringBuilder name = new StringBuilder();
            random.ints(16, 0, 0x300).forEach(c -> name.append((char) c));
            names.add(name.toString());
        }
        return names;
    }

    @ParameterizedTest(name = "{index}")
    @MethodSource("names")
    void shouldNotBreakTheXmlOfGmondOrGmetad(String name) throws Exception {
        FakeGmond.Packet packet = sent(name);
        assertThat(packet.name()).isEqualTo(NAME.name());
        assertThat(packet.value()).matches("[ -~]{0," + GangliaText.SHORT_MAX + "}");
        Element metric =
                parse("<METRIC NAME=\"%s\" VAL=\"%s\" TYPE=\"string\"/>".formatted(NAME.name(), packet.value()));
        assertThat(metric.getAttribute("VAL")).isEqualTo(packet.value());
        assertThat(metric.getAttributes().getLength()).isEqualTo(3);
    }

    /** Two different ones stay apart: by the number of the process that stands behind each. */
    @Test
    void shouldKeepWhatIsHarmless() {
        assertThat(sent("kworker/0:1-events 17").value()).isEqualTo("kworker/0:1-events 17");
        assertThat(sent("a&b 17").value()).isEqualTo("a b 17");
    }

    private static FakeGmond.Packet sent(String name) {
        return FakeGmond.decode(new MetricPackets(new HostIdentity("node", false), 20, 600).value(NAME, name));
    }

    private static Element parse(String xml) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(xml)))
                .getDocumentElement();
    }
}
