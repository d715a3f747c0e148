// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** By draft-ietf-opsawg-pcapng: section 4.1 Section Header, 4.2 Interface Description, 4.3 Enhanced Packet, 4.6 Statistics. */
final class PcapngWriterTest {
    private static final PcapngWriter.Interface ETH0 =
            new PcapngWriter.Interface("eth0", PcapngWriter.LINUX_SLL2, 148, "udp");

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final PcapngWriter writer = new PcapngWriter(Channels.newChannel(bytes));

    /** Taken down by hand from the figures of the specification. */
    @Test
    void shouldWriteWhatTheSpecificationSays() throws IOException {
        writer.section("cpu", "", "magnet");
        writer.addInterface(ETH0);
        writer.packet(
                new PcapngWriter.Packet(0, 0x0000_0001_0000_0002L, 77, true, 9),
                ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}),
                "hi");
        writer.flush();

        ByteBuffer wanted = ByteBuffer.allocate(256).order(ByteOrder.nativeOrder());
        wanted.putInt(0x0a0d0d0a)
                .putInt(52)
                .putInt(0x1a2b3c4d)
                .putShort((short) 1)
                .putShort((short) 0);
        wanted.putLong(-1).putShort((short) 2).putShort((short) 3).put(text("cpu\0"));
        wanted.putShort((short) 4)
                .putShort((short) 6)
                .put(text("magnet\0\0"))
                .putInt(0)
                .putInt(52);
        wanted.putInt(1).putInt(48).putShort((short) 276).putShort((short) 0).putInt(148);
        wanted.putShort((short) 2).putShort((short) 4).put(text("eth0"));
        wanted.putShort((short) 9).putShort((short) 1).put(text("\u0009\0\0\0"));
        wanted.putShort((short) 11)
                .putShort((short) 4)
                .put(text("\0udp"))
                .putInt(0)
                .putInt(48);
        wanted.putInt(6).putInt(72).putInt(0).putInt(1).putInt(2).putInt(5).putInt(77);
        wanted.put(new byte[] {1, 2, 3, 4, 5, 0, 0, 0});
        wanted.putShort((short) 1).putShort((short) 2).put(text("hi\0\0"));
        wanted.putShort((short) 2).putShort((short) 4).putInt(2);
        wanted.putShort((short) 5).putShort((short) 8).putLong(9).putInt(0).putInt(72);
        HexFormat hex = HexFormat.of();
        assertThat(hex.formatHex(bytes.toByteArray())).isEqualTo(hex.formatHex(wanted.array(), 0, wanted.position()));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void shouldWriteCountsOfInterfaces() throws IOException {
        writer.section("", "", "");
        writer.addInterface(new PcapngWriter.Interface("ä", PcapngWriter.LINUX_SLL2, 20, ""));
        writer.statistics(0, new PcapngWriter.Statistics((1L << 33) | 5, (1L << 33) | 9, 7, 3, "all"));
        writer.statistics(0, new PcapngWriter.Statistics(1, 2, 8, -1, ""));
        writer.flush();
        PcapngFile file = new PcapngFile(bytes.toByteArray());

        assertThat(file.sections.get(0)).isEmpty();
        assertThat(file.interfaces.get(0).name()).isEqualTo("ä");
        assertThat(file.interfaces.get(0).options()).containsOnlyKeys(2, 9);
        PcapngFile.Statistics first = file.statistics.get(0);
        assertThat(first.timeNs()).isEqualTo((1L << 33) | 9);
        assertThat(first.options()).containsOnlyKeys(1, 2, 3, 7, 8);
        assertThat(PcapngFile.number(first.options().get(7))).isEqualTo(3);
        assertThat(PcapngFile.number(first.options().get(8))).isEqualTo(7);
        assertThat(first.options().get(2))
                .as("upper half first")
                .isEqualTo(ByteBuffer.allocate(8)
                        .order(ByteOrder.nativeOrder())
                        .putInt(2)
                        .putInt(5)
                        .array());
        assertThat(file.statistics.get(1).options()).containsOnlyKeys(2, 3, 8);
    }

    /** Blocks that do not fit in what is collected, of every length modulo 4. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldWriteWhateverComes(long seed) throws IOException {
        Random random = new Random(seed);
        writer.section("h", "o", "a".repeat(100_000));
        writer.addInterface(new PcapngWriter.Interface("x", PcapngWriter.LINUX_SLL2, 0xffff, "f".repeat(70_000)));
        int[] lengths = random.ints(300, 0, 0xffff).toArray();
        for (int i = 0; i < lengths.length; i++) {
            byte[] data = new byte[lengths[i]];
            random.nextBytes(data);
            String comment = "c".repeat(random.nextInt(3_000));
            writer.packet(new PcapngWriter.Packet(0, i, lengths[i], false, i), ByteBuffer.wrap(data), comment);
        }
        writer.flush();
        PcapngFile file = new PcapngFile(bytes.toByteArray());

        assertThat(file.packets).extracting(packet -> packet.bytes().length).containsExactly(box(lengths));
        assertThat(file.packets).extracting(PcapngFile.Packet::flags).containsOnly(1);
        assertThat(writer.packetsWritten()).isEqualTo(lengths.length);
    }

    private static Integer[] box(int[] numbers) {
        Integer[] boxed = new Integer[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            boxed[i] = numbers[i];
        }
        return boxed;
    }

    /** The disk is full in the middle of a packet. */
    @Test
    void shouldCutOffAFileBehindItsLastWholeBlock(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("full.pcapng");
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            PcapngWriter full = new PcapngWriter(new FullChannel(file, 1_000));
            full.section("", "", "");
            full.addInterface(ETH0);
            for (int i = 0; i < 20; i++) {
                full.packet(new PcapngWriter.Packet(0, i, 60, true, i), ByteBuffer.allocate(60), "");
            }
            assertThatThrownBy(full::flush).isInstanceOf(IOException.class).hasMessage("No space left on device");
            PcapngFile read = new PcapngFile(Files.readAllBytes(path));
            assertThat(read.packets).hasSizeGreaterThan(5).hasSize((int) full.packetsWritten());
            assertThat(full.packets()).isEqualTo(20);
        }
    }

    /** Takes so many bytes. */
    private static final class FullChannel extends ForwardingFileChannel {
        private int left;

        FullChannel(FileChannel file, int room) {
            super(file);
            left = room;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            if (left == 0) {
                throw new IOException("No space left on device");
            }
            ByteBuffer part = source.slice(source.position(), Math.min(left, source.remaining()));
            int written = super.write(part);
            source.position(source.position() + written);
            left -= written;
            return written;
        }
    }

    @Test
    void shouldCountWhatDidNotComeOutOfAPipe() throws IOException {
        WritableByteChannel closed = Channels.newChannel(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        });
        PcapngWriter pipe = new PcapngWriter(closed);
        pipe.section("", "", "");
        assertThatThrownBy(pipe::flush).hasMessage("Broken pipe");
        assertThat(pipe.packetsWritten()).isZero();
    }
}
