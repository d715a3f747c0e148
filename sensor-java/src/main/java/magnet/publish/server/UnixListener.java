// SPDX-License-Identifier: Apache-2.0
package magnet.publish.server;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** Listens at sockets that are files. Stateless. */
public final class UnixListener {
    private UnixListener() {}

    /**
     * Listens there, without ever waiting. A socket that nobody answers any more gives way: whoever was killed has left it.
     *
     * @param permissions who may connect, as {@code ls} shows them without the kind: {@code rw-rw----}
     * @throws IOException if somebody listens there, or there is a file of another kind, or the folder or its file system does not allow it
     */
    public static ServerSocketChannel open(Path path, String permissions) throws IOException {
        removeLeftOver(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(path));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
            channel.configureBlocking(false);
            return channel;
        } catch (UnsupportedOperationException e) {
            channel.close();
            throw new IOException(e.getMessage(), e);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static void removeLeftOver(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther()) {
            throw new IOException("there is a file that is no socket");
        }
        if (isAnswered(path)) {
            throw new IOException("somebody listens there already");
        }
        Files.delete(path);
    }

    private static boolean isAnswered(Path path) throws IOException {
        SocketChannel other = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            other.configureBlocking(false);
            other.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException e) {
            return false;
        } finally {
            other.close();
        }
    }
}
