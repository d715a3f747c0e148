// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of a packet below its line, as many as were captured. For one thread. */
final class PacketBytes {
    private static final int BYTES_OF_LINE = 16;
    private static final int HEX_WIDTH = 42;
    private static final String INDENT = "        ";

    private final LineStyle.Bytes style;
    private final PacketDump.Lines out;
    private final StringBuilder line = new StringBuilder(128);

    PacketBytes(LineStyle.Bytes style, PacketDump.Lines out) {
        this.style = style;
        this.out = out;
    }

    void print(CapturedPacket packet) throws IOException {
        switch (style) {
            case NONE -> {}
            case HEX, HEX_AND_TEXT -> {
                for (int at = CapturedPacket.start(); at < packet.end(); at += BYTES_OF_LINE) {
                    printHex(packet.bytes(), at, Math.min(packet.end(), at + BYTES_OF_LINE));
                }
            }
            case TEXT -> printText(packet);
        }
    }

    private void printHex(ByteBuffer bytes, int from, int to) throws IOException {
        line.setLength(0);
        line.append(INDENT).append("0x%04x: ".formatted(from - CapturedPacket.start()));
        int hex = line.length();
        for (int i = from; i < to; i++) {
            line.append((i - from) % 2 == 0 ? " " : "").append("%02x".formatted(bytes.get(i) & 0xff));
        }
        if (style == LineStyle.Bytes.HEX_AND_TEXT) {
            line.append(" ".repeat(HEX_WIDTH - (line.length() - hex)));
            for (int i = from; i < to; i++) {
                line.append(visible(bytes.get(i)));
            }
        }
        out.line(line);
    }

    private void printText(CapturedPacket packet) throws IOException {
        line.setLength(0);
        for (int i = CapturedPacket.start(); i < packet.end(); i++) {
            byte each = packet.bytes().get(i);
            if (each == '\n') {
                out.line(line);
                line.setLength(0);
            } else if (each != '\r') {
                line.append(visible(each));
            }
        }
        if (!line.isEmpty()) {
            out.line(line);
        }
    }

    private static char visible(byte each) {
        return each >= ' ' && each < 0x7f ? (char) each : '.';
    }
}
