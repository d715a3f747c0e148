// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Requests byte for byte as TAU's client of MUSE sends them, with its lengths, which count more than there is, and what is
 * left over in its flags. Behind them comes as much of its zeroed buffer as the length says.
 */
final class Frames {
    private static final HexFormat HEX = HexFormat.of();

    private Frames() {}

    /** {@code create TAU_count}: a struct of two numbers. */
    static byte[] createCount() {
        return frame(24, "01 09", "TAU_count", "00 00000008 00000000 00000000");
    }

    /** {@code create process_scheduling}: its length adds the letter p instead of the length of the name. */
    static byte[] createScheduling() {
        return frame(4 + 'p' + 4, "01 12", "process_scheduling", "00 00000000");
    }

    /** {@code create process_scheduling pid=N}. */
    static byte[] createScheduling(int process) {
        return frame(4 + 18 + 4 + 8, "01 12", "process_scheduling", "00 00000008 20abcdef " + hex(process));
    }

    /** {@code create bandwidth SECONDS}, or {@code tcpbandwidth}. */
    static byte[] createBandwidth(String name, double seconds) {
        String options = HEX.toHexDigits(Double.doubleToLongBits(seconds)) + "00000000 00000000";
        return frame(
                3 + name.length() + 4 + 16,
                "01" + HEX.toHexDigits((byte) name.length()),
                name,
                "00 00000010" + options);
    }

    /** {@code create accumulator}: an empty struct, of one byte in C++. */
    static byte[] createAccumulator() {
        return frame(3 + 11 + 4 + 1, "01 0b", "accumulator", "00 00000001 00");
    }

    /** {@code addfilter H process_filter pid=N event=N}. */
    static byte[] addProcessFilter(int handler, int process, int event) {
        return frame(
                0x22,
                "08" + HEX.toHexDigits((byte) handler) + "0e",
                "process_filter",
                "00 0000000c a0102030" + hex(event) + hex(process));
    }

    /** {@code addfilter H process_filter pid=N}. */
    static byte[] addProcessFilter(int handler, int process) {
        return frame(
                0x1e,
                "08" + HEX.toHexDigits((byte) handler) + "0e",
                "process_filter",
                "00 00000008 20000000" + hex(process));
    }

    /** {@code addfilter H socket_filter pid=N event=N}. */
    static byte[] addSocketFilter(int handler, int process, int event) {
        return frame(
                0x21,
                "08" + HEX.toHexDigits((byte) handler) + "0d",
                "socket_filter",
                "00 0000000c a0000000" + hex(event) + hex(process));
    }

    /** {@code addfilter H socket_filter sid=N}. */
    static byte[] addSocketFilter(int handler, int socket) {
        return frame(
                0x1d,
                "08" + HEX.toHexDigits((byte) handler) + "0d",
                "socket_filter",
                "00 00000008 10000000" + hex(socket));
    }

    /** Opcodes 3 to 7, with a handler's number. */
    static byte[] ofHandler(int opcode, int handler) {
        return frame(6, HEX.toHexDigits((byte) opcode) + HEX.toHexDigits((byte) handler), "", "00000000");
    }

    /** HELP or QUERY_MAPPER. */
    static byte[] named(int opcode, String name) {
        return frame(
                1 + 2 + name.length() + 4,
                HEX.toHexDigits((byte) opcode) + HEX.toHexDigits((byte) name.length()),
                name,
                "00 00000000");
    }

    /** GET of a list from a line on. */
    static byte[] get(int list, int first) {
        return frame(10, "09 00000005" + HEX.toHexDigits((byte) list) + hex(first), "", "");
    }

    static byte[] quit() {
        return frame(5, "0a 00000000", "", "");
    }

    private static String hex(int number) {
        return HEX.toHexDigits(number);
    }

    /** Length as u32, bytes, a text, bytes, and zeros up to the length. */
    static byte[] frame(int length, String before, String text, String after) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(HEX.parseHex(hex(length)));
        bytes.writeBytes(HEX.parseHex(before.replace(" ", "")));
        bytes.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
        bytes.writeBytes(HEX.parseHex(after.replace(" ", "")));
        while (bytes.size() < 4 + length) {
            bytes.write(0);
        }
        return bytes.toByteArray();
    }

    /** The body of a request, as a session gets it. */
    static ByteBuffer body(byte[] request) {
        return ByteBuffer.wrap(request, Integer.BYTES, request.length - Integer.BYTES)
                .slice();
    }
}
