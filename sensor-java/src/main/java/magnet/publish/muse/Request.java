// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A request, taken apart: opcode, and as the opcode has it u8 number of a handler, text as u8 length, characters and NUL,
 * and options as u32 size and bytes. What follows in the frame is left alone: TAU's frames are longer than what they have.
 *
 * @param opcode what is asked for
 * @param handler number of a handler; 0 for opcodes without
 * @param name text; empty for opcodes without
 * @param options bytes of options, big-endian
 */
record Request(Opcode opcode, int handler, String name, ByteBuffer options) {
    private static final int BYTE = 0xff;

    /**
     * Takes a frame apart.
     *
     * @param frame what follows the length; its bytes may be shared
     * @throws RefusedException if it ends too early
     */
    static Request parse(ByteBuffer frame) throws RefusedException {
        try {
            Opcode opcode = Opcode.of(frame.get() & BYTE);
            return switch (opcode) {
                case HELP, CREATE, QUERY_MAPPER -> new Request(opcode, 0, text(frame), options(frame));
                case QUERY_HANDLER, DESTROY, START, STOP, RESET_FILTERS ->
                    new Request(opcode, frame.get() & BYTE, "", options(frame));
                case ADD_FILTER -> {
                    int handler = frame.get() & BYTE;
                    yield new Request(opcode, handler, text(frame), options(frame));
                }
                case GET, QUIT -> new Request(opcode, 0, "", options(frame));
            };
        } catch (BufferUnderflowException e) {
            throw new RefusedException("the request ends too early");
        }
    }

    private static String text(ByteBuffer frame) {
        byte[] bytes = new byte[frame.get() & BYTE];
        frame.get(bytes);
        if (frame.hasRemaining()) {
            frame.get();
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Those who have none may leave out the size, too. */
    private static ByteBuffer options(ByteBuffer frame) throws RefusedException {
        long size = frame.remaining() < Integer.BYTES ? 0 : Integer.toUnsignedLong(frame.getInt());
        if (size > frame.remaining()) {
            throw new RefusedException(
                    "options of " + size + " bytes are announced, of which " + frame.remaining() + " came");
        }
        return frame.slice(frame.position(), (int) size).order(ByteOrder.BIG_ENDIAN);
    }
}
