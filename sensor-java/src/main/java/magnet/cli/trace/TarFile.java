// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;

/**
 * Writes an archive in the form of POSIX.1-1988, ustar. How large a member is need not be known before: its header is written when
 * it is whole. Sizes from 8 GiB on are written as GNU tar does. For one thread.
 */
final class TarFile {
    /** A name has room for so many bytes. */
    static final int NAME_MOST = 99;

    private static final int BLOCK = 512;
    private static final int MODE_AT = 100;
    private static final int OWNER_AT = 108;
    private static final int GROUP_AT = 116;
    private static final int SIZE_AT = 124;
    private static final int TIME_AT = 136;
    private static final int SUM_AT = 148;
    private static final int TYPE_AT = 156;
    private static final int MAGIC_AT = 257;
    private static final int SIZE_DIGITS = 11;
    private static final long OCTAL_END = 1L << 33;

    private final FileChannel channel;
    private final long seconds;

    /** Writes what a member has. */
    @FunctionalInterface
    interface Contents {
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Begins one.
     *
     * @param channel of a regular file that is empty
     * @param seconds when the members were made, since 1970
     */
    TarFile(FileChannel channel, long seconds) {
        this.channel = channel;
        this.seconds = seconds;
    }

    /** Adds a member. */
    void add(String name, Contents contents) throws IOException {
        long begin = channel.position();
        channel.position(begin + BLOCK);
        OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
        contents.writeTo(out);
        out.flush();
        long end = channel.position();
        write(ByteBuffer.wrap(header(name, end - begin - BLOCK)), begin);
        channel.position(end + (BLOCK - end % BLOCK) % BLOCK);
    }

    /** There are no more members. */
    void finish() throws IOException {
        write(ByteBuffer.allocate(2 * BLOCK), channel.position());
    }

    private void write(ByteBuffer bytes, long at) throws IOException {
        long to = at;
        while (bytes.hasRemaining()) {
            to += channel.write(bytes, to);
        }
    }

    private byte[] header(String name, long size) {
        byte[] header = new byte[BLOCK];
        put(header, 0, name);
        put(header, MODE_AT, "0000644");
        put(header, OWNER_AT, "0000000");
        put(header, GROUP_AT, "0000000");
        if (size < OCTAL_END) {
            put(header, SIZE_AT, octal(size, SIZE_DIGITS));
        } else {
            header[SIZE_AT] = (byte) 0x80;
            ByteBuffer.wrap(header).putLong(SIZE_AT + 4, size);
        }
        put(header, TIME_AT, octal(seconds, SIZE_DIGITS));
        put(header, SUM_AT, "        ");
        put(header, TYPE_AT, "0");
        put(header, MAGIC_AT, "ustar\00000");
        int sum = 0;
        for (byte each : header) {
            sum += each & 0xff;
        }
        put(header, SUM_AT, octal(sum, 6) + "\0 ");
        return header;
    }

    private static String octal(long number, int digits) {
        return ("%0" + digits + "o").formatted(number);
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }
}
