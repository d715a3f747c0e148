// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import magnet.json.Json;
import magnet.record.WordKind;

/**
 * A packet as a JSON object, one a line. {@code packet} is what the line for people says; {@code journey} has the layers that
 * saw it with the nanoseconds since the first one. Names that are not known are left out. For one thread.
 */
final class JsonSink implements PacketSink {
    private final PacketDump.Lines out;
    private final PacketDump.Scene scene;
    private final boolean steps;
    private final PacketText packets;
    private final StringBuilder text = new StringBuilder(128);

    /** @param steps whether the layers are wanted */
    JsonSink(PacketDump.Lines out, PacketDump.Scene scene, boolean steps) {
        this.out = out;
        this.scene = scene;
        this.steps = steps;
        this.packets = new PacketText(scene.words());
    }

    @Override
    public void onPacket(CapturedPacket packet) throws IOException {
        long nanos = scene.clock().realtimeNs(packet.timer());
        text.setLength(0);
        packets.append(packet, text);
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("time", Instant.EPOCH.plusNanos(nanos));
        object.put("time_ns", nanos);
        object.put("timer", packet.timer());
        object.put(
                "device",
                scene.interfaces().device(packet.ifindex(), packet.namespace()).name());
        object.put("direction", packet.sent() ? "out" : "in");
        object.put("packet", text);
        object.put("ethertype", packet.ethertype());
        object.put("length", packet.originalLength());
        putPlace(object, packet.cpu(), packet.process(), packet.thread(), packet.owner());
        if (steps) {
            object.put("journey", journey(packet.journey()));
            putDrop(object, packet.journey());
        }
        out.line(Json.of(object));
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    private void putPlace(Map<String, Object> object, int cpu, int process, int thread, String owner) {
        object.put("cpu", cpu);
        object.put("tgid", process);
        object.put("tid", thread);
        String name = scene.threads().name(thread != 0 || process == 0 ? thread : process);
        if (!name.isEmpty()) {
            object.put("thread", name);
        }
        if (!owner.isEmpty()) {
            object.put("owner", owner);
        }
    }

    private List<Map<String, Object>> journey(Journey journey) {
        List<Map<String, Object>> layers = new ArrayList<>();
        for (int step = 0; step < journey.size(); step++) {
            Map<String, Object> layer = new LinkedHashMap<>();
            layer.put("point", journey.point(step).label());
            layer.put("ns", scene.clock().ticksToNanos(journey.timer(step) - journey.timer(0)));
            putPlace(layer, journey.cpu(step), journey.process(step), journey.thread(step), journey.owner(step));
            layers.add(layer);
        }
        return layers;
    }

    private void putDrop(Map<String, Object> object, Journey journey) {
        if (journey.further() > 0) {
            object.put("further_layers", journey.further());
        }
        int reason = journey.dropReason();
        if (reason != Journey.NOT_DROPPED) {
            String word = scene.words().of(WordKind.DROP_REASON, reason);
            object.put("dropped", word == null ? "reason " + reason : word);
        }
    }
}
