// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import magnet.metric.Metric;
import magnet.metric.MetricGroup;
import magnet.metric.Metrics;

/**
 * A cluster that is nowhere, to be looked at without a guest: RRD files with made-up values, of minutes before now and after,
 * and a gmond that tells of the same hosts. Closing it ends the gmond.
 */
final class MadeUpCluster implements AutoCloseable {
    /** Publishes everything. */
    static final String FULL = "node1";
    /** Publishes what the default level has. */
    static final String SUMMARY = "node2";
    /** Its times are all the same, and so are its rates, so that lines lie on each other. */
    static final String EQUAL = "node3";
    /** Publishes nothing of magnet's. */
    static final String SILENT = "node4";
    /** A name that nobody would like to type. */
    static final String LONG = "compute-node-0117.rack-12.hall-b.cluster.example.org";

    static final List<String> HOSTS = List.of(FULL, SUMMARY, EQUAL, SILENT, LONG);

    /** Clusters of as many nodes as their names say, of which nothing is known but a wait for a CPU. */
    static final List<Integer> SIZES = List.of(8, 12, 40);

    private static final String CLUSTER = "magnet demo";
    private static final String SUM = "__SummaryInfo__";
    /** What Debian's gmond.conf collects, and the stock reports draw. */
    private static final List<String> GMONDS = List.of(
            ("load_one cpu_num proc_run cpu_user cpu_nice cpu_system cpu_idle cpu_wio bytes_in bytes_out mem_total mem_free"
                            + " mem_shared mem_buffers mem_cached swap_total swap_free")
                    .split(" ", -1));

    private static final int STEP = 5;
    private static final int BEFORE = 900;
    private static final int AFTER = 3_600;
    /** Seconds of calm and of busy, and between two values after now. */
    private static final int HALF = 30;

    private static final int WINDOW = 25;

    private final ServerSocket gmond = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    private final Thread thread = new Thread(this::answer, "made-up gmond");

    private MadeUpCluster() throws IOException {}

    /** Writes what {@code web/serve} makes RRD files of into its folder, and starts the gmond. */
    static MadeUpCluster start(Path folder) throws IOException {
        Files.writeString(folder.resolve("rrd-commands"), commands());
        MadeUpCluster cluster = new MadeUpCluster();
        cluster.thread.setDaemon(true);
        cluster.thread.start();
        return cluster;
    }

    /** Where its gmond answers. */
    int port() {
        return gmond.getLocalPort();
    }

    private static String commands() {
        long now = Instant.now().getEpochSecond() / HALF * HALF;
        StringBuilder text = new StringBuilder();
        List<String> hosts = new ArrayList<>(HOSTS);
        hosts.add(SUM);
        for (String host : hosts) {
            text.append(folder(CLUSTER, host));
            for (String metric : numbers(host)) {
                text.append(rrd(CLUSTER, host, metric, now));
            }
        }
        for (int size : SIZES) {
            for (int node = 1; node <= size; node++) {
                text.append(folder("of " + size, "node" + node))
                        .append(rrd("of " + size, "node" + node, "magnet_sched_run_queue_wait_p99", now));
            }
        }
        return text.append("quit\n").toString();
    }

    private static String folder(String cluster, String host) {
        return "mkdir \"/var/lib/ganglia/rrds/%1$s\"%nmkdir \"/var/lib/ganglia/rrds/%1$s/%2$s\"%n"
                .formatted(cluster, host);
    }

    private static String rrd(String cluster, String host, String metric, long now) {
        String file = "\"/var/lib/ganglia/rrds/%s/%s/%s.rrd\"".formatted(cluster, host, metric);
        boolean sum = host.equals(SUM);
        StringBuilder text = new StringBuilder(
                "create %s --start %d --step %d DS:sum:GAUGE:60:U:U %sRRA:AVERAGE:0.5:1:1440%nupdate %s"
                        .formatted(file, now - BEFORE - HALF, STEP, sum ? "DS:num:GAUGE:60:U:U " : "", file));
        for (long time = now - BEFORE; time <= now + AFTER; time += time < now + HALF ? STEP : HALF) {
            text.append(String.format(
                    Locale.ROOT, " %d:%.6f%s", time, value(host, metric, time), sum ? ":" + HOSTS.size() : ""));
        }
        return text.append('\n').toString();
    }

    /** The numbers that a host publishes. */
    private static List<String> numbers(String host) {
        List<String> names = new ArrayList<>(GMONDS);
        if (!host.equals(SILENT)) {
            (host.equals(SUMMARY) ? Metrics.DEFAULT : Metrics.ALL)
                    .stream().filter(metric -> !isText(metric)).forEach(metric -> names.add(metric.name()));
        }
        return names;
    }

    private static boolean isText(Metric metric) {
        return metric.unit().equals("name") || metric.unit().equals("version");
    }

    private static double value(String host, String metric, long time) {
        if (host.equals(EQUAL)) {
            // These two never go with packets of layers, only with each other.
            return metric.matches(".*(drops|retransmits)_rate") ? 50 : 100;
        }
        return magnitude(metric) * (1 + 4 * busy(time));
    }

    /** In a calm half. Each of a sensor that is asked for too much, and each node its own. */
    private static double magnitude(String metric) {
        double some = 1 + Math.floorMod(metric.hashCode(), 29);
        if (metric.startsWith("magnet_sensor_")) {
            return metric.endsWith("lost_rate") ? 90_000 : metric.endsWith("events_rate") ? 14_000 : some;
        } else if (metric.endsWith("_percent")) {
            return some / 20;
        } else if (metric.endsWith("oom_kills_rate")) {
            return 0.4;
        } else if (metric.endsWith("context_switches_rate")) {
            return 300;
        } else if (metric.matches("magnet_.*_(p50|p95|p99|max)")) {
            return some
                    + (metric.endsWith("_p50")
                            ? 60
                            : metric.endsWith("_p95") ? 900 : metric.endsWith("_p99") ? 2_000 : 7_000);
        }
        return some;
    }

    /** How much of the 25 seconds before was busy, from 0 to 1: what a window makes of calm and busy halves. */
    private static double busy(long time) {
        int seconds = 0;
        for (long second = time - WINDOW; second < time; second++) {
            seconds += (int) (second / HALF % 2);
        }
        return seconds / (double) WINDOW;
    }

    private void answer() {
        while (!gmond.isClosed()) {
            try (Socket socket = gmond.accept()) {
                socket.getOutputStream().write(xml().getBytes(StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
                // it is closed, or gmetad has gone
            }
        }
    }

    private static String xml() {
        long now = Instant.now().getEpochSecond();
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n"
                + "<GANGLIA_XML VERSION=\"3.7.2\" SOURCE=\"gmond\">\n<CLUSTER NAME=\"" + CLUSTER + "\" LOCALTIME=\""
                + now
                + "\" OWNER=\"\" LATLONG=\"\" URL=\"\">\n");
        TreeMap<String, Metric> catalogue = new TreeMap<>();
        Metrics.ALL.forEach(metric -> catalogue.put(metric.name(), metric));
        for (int i = 0; i < HOSTS.size(); i++) {
            String host = HOSTS.get(i);
            xml.append("<HOST NAME=\"%s\" IP=\"192.0.2.%d\" TAGS=\"\" REPORTED=\"%d\" TN=\"1\" TMAX=\"20\" DMAX=\"0\""
                            .formatted(host, i + 1, now))
                    .append(" LOCATION=\"\" GMOND_STARTED=\"1\">\n");
            for (String name : numbers(host)) {
                Metric metric = catalogue.get(name);
                xml.append(
                        metric == null
                                ? element(name, "", "core", name)
                                : element(name, metric.unit(), metric.group().ganglia(), metric.title()));
            }
            xml.append("</HOST>\n");
        }
        return xml.append("</CLUSTER>\n</GANGLIA_XML>\n").toString();
    }

    private static String element(String name, String unit, String group, String title) {
        return ("<METRIC NAME=\"%s\" VAL=\"1.0\" TYPE=\"double\" UNITS=\"%s\" TN=\"1\" TMAX=\"60\" DMAX=\"0\" SLOPE=\"both\">"
                        + "<EXTRA_DATA><EXTRA_ELEMENT NAME=\"GROUP\" VAL=\"%s\"/><EXTRA_ELEMENT NAME=\"TITLE\" VAL=\"%s\"/>"
                        + "</EXTRA_DATA></METRIC>%n")
                .formatted(name, unit, group, title);
    }

    /** Ganglia's names of magnet's groups, in the order of the page of a host. */
    static List<String> groups() {
        return MetricGroup.own().stream().map(MetricGroup::ganglia).sorted().toList();
    }

    @Override
    public void close() throws IOException {
        gmond.close();
    }
}
