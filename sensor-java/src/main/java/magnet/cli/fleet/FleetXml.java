// SPDX-License-Identifier: Apache-2.0
package magnet.cli.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import magnet.cli.world.Counted;
import magnet.cli.world.VisibleText;
import magnet.metric.SensorMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Reads what gmetad, or gmond, writes: {@code GANGLIA_XML}, in it {@code GRID}s in each other, {@code CLUSTER}, {@code HOST}
 * and {@code METRIC}. In one pass, so that only what a node is judged by stays in memory. Its document type is taken out before;
 * entities are neither declared nor fetched nor replaced. For one document.
 *
 * <p>The elements are those of gmetad's own document type, which it sends along.
 */
final class FleetXml {
    /** Most hosts, clusters and grids, each: more than a gmetad has, and few enough for the memory of a command. */
    static final int MOST = 20_000;

    /** Names of hosts have 255 characters at most. */
    private static final int LONGEST_NAME = 255;

    private static final int LONGEST_VALUE = 64;

    private static final int DEEPEST = 64;
    /** A host that says no TMAX is silent after 60 s, as if its TMAX were a quarter of that. */
    private static final double OLD_TMAX = 15;

    private static final Pattern SECONDS = Pattern.compile("-?\\d{1,10}");

    private final BoundedInput in;
    private final List<NodeReport> nodes = new ArrayList<>();
    private final List<GangliaReport.Cluster> clusters = new ArrayList<>();
    private final List<GangliaReport.Sums> sums = new ArrayList<>();
    private final List<Grid> grids = new ArrayList<>();
    private ClusterName cluster = new ClusterName(List.of(), "");
    private String localTime = "";
    private boolean inCluster;
    private int hosts;
    private int depth;
    private @Nullable Host host;

    private FleetXml(BoundedInput in) {
        this.in = in;
    }

    /**
     * A grid that is being read.
     *
     * @param authority where its own front end is
     */
    private record Grid(String name, String authority) {}

    /** A host that is being read. */
    private static final class Host {
        private final String name;
        private final NodeReport.Heard heard;
        private final Map<String, String> values = new HashMap<>();
        private NodeReport.@Nullable Heard sensor;

        Host(String name, NodeReport.Heard heard) {
            this.name = name;
            this.heard = heard;
        }

        /** The newest of magnet's values counts. */
        void hears(NodeReport.Heard other) {
            if (sensor == null || other.seconds() < sensor.seconds()) {
                sensor = other;
            }
        }

        NodeReport report(ClusterName cluster) {
            return new NodeReport(cluster, name, heard, Optional.ofNullable(sensor), values);
        }
    }

    /**
     * Reads all of it.
     *
     * @param stream what gmetad says
     * @throws AnswerException if it is nothing that gmetad writes
     */
    static GangliaReport read(InputStream stream) throws IOException {
        return read(stream, BoundedInput.MOST);
    }

    static GangliaReport read(InputStream stream, long most) throws IOException {
        return new FleetXml(new BoundedInput(stream, most)).all();
    }

    private GangliaReport all() throws IOException {
        XMLStreamReader reader = null;
        try {
            reader = factory().createXMLStreamReader(Prolog.withoutDocumentType(in));
            while (reader.hasNext()) {
                step(reader, reader.next());
            }
        } catch (XMLStreamException e) {
            throw wrong(e);
        } catch (RuntimeException e) {
            // The parser lets some of its own slip out where the input is broken.
            throw new AnswerException(
                    "the answer is no XML that gmetad writes: " + VisibleText.of(String.valueOf(e.getMessage())));
        } finally {
            close(reader);
        }
        return new GangliaReport(nodes, clusters, sums);
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        factory.setXMLResolver((publicId, systemId, baseUri, namespace) -> {
            throw new XMLStreamException("nothing else is fetched");
        });
        return factory;
    }

    private static void close(@Nullable XMLStreamReader reader) {
        try {
            if (reader != null) {
                reader.close();
            }
        } catch (XMLStreamException e) {
            // It holds nothing: the stream is somebody else's.
        }
    }

    private AnswerException wrong(XMLStreamException e) throws IOException {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException io) {
                throw io;
            }
        }
        if (in.taken() == 0) {
            return new AnswerException(
                    "the answer is empty: gmetad answers hosts in trusted_hosts of gmetad.conf only");
        }
        int line = e.getLocation() == null ? 0 : e.getLocation().getLineNumber();
        int column = e.getLocation() == null ? 0 : e.getLocation().getColumnNumber();
        int offset = e.getLocation() == null ? 0 : e.getLocation().getCharacterOffset();
        String where = line > 0 ? "line " + line + ", column " + column : "before the first element";
        return in.ended() && (line <= 0 || offset >= in.taken() - 1)
                ? new AnswerException("the answer breaks off after " + Counted.of(in.taken(), "byte") + ", " + where)
                : new AnswerException("the answer is no XML that gmetad writes: " + where + ": " + reason(e));
    }

    /** The parser's own words, without the place in front. */
    private static String reason(XMLStreamException e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf("Message: ");
        return VisibleText.of(
                message.substring(end < 0 ? 0 : end + "Message: ".length()).strip());
    }

    private void step(XMLStreamReader reader, int event) throws XMLStreamException, IOException {
        switch (event) {
            case XMLStreamConstants.START_ELEMENT -> begin(reader);
            case XMLStreamConstants.END_ELEMENT -> end(reader.getLocalName());
            case XMLStreamConstants.ENTITY_REFERENCE ->
                throw new AnswerException(
                        "the answer has an entity, which gmetad's has not: " + VisibleText.of(reader.getLocalName()));
            default -> {
                // Spaces, comments, the document type.
            }
        }
    }

    private void begin(XMLStreamReader reader) throws IOException {
        String element = reader.getLocalName();
        if (depth == 0 && !element.equals("GANGLIA_XML")) {
            throw new AnswerException(
                    "the answer is none of gmetad's: it begins with <" + VisibleText.of(shortened(element)) + ">");
        }
        depth++;
        if (depth > DEEPEST) {
            throw new AnswerException(
                    "the answer has more than " + DEEPEST + " elements in each other, which gmetad's has not");
        }
        switch (element) {
            case "GRID" -> grids.add(new Grid(name(reader), text(reader, "AUTHORITY")));
            case "CLUSTER" -> {
                cluster = new ClusterName(grids.stream().map(Grid::name).toList(), name(reader));
                localTime = text(reader, "LOCALTIME");
                inCluster = true;
                hosts = 0;
            }
            case "HOST" -> host = host(reader);
            case "METRIC" -> metric(reader);
            case "HOSTS" -> sums();
            default -> {
                // METRICS, EXTRA_DATA, EXTRA_ELEMENT.
            }
        }
    }

    private void end(String element) throws AnswerException {
        depth--;
        switch (element) {
            case "GRID" -> grids.remove(grids.size() - 1);
            case "CLUSTER" -> {
                checkRoom(clusters);
                clusters.add(new GangliaReport.Cluster(cluster, hosts));
                inCluster = false;
            }
            case "HOST" -> {
                if (host != null) {
                    nodes.add(host.report(cluster));
                }
                host = null;
            }
            default -> {
                // Nothing was noted of it.
            }
        }
    }

    private Host host(XMLStreamReader reader) throws IOException {
        if (!inCluster || host != null) {
            throw new AnswerException("the answer is none of gmetad's: it has a HOST outside of a CLUSTER");
        }
        hosts++;
        checkRoom(nodes);
        String name = name(reader);
        NodeReport.Heard heard = heard(reader, name);
        if (heard.most() == 0) {
            // gmetad's rule for gmonds of before 2.5, which say no TMAX.
            double since = Math.abs(
                    seconds(localTime, name, "LOCALTIME") - seconds(text(reader, "REPORTED"), name, "REPORTED"));
            heard = new NodeReport.Heard(since, OLD_TMAX);
        }
        return new Host(name, heard);
    }

    private void metric(XMLStreamReader reader) throws IOException {
        String name = text(reader, "NAME");
        if (host == null || !NodeReport.TOLD.contains(name)) {
            return;
        }
        NodeReport.Heard heard = heard(reader, host.name);
        host.hears(heard);
        // What is published no more, after a change of the level, stays for a while.
        if (!heard.isSilent() || name.equals(SensorMetrics.VERSION.name())) {
            String value = text(reader, "VAL");
            host.values.put(name, value.length() > LONGEST_VALUE ? value.substring(0, LONGEST_VALUE) : value);
        }
    }

    /** What gmetad has of a grid, or of a cluster, that it only has the sums of. */
    private void sums() throws AnswerException {
        if (!inCluster && grids.size() > 1) {
            checkRoom(sums);
            Grid grid = grids.get(grids.size() - 1);
            sums.add(new GangliaReport.Sums(grid.name(), grid.authority()));
        }
    }

    private static void checkRoom(List<?> things) throws AnswerException {
        if (things.size() >= MOST) {
            throw new AnswerException("the answer has more than " + MOST + " hosts, clusters or grids");
        }
    }

    private static NodeReport.Heard heard(XMLStreamReader reader, String host) throws AnswerException {
        return new NodeReport.Heard(
                seconds(text(reader, "TN"), host, "TN"), seconds(text(reader, "TMAX"), host, "TMAX"));
    }

    private static double seconds(String text, String host, String attribute) throws AnswerException {
        if (text.isEmpty()) {
            return 0;
        }
        if (!SECONDS.matcher(text).matches()) {
            throw new AnswerException("the answer is none of gmetad's: " + attribute + " of host "
                    + VisibleText.of(host) + " is no number: " + VisibleText.of(shortened(text)));
        }
        // Negative where the clock was set back.
        return Math.max(0, Double.parseDouble(text));
    }

    private static String name(XMLStreamReader reader) {
        return shortened(text(reader, "NAME"));
    }

    private static String shortened(String text) {
        return text.length() > LONGEST_NAME ? text.substring(0, LONGEST_NAME) : text;
    }

    private static String text(XMLStreamReader reader, String attribute) {
        String value = reader.getAttributeValue(null, attribute);
        return value == null ? "" : value;
    }
}
