// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.OptionalInt;
import magnet.record.ClockModel;
import magnet.record.EventType;
import magnet.record.RecordCursor;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.record.Words;
import magnet.trace.EventFormat;
import magnet.trace.RuleChain;

/** Whatever is given as an expression, and whatever packets are. */
final class DumpFuzzTest {
    private static final Path NOWHERE = Path.of("/nonexistent");
    private static final int PAYLOAD = 24;
    private static final int HEADER = 32;

    /** It becomes rules that the kernel takes, or it is refused in one line. */
    @FuzzTest(maxDuration = "60s")
    void shouldUnderstandOrRefuseWhenTheExpressionIsAnything(byte[] data) throws IOException {
        try {
            DumpPlan plan = DumpPlan.of(new String(data, StandardCharsets.ISO_8859_1), OptionalInt.empty(), true);
            for (DumpPlan.Subscription each : plan.subscriptions()) {
                RuleChain.parse(EventFormat.of(each.point()), 1_000, each.rules());
                if (each.rules().length() > 4_095) {
                    throw new AssertionError(
                            "longer than the kernel takes: " + each.rules().length());
                }
            }
        } catch (ExpressionException e) {
            String message = String.valueOf(e.getMessage());
            if (message.isEmpty() || message.lines().count() != 1) {
                throw new AssertionError("not one line: " + message, e);
            }
        }
    }

    /** Each is a line, and a block of a file that can be read. */
    @FuzzTest(maxDuration = "60s")
    void shouldShowPacketsWhenTheyAreAnything(byte[] data) throws Exception {
        RecordWriter records = records(data);
        Interfaces interfaces = new Interfaces(NOWHERE, NOWHERE);
        PacketDump.Scene scene = new PacketDump.Scene(
                new ClockModel(1_000_000, 0, 0, 0),
                true,
                1_000_000,
                Words.common(),
                interfaces,
                new SeenThreads(thread -> ""),
                process -> process % 2 == 0 ? "" : "job " + process);
        PacketDump.Extent extent = new PacketDump.Extent(100, Long.MAX_VALUE, true);
        DumpPlan plan = DumpPlan.of("not host 10.0.0.1", OptionalInt.empty(), true);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PcapngWriter writer = new PcapngWriter(Channels.newChannel(bytes));
        writer.section("", "", "");
        PacketDump file = PacketDump.toFile(scene, plan, extent, writer);
        Lines lines = new Lines();
        PacketDump text = PacketDump.toLines(scene, plan, extent, lines, ZoneOffset.UTC);
        LineStyle everything =
                new LineStyle(LineStyle.Time.SINCE_LAST, true, true, false, true, LineStyle.Bytes.HEX_AND_TEXT);
        PacketDump all = PacketDump.toLines(scene, plan, extent, new Lines(), ZoneOffset.UTC, everything);
        new RecordCursor(RecordLayout.WIDE)
                .wrap(records.buffer(), 0, records.size())
                .forEach(record -> {
                    file.onRecord(record);
                    text.onRecord(record);
                    all.onRecord(record);
                });
        file.releaseAll();
        text.releaseAll();
        all.releaseAll();
        text.flush();
        file.finish(0, 1, 0);
        int packets = new PcapngFile(bytes.toByteArray()).packets.size();
        if (lines.number != 2L * packets || packets != file.shown()) {
            throw new AssertionError(lines.number + " lines, " + packets + " packets of " + file.shown());
        }
    }

    /** Each begins with the number of a point, a byte of its id, a byte of its device, a byte of its length. */
    private static RecordWriter records(byte[] data) {
        RecordWriter records = new RecordWriter(RecordLayout.WIDE, 1 << 16);
        EventType[] points = Journeys.POINTS.toArray(new EventType[0]);
        ByteBuffer in = ByteBuffer.wrap(data);
        while (in.remaining() >= 4 && records.size() < 1 << 15) {
            EventType point = points[(in.get() & 0xff) % points.length];
            byte id = in.get();
            byte device = in.get();
            int length = Math.min(in.get() & 0xff, in.remaining());
            int payload = Math.max(PAYLOAD, point.payload().size());
            int start = records.header(
                    HEADER + payload + (length + 7) / 8 * 8, id & 1, point.id(), id, id, id, records.size());
            ByteBuffer out = records.buffer();
            out.putLong(start + HEADER, id & 3).putInt(start + HEADER + 12, device & 3);
            out.putShort(start + HEADER + 16, (short) (id < 0 ? Ethertype.IPV6 : device < 0 ? Ethertype.ARP : 0x800));
            out.putShort(start + HEADER + 18, (short) length).putInt(start + HEADER + 20, length);
            byte[] packet = new byte[length];
            in.get(packet);
            out.put(start + HEADER + payload, packet);
        }
        return records;
    }

    /** Counts. */
    private static final class Lines implements PacketDump.Lines {
        private long number;

        @Override
        public void line(CharSequence text) {
            if (text.toString().lines().count() != 1) {
                throw new AssertionError("not one line: " + text);
            }
            number++;
        }

        @Override
        public void flush() {}
    }
}
