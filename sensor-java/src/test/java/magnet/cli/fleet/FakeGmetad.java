// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Answers whoever connects with the same bytes, as gmetad's xml_port does, and closes, or does not. */
final class FakeGmetad implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    private final Thread thread;

    FakeGmetad(byte[] answer, boolean closes) throws IOException {
        thread = new Thread(() -> {
            try {
                while (true) {
                    Socket client = server.accept();
                    OutputStream out = client.getOutputStream();
                    out.write(answer);
                    out.flush();
                    if (closes) {
                        client.close();
                    }
                }
            } catch (IOException e) {
                // It was closed.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    String address() {
        return "127.0.0.1:" + server.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
