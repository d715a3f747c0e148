// SPDX-License-Identifier: Apache-2.0
package magnet.publish.muse;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** A client of MUSE that was accepted. */
final class TestClient implements AutoCloseable {
    private final SocketChannel channel;
    private final DataInputStream input;

    private TestClient(SocketChannel channel) {
        this.channel = channel;
        this.input = new DataInputStream(Channels.newInputStream(channel));
    }

    static TestClient at(InetSocketAddress address) throws IOException {
        return greeted(SocketChannel.open(address));
    }

    static TestClient at(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return greeted(channel);
    }

    private static TestClient greeted(SocketChannel channel) throws IOException {
        TestClient client = new TestClient(channel);
        assertThat(client.input.read()).as("0 accepted, 1 refused").isZero();
        return client;
    }

    /** What is answered at once: 0 accepted, 1 refused. */
    static int greeting(SocketAddress address) throws IOException {
        try (SocketChannel channel = SocketChannel.open(address)) {
            return new DataInputStream(Channels.newInputStream(channel)).read();
        }
    }

    void send(byte[] bytes, int from, int to) throws IOException {
        ByteBuffer part = ByteBuffer.wrap(bytes, from, to - from);
        while (part.hasRemaining()) {
            channel.write(part);
        }
    }

    void send(byte[] bytes) throws IOException {
        send(bytes, 0, bytes.length);
    }

    /** A reply without its length: error and data. */
    byte[] receive() throws IOException {
        byte[] reply = new byte[input.readInt()];
        input.readFully(reply);
        return reply;
    }

    byte[] ask(byte[] request) throws IOException {
        send(request);
        return receive();
    }

    /** Whether the server has ended the connection. */
    boolean isEnded() throws IOException {
        try {
            return input.read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
