// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A client that asks one thing after the other. */
final class TestClient implements AutoCloseable {
    private final Socket socket;

    TestClient(InetSocketAddress address) throws IOException {
        socket = new Socket(address.getAddress(), address.getPort());
        socket.setTcpNoDelay(true);
    }

    void send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** One answer, up to the empty line that ends it. */
    String answer() throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        int lineEnds = 0;
        while (lineEnds < 2) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the connection ended after '" + answer + "'");
            }
            answer.write(next);
            lineEnds = next == '\n' ? lineEnds + 1 : 0;
        }
        return answer.toString(StandardCharsets.ISO_8859_1);
    }

    List<Object> ask(String bytes) throws IOException {
        send(bytes);
        return SexpParser.list(answer());
    }

    /** All that comes until the other side closes. */
    String rest() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Whether something can be read. */
    boolean hasAnswer() throws IOException {
        return socket.getInputStream().available() > 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
