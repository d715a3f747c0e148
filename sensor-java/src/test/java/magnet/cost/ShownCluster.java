// SPDX-License-Identifier: Apache-2.0
package magnet.cost;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import magnet.publish.ganglia.SimulatedNode;

/**
 * What gmond shows of a cluster. Immutable.
 *
 * @param bytes of its XML
 * @param seconds from the connection to the last byte
 * @param values by host, then by metric
 */
record ShownCluster(long bytes, double seconds, Map<String, Map<String, String>> values) {
    /** Asks a gmond on the loopback address. */
    static ShownCluster ask(int port) throws IOException {
        long began = System.nanoTime();
        byte[] xml;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            xml = socket.getInputStream().readAllBytes();
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        try {
            return new ShownCluster(xml.length, seconds, parse(xml));
        } catch (XMLStreamException e) {
            throw new IOException("gmond's XML is broken", e);
        }
    }

    private static Map<String, Map<String, String>> parse(byte[] xml) throws XMLStreamException {
        Map<String, Map<String, String>> hosts = new HashMap<>();
        Map<String, String> host = new HashMap<>();
        XMLStreamReader reader = XMLInputFactory.newFactory().createXMLStreamReader(new ByteArrayInputStream(xml));
        while (reader.hasNext()) {
            if (reader.next() != XMLStreamConstants.START_ELEMENT) {
                continue;
            }
            String name = reader.getAttributeValue(null, "NAME");
            if (reader.getLocalName().equals("HOST")) {
                host = hosts.computeIfAbsent(name, key -> new HashMap<>());
            } else if (reader.getLocalName().equals("METRIC")) {
                host.put(name, reader.getAttributeValue(null, "VAL"));
            }
        }
        return hosts;
    }

    /** How many of the values that these nodes have sent last it does not show, or shows otherwise. */
    long wrong(List<SimulatedNode> nodes) {
        long wrong = 0;
        for (SimulatedNode node : nodes) {
            Map<String, String> shown = values.getOrDefault(node.name(), Map.of());
            wrong += node.last().entrySet().stream()
                    .filter(sent -> !sent.getValue().equals(shown.get(sent.getKey())))
                    .count();
        }
        return wrong;
    }

    /** How many values it shows. */
    long size() {
        return values.values().stream().mapToLong(Map::size).sum();
    }
}
