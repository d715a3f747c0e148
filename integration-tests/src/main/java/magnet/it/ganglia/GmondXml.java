// SPDX-License-Identifier: Apache-2.0
package magnet.it.ganglia;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** What a gmond tells on its TCP port, read by the JDK's XML parser. Immutable. */
public final class GmondXml {
    private final String text;
    private final Map<String, String> hosts;
    private final List<GmondMetric> metrics;

    private GmondXml(String text, Map<String, String> hosts, List<GmondMetric> metrics) {
        this.text = text;
        this.hosts = hosts;
        this.metrics = metrics;
    }

    /**
     * Parses a whole document.
     *
     * @throws IllegalArgumentException if it is not well-formed
     */
    public static GmondXml parse(String text) {
        Map<String, String> hosts = new LinkedHashMap<>();
        List<GmondMetric> metrics = new ArrayList<>();
        NodeList elements = document(text).getElementsByTagName("HOST");
        for (int h = 0; h < elements.getLength(); h++) {
            Element host = (Element) elements.item(h);
            hosts.put(host.getAttribute("NAME"), host.getAttribute("IP"));
            for (Element metric : children(host, "METRIC")) {
                metrics.add(metric(host.getAttribute("NAME"), metric));
            }
        }
        return new GmondXml(text, hosts, metrics);
    }

    private static Document document(String text) {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
            return factory.newDocumentBuilder().parse(new InputSource(new StringReader(text)));
        } catch (SAXException e) {
            throw new IllegalArgumentException("gmond's XML is not well-formed: " + e.getMessage(), e);
        } catch (ParserConfigurationException | java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static GmondMetric metric(String host, Element metric) {
        List<String> groups = new ArrayList<>();
        Map<String, String> extras = new LinkedHashMap<>();
        for (Element data : children(metric, "EXTRA_DATA")) {
            for (Element extra : children(data, "EXTRA_ELEMENT")) {
                if (extra.getAttribute("NAME").equals("GROUP")) {
                    groups.add(extra.getAttribute("VAL"));
                }
                extras.put(extra.getAttribute("NAME"), extra.getAttribute("VAL"));
            }
        }
        return new GmondMetric(
                host,
                metric.getAttribute("NAME"),
                metric.getAttribute("VAL"),
                metric.getAttribute("TYPE"),
                metric.getAttribute("UNITS"),
                Integer.parseInt(metric.getAttribute("TN")),
                Integer.parseInt(metric.getAttribute("TMAX")),
                Integer.parseInt(metric.getAttribute("DMAX")),
                metric.getAttribute("SLOPE"),
                groups,
                extras.getOrDefault("TITLE", ""),
                extras.getOrDefault("DESC", ""));
    }

    private static List<Element> children(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        NodeList nodes = parent.getChildNodes();
        for (int i = 0; i < nodes.getLength(); i++) {
            if (nodes.item(i) instanceof Element element && element.getTagName().equals(name)) {
                found.add(element);
            }
        }
        return found;
    }

    /** The metric of this name; if several hosts have one, that of the first. */
    public Optional<GmondMetric> metric(String name) {
        return metrics.stream().filter(m -> m.name().equals(name)).findFirst();
    }

    /** All metrics whose name starts so, of all hosts, in gmond's order. */
    public List<GmondMetric> startingWith(String prefix) {
        return metrics.stream().filter(m -> m.name().startsWith(prefix)).toList();
    }

    /** The hosts that it knows of, and their addresses. */
    public Map<String, String> hosts() {
        return Map.copyOf(hosts);
    }

    /** The document as gmond sent it. */
    public String text() {
        return text;
    }

    /**
     * The value of a metric that is a number.
     *
     * @throws AssertionError if there is none of this name; who waits for it asks again
     */
    public double number(String name) {
        return metric(name)
                .orElseThrow(() -> new AssertionError("gmond has no metric " + name))
                .number();
    }
}
