// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server that answers each line as it is told to, in a thread for each connection. */
final class ScriptedMon implements AutoCloseable {
    /** Makes an answer; null to give none. May wait. */
    interface Script {
        String answer(String line) throws InterruptedException;
    }

    private final ServerSocket listening;
    private final Script script;
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    ScriptedMon(Script script) throws IOException {
        this(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), script);
    }

    ScriptedMon(ServerSocket listening, Script script) {
        this.listening = listening;
        this.script = script;
        Thread thread = new Thread(this::accept, "scripted-mon");
        thread.setDaemon(true);
        thread.start();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(listening.getInetAddress(), listening.getLocalPort());
    }

    /** Lines that have come. */
    List<String> asked() {
        return asked;
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                sockets.add(socket);
                Thread thread = new Thread(() -> serve(socket), "scripted-mon-connection");
                thread.setDaemon(true);
                thread.start();
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                asked.add(line);
                String answer = script.answer(line);
                if (answer != null) {
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                }
            }
        } catch (IOException | InterruptedException e) {
            // Either side has had enough.
        }
    }

    /** Connections that there were. */
    int connections() {
        return sockets.size();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
