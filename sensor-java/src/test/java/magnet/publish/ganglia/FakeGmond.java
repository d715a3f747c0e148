// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Receives what gmond would, and decodes it on its own, without gmetric4j. */
public final class FakeGmond implements AutoCloseable {
    /** A decoded packet; a value packet has a value, a metadata packet the rest. */
    public record Packet(
            int id,
            String host,
            String name,
            boolean spoof,
            String value,
            String type,
            String units,
            int slope,
            int tmax,
            int dmax,
            List<ExtraElement> extra) {
        public boolean isMetadata() {
            return id == 128;
        }
    }

    private final DatagramSocket socket;

    public FakeGmond() throws IOException {
        this(0);
    }

    FakeGmond(int port) throws IOException {
        this(new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }

    FakeGmond(DatagramSocket socket) throws IOException {
        this.socket = socket;
        socket.setReceiveBufferSize(1 << 20);
    }

    public int port() {
        return socket.getLocalPort();
    }

    SendChannel channel() {
        return TestChannels.unicast("127.0.0.1", port());
    }

    /** The next packet's bytes and source, or null when none comes. */
    public DatagramPacket receive(int millis) throws IOException {
        socket.setSoTimeout(millis);
        DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
        try {
            socket.receive(packet);
            return packet;
        } catch (SocketTimeoutException e) {
            return null;
        }
    }

    /** The next packet, or none if it does not come in time. */
    public Optional<Packet> next(int millis) throws IOException {
        DatagramPacket packet = receive(millis);
        return packet == null
                ? Optional.empty()
                : Optional.of(decode(ByteBuffer.wrap(packet.getData(), 0, packet.getLength())));
    }

    /** Everything that comes until nothing has come for a while. */
    public List<Packet> receiveAll() throws IOException {
        List<Packet> packets = new ArrayList<>();
        for (DatagramPacket next = receive(2_000); next != null; next = receive(200)) {
            packets.add(decode(ByteBuffer.wrap(next.getData(), 0, next.getLength())));
        }
        return packets;
    }

    @Override
    public void close() {
        socket.close();
    }

    static Packet decode(ByteBuffer packet) {
        int id = packet.getInt();
        String host = string(packet);
        String name = string(packet);
        boolean spoof = packet.getInt() != 0;
        if (id == 133) {
            if (!string(packet).equals("%s")) {
                throw new AssertionError("format of " + name);
            }
            String value = string(packet);
            requireEnd(packet);
            return new Packet(id, host, name, spoof, value, "", "", 0, 0, 0, List.of());
        }
        if (id != 128) {
            throw new AssertionError("packet id " + id);
        }
        String type = string(packet);
        if (!string(packet).equals(name)) {
            throw new AssertionError("second name of " + name);
        }
        String units = string(packet);
        int slope = packet.getInt();
        int tmax = packet.getInt();
        int dmax = packet.getInt();
        List<ExtraElement> extra = new ArrayList<>();
        for (int left = packet.getInt(); left > 0; left--) {
            extra.add(new ExtraElement(string(packet), string(packet)));
        }
        requireEnd(packet);
        return new Packet(id, host, name, spoof, "", type, units, slope, tmax, dmax, extra);
    }

    private static void requireEnd(ByteBuffer packet) {
        if (packet.hasRemaining()) {
            throw new AssertionError(packet.remaining() + " bytes too many");
        }
    }

    private static String string(ByteBuffer packet) {
        byte[] bytes = new byte[packet.getInt()];
        packet.get(bytes);
        packet.position(packet.position() + (4 - bytes.length % 4) % 4);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
