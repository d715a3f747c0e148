// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import magnet.record.RecordLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class AbiFormatTest {
    @ParameterizedTest
    @EnumSource(RecordLayout.class)
    void shouldDescribeEventsOfTheAbiAsTheModuleDoes(RecordLayout layout) throws TraceFormatException {
        RecordFormats byModule = new RecordFormats(layout);
        ControlFormat.addTo(byModule, TraceFixture.builtIn(layout));
        RecordFormats byAbi = new RecordFormats(layout);
        ControlFormat.addTo(byAbi, AbiFormat.lines(layout, Map.of()));
        assertThat(byAbi.describesAs(byModule)).isTrue();
    }

    @ParameterizedTest
    @EnumSource(RecordLayout.class)
    void shouldNameOtherEventsWithoutTheirFields(RecordLayout layout) throws TraceFormatException {
        int id = TraceFixture.open(layout);
        RecordFormats formats = new RecordFormats(layout);
        ControlFormat.addTo(formats, AbiFormat.lines(layout, Map.of(id, "sample_text", 0x10, "udp_sendmsg")));
        assertThat(formats.event(id)).satisfies(event -> {
            assertThat(event.name()).isEqualTo("sample_text");
            assertThat(event.fields()).isEmpty();
            assertThat(event.tail()).isEqualTo(EventFormat.Tail.MORE);
        });
    }
}
