// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.record.Words;

/** Whatever is given as rules: it filters every kind of event, or it is refused in one line. */
final class RuleFuzzTest {

    @FuzzTest(maxDuration = "60s")
    void shouldFilterOrRefuseWhenTheRulesAreAnything(byte[] data) throws TraceFormatException {
        RecordFormats formats = new RecordFormats(RecordLayout.WIDE);
        ControlFormat.addTo(formats, TraceFixture.format(RecordLayout.WIDE));
        long[] passed = {0};
        try {
            RuleFilter filter = new RuleFilter(
                    formats.events(),
                    1_000,
                    Words.common(),
                    new String(data, StandardCharsets.ISO_8859_1),
                    record -> passed[0]++);
            RecordWriter records = everyEvent();
            int all = new RecordCursor(RecordLayout.WIDE)
                    .wrap(records.buffer(), 0, records.size())
                    .forEach(filter);
            if (passed[0] + filter.dropped() != all) {
                throw new AssertionError("passed " + passed[0] + ", dropped " + filter.dropped() + " of " + all);
            }
        } catch (RuleException e) {
            String message = String.valueOf(e.getMessage());
            if (message.isEmpty() || message.indexOf('\n') >= 0) {
                throw new AssertionError("not one line: " + message, e);
            }
        }
    }

    private static RecordWriter everyEvent() {
        RecordWriter records = new RecordWriter();
        for (EventType type : EventType.values()) {
            // That one belongs to the event before it and is counted with it.
            if (type != EventType.COUNTERS) {
                records.record(type, 1, 100, 101, 7, type.id());
            }
        }
        return records;
    }
}
