// SPDX-License-Identifier: Apache-2.0
package magnet.it.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import magnet.it.guest.Tree;
import magnet.record.EventType;
import magnet.record.Payload;
import magnet.record.RecordFlyweight;
import magnet.trace.TraceReader;

/**
 * Stamps the frames on a cable with this machine's time stamp counter, of which a guest's differs by a constant. The least time
 * from a guest's record to the stamp here, over many frames, is that constant, and what a frame takes at least.
 */
final class CableWitness {
    private static final int ETHERNET = 14;
    private static final int IPV4 = 0x0800;
    private static final int HEADER = Long.BYTES + Integer.BYTES;
    private static final int KEY_END = 28;

    private final Process process;
    private final Path file;

    private CableWitness(Process process, Path file) {
        this.process = process;
        this.file = file;
    }

    /** Begins to hear a cable. */
    static CableWitness start(int cable, Path file) throws IOException {
        Process process = new ProcessBuilder(
                        Tree.build().resolve("tools/cable_witness").toString(), "" + cable, file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
        if (!"listening".equals(said.readLine())) {
            throw new IOException("cable_witness does not listen");
        }
        return new CableWitness(process, file);
    }

    /** Hears no more; to be called in any case. */
    void end() {
        process.destroy();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The ticks of this machine less those of a node, by the frames that the node has sent. */
    long ticksAhead(Path trace) throws IOException {
        Map<String, Long> stamps = stamps();
        long[] least = {Long.MAX_VALUE, 0};
        try (TraceReader reader = TraceReader.open(trace)) {
            reader.read(record -> {
                Long stamp = record.event() == EventType.NET_DEV_START_XMIT.id() ? stamps.get(key(record)) : null;
                if (stamp != null) {
                    least[0] = Math.min(least[0], stamp - record.timer());
                    least[1]++;
                }
            });
        }
        if (least[1] < 100) {
            throw new IOException("the witness has only " + least[1] + " frames of " + trace);
        }
        return least[0];
    }

    /** When a frame came, of those that are alone with their key. */
    private Map<String, Long> stamps() throws IOException {
        ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
        Map<String, Long> stamps = new HashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        for (int at = 0; at + HEADER <= all.limit(); ) {
            int length = all.getInt(at + Long.BYTES);
            int frame = at + HEADER;
            if (frame + length > all.limit()) {
                break;
            }
            int type = (all.get(frame + 12) & 0xff) << Byte.SIZE | (all.get(frame + 13) & 0xff);
            if (type == IPV4 && length >= ETHERNET + KEY_END) {
                String key = key(all, frame + ETHERNET);
                stamps.put(key, all.getLong(at));
                counts.merge(key, 1, Integer::sum);
            }
            at = frame + length;
        }
        stamps.keySet().removeIf(key -> counts.get(key) > 1);
        return stamps;
    }

    private static String key(RecordFlyweight record) {
        int captured = record.payloadU16(Payload.PACKET_CAPTURED_OFFSET);
        int from = record.payloadOffset() + Payload.PACKET.size();
        return captured < KEY_END || record.buffer().get(from) != 0x45 ? "" : key(record.buffer(), from);
    }

    /** Identification, protocol, addresses, and eight bytes behind IP's header, of which none changes on a cable. */
    private static String key(ByteBuffer bytes, int packet) {
        byte[] key = new byte[KEY_END];
        for (int at = 4; at < KEY_END; at++) {
            boolean isChecksum = at == 10 || at == 11 || at == 26 || at == 27;
            key[at] = isChecksum ? 0 : bytes.get(packet + at);
        }
        return new String(key, StandardCharsets.ISO_8859_1);
    }
}
