// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Bytes of XML that somebody else writes, up to a limit: of all of them, and of those without an end of a tag, so that no name
 * and no value fills the memory. Not thread-safe.
 */
final class BoundedInput extends FilterInputStream {
    /** Most bytes: 10,000 nodes with 150 metrics each are half of it. */
    static final long MOST = 1L << 30;

    /** Most bytes between two ends of tags. gmond takes no packet that is longer. */
    static final int MOST_OF_A_TAG = 1 << 16;

    private final long most;
    private long taken;
    private int sinceTag;
    private boolean ended;

    BoundedInput(InputStream in, long most) {
        super(in);
        this.most = most;
    }

    /** Bytes so far. */
    long taken() {
        return taken;
    }

    /** Whether there were no more. */
    boolean ended() {
        return ended;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = super.read(bytes, offset, length);
        if (count < 0) {
            ended = true;
            return count;
        }
        taken += count;
        if (taken > most) {
            throw new AnswerException("the answer is longer than " + most + " bytes, which no gmetad's is");
        }
        for (int i = offset; i < offset + count; i++) {
            sinceTag = bytes[i] == '>' ? 0 : sinceTag + 1;
            if (sinceTag > MOST_OF_A_TAG) {
                throw new AnswerException(
                        "the answer has " + MOST_OF_A_TAG + " bytes without the end of a tag, which no gmetad's has");
            }
        }
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        throw new IOException("skipped bytes would not be counted");
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
