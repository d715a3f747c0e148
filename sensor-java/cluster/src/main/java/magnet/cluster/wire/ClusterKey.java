// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key that all nodes of a cluster share: whoever has it may start and stop recordings. It signs datagrams by HMAC-SHA256
 * (RFC 2104). For one thread.
 */
public final class ClusterKey {
    /** Bytes of a signature. */
    static final int MAC_SIZE = 32;
    /** A key has at least as many bytes: the more there are, the better, up to a block of SHA-256. */
    static final int BYTES_LEAST = 32;

    private static final int BYTES_MOST = 4096;
    private static final String ALGORITHM = "HmacSHA256";
    private static final Set<PosixFilePermission> OF_OTHERS =
            Set.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);

    private final Mac mac;

    /** @param secret at least {@value #BYTES_LEAST} bytes */
    public ClusterKey(byte[] secret) {
        if (secret.length < BYTES_LEAST) {
            throw new IllegalArgumentException("a key has at least " + BYTES_LEAST + " bytes: " + secret.length);
        }
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("each Java has " + ALGORITHM, e);
        }
    }

    /**
     * The key of a file: all of its bytes.
     *
     * @throws IOException if it cannot be read, is too short or too long, or others than its owner and its group may read it; says
     *     what to do
     */
    public static ClusterKey read(Path file) throws IOException {
        byte[] secret;
        try {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
            if (permissions.stream().anyMatch(OF_OTHERS::contains)) {
                throw new IOException(file + ": others may read or change it, so it is no secret; make a new one:"
                        + " magnet cluster key");
            }
            if (Files.size(file) > BYTES_MOST) {
                throw new IOException(file + ": a key has at most " + BYTES_MOST + " bytes");
            }
            secret = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new IOException(
                    file + ": no such file; all nodes share one key: make it on one of them (magnet cluster key), and"
                            + " copy it to the others",
                    e);
        } catch (AccessDeniedException e) {
            throw new IOException(file + ": permission denied; root and group magnet may read it", e);
        }
        if (secret.length < BYTES_LEAST) {
            throw new IOException(file + ": it has " + secret.length + " bytes, and a key has at least " + BYTES_LEAST
                    + "; make a new one: magnet cluster key");
        }
        return new ClusterKey(secret);
    }

    /** Signs what lies before a position: the signature goes there. */
    void sign(ByteBuffer datagram, int end) {
        datagram.put(end, macOf(datagram, end));
    }

    /** Whether a signature is right; takes as long if it is not. */
    boolean isSigned(ByteBuffer datagram, int end) {
        byte[] given = new byte[MAC_SIZE];
        datagram.get(end, given);
        return MessageDigest.isEqual(macOf(datagram, end), given);
    }

    private byte[] macOf(ByteBuffer datagram, int end) {
        mac.update(datagram.slice(0, end));
        return mac.doFinal();
    }
}
