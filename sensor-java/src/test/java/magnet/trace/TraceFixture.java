// SPDX-License-Identifier: Apache-2.0
package magnet.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import magnet.record.EventType;
import magnet.record.PayloadField;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.record.Subsystem;

/** A module that describes its records, and traces of records that tests make up. */
public final class TraceFixture {
    /** 2.5 ticks are a nanosecond; timer 5000 is 2026-09-21T14:13:20Z. */
    public static final TraceClock CLOCK = TraceClock.of(false, 2_500_000, 5_000, 1_790_000_000_000_000_000L);

    public static final long TIMER = 5_000;

    private TraceFixture() {}

    /** What {@code control/format} says in a layout, with two events that were made at run time. */
    public static List<String> format(RecordLayout layout) {
        List<String> lines = builtIn(layout);
        int header = layout.headerSize();
        lines.add("event 0x%03x f_open dynamic size %d abstract_id none fields small:u8@%d ret:s32@%d name:char[12]@%d"
                .formatted(dynamic(layout), header + 24, header, header + 4, header + 8));
        lines.add("event 0x%03x sample_text sample size %d abstract_id number fields len:u32@%d flags:x32@%d"
                .formatted(open(layout), header + 8, header, header + 4));
        return lines;
    }

    /** The same, and what the kernel calls flags of allocations and operations of block devices. */
    public static List<String> formatWithWords(RecordLayout layout) {
        List<String> lines = format(layout);
        lines.add("word gfp_flags 0xcc0 GFP_KERNEL");
        lines.add("word gfp_flags 0x800 GFP_NOWAIT");
        lines.add("word gfp_flags 0x40000 __GFP_COMP");
        lines.add("word gfp_flags 0x800 __GFP_KSWAPD_RECLAIM");
        lines.add("word block_op 0x0 READ");
        lines.add("word block_op 0x9 WRITE_ZEROES");
        lines.add("word of_the_future 0x1 WHATEVER");
        lines.add("word task_state 0x1 not_the_kernels");
        return lines;
    }

    /** The same without them. */
    static List<String> builtIn(RecordLayout layout) {
        List<String> lines = new ArrayList<>();
        lines.add("abi 1");
        lines.add("layout " + layout.name().toLowerCase(Locale.ROOT));
        lines.add("byte_order little");
        for (EventType type : EventType.values()) {
            StringBuilder line = new StringBuilder("event 0x%03x %s %s size %d abstract_id %s fields"
                    .formatted(
                            type.id(),
                            type.label(),
                            type.subsystem().label(),
                            layout.headerSize() + type.payload().size(),
                            type.abstractId()));
            for (PayloadField field : type.fields()) {
                line.append(" %s:%s@%d"
                        .formatted(field.name(), field.type().label(), layout.headerSize() + field.offset()));
            }
            lines.add(line.toString());
        }
        return lines;
    }

    /** A dynamic point with a gap, a sign and a text. */
    static int dynamic(RecordLayout layout) {
        return layout.firstDynamicEvent();
    }

    /** An event of another module: what follows its fields ends with the record. */
    static int open(RecordLayout layout) {
        return layout.firstDynamicEvent() + 1;
    }

    /** Where records come from in tests. */
    public static TraceWriter.Origin origin(RecordLayout layout) {
        return new TraceWriter.Origin(layout, CLOCK, 1, "node1", "x86_64", Map.of(3, "NO_SOCKET", 2, "NOT_SPECIFIED"));
    }

    /** The same, but for names of reasons to drop packets. */
    public static TraceWriter.Origin withoutReasons(RecordLayout layout) {
        return new TraceWriter.Origin(layout, CLOCK, 1, "node1", "", Map.of());
    }

    /** A writer of a trace. */
    public static TraceWriter writer(Path folder, RecordLayout layout) throws IOException {
        return new TraceWriter(folder, origin(layout), () -> format(layout));
    }

    /** Writes one packet. */
    public static void write(TraceWriter trace, int cpu, RecordWriter records) throws IOException {
        trace.write(cpu, records.buffer(), 0, records.size());
    }

    /** A record of every event with all that can follow its fields; each byte of the payload has another value. */
    public static RecordWriter everything(RecordLayout layout, int cpu, long timer) {
        RecordWriter writer = new RecordWriter(layout, 64 * 1024);
        long at = timer;
        for (EventType type : EventType.values()) {
            if (type.subsystem() != Subsystem.SENSOR || type == EventType.LOST) {
                at += 10;
                append(writer, layout, cpu, type.id(), type.payload().size(), at);
            }
        }
        append(writer, layout, cpu, dynamic(layout), 24, at + 10);
        append(writer, layout, cpu, open(layout), 8 + 16, at + 20);
        append(writer, layout, cpu, open(layout), 8, at + 30);
        return writer;
    }

    private static void append(RecordWriter writer, RecordLayout layout, int cpu, int event, int payload, long timer) {
        int start = writer.header(
                layout.headerSize() + payload, cpu, event, 0x1234_5678, 0x0abc_def0, 0x1122_3344_5566_7788L, timer);
        boolean counts = event == EventType.MARKER.id() || event == EventType.LOST.id();
        for (int i = 0; i < payload; i++) {
            boolean captured = isCaptured(event, i);
            writer.buffer().put(start + layout.headerSize() + i, (byte) (counts || captured ? 0 : i + 1));
        }
    }

    /** No bytes follow the packets' fields. */
    private static boolean isCaptured(int event, int offset) {
        EventType type = EventType.ofId(event);
        return type != null
                && type.fields().stream()
                        .anyMatch(field -> field.name().equals("captured")
                                && offset >= field.offset()
                                && offset < field.offset() + field.type().size());
    }
}
