// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.it.ganglia.Gmond;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestProcess;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * {@code replace} and Ganglia's stock reports: gmetad has files of gmond's own metrics although gmond collects none of them,
 * and rrdtool draws out of them, by the definitions that the reports of Debian's package have, what a known work was.
 *
 * <p>One window grows over the whole test, so that a rate times the window is what the work was, however often it is
 * drawn after it; the length of the window is in a file, too.
 */
@GuestTest
final class StockReportsIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final int WINDOW_INTERVALS = 60;
    private static final String WINDOW = "magnet_sensor_window_length";
    private static final String GMOND_CONF = "/etc/ganglia/gmond.conf";
    private static final String REPORTS = "/usr/share/ganglia-webfrontend/graph.d/";
    private static final String RRDS = "/tmp/stock-rrds";
    private static final int CPUS = 2;
    /** Of burning, and of sending. */
    private static final String SECONDS = "15";

    private static final int DRAWN_SECONDS = 15;
    private static final Set<String> STOCK = Set.of("cpu_user", "cpu_nice", "cpu_system", "cpu_idle");
    private static final int PAYLOAD = 1_400;
    /** Ethernet's, IP's and UDP's headers. */
    private static final int HEADERS = 14 + 20 + 8;
    /** Two publications may be in one step of a file; what else is sent is far less. */
    private static final double FEW_PERCENT = 0.04;

    private static final Pattern DEF = Pattern.compile("DEF:'(\\w+)'='\\$\\{rrd_dir\\}/(\\w+)\\.rrd':'sum':AVERAGE");

    private static final String CONFIG = """
            [collector]
            buffer-size = 16M
            [publish]
            interval = %ds
            window = %ds
            [metrics]
            level = heartbeat
            replace = cpu, cpu-interrupts, network
            """;
    private static final String SETUP = """
            sed -Ei '/name = "(cpu_|bytes_|pkts_)/d' %s
            sysctl -qw net.ipv6.conf.default.disable_ipv6=1
            ip netns add peer
            ip link add mg0 type veth peer name mg1 netns peer
            ip link set mg0 arp off up
            ip address add 10.9.0.1/24 dev mg0
            ip -n peer link set mg1 arp off up
            mkdir -p %2$s
            cat >/tmp/stock-gmetad.conf <<'END'
            data_source "stock" 1 127.0.0.1:8649
            gridname "test"
            rrd_rootdir "%2$s"
            RRAs "RRA:AVERAGE:0.5:1:1000"
            setuid off
            xml_port 8671
            interactive_port 8672
            END
            """;
    /**
     * All after the work, so that what is a sum no longer grows. Of the percentages the median of all steps: gmetad may ask
     * gmond between two datagrams of a publication, and one step then has old values beside new ones.
     */
    private static final String DRAW = """
            cd "$(dirname "$(find %s -name cpu_nice.rrd -not -path '*Summary*')")" || exit
            rrdtool graph /tmp/stock.png --start %d --end now-2s %s \
                DEF:'window'='./magnet_sensor_window_length.rrd':'sum':AVERAGE \
                DEF:'intr'='./cpu_intr.rrd':'sum':AVERAGE DEF:'sintr'='./cpu_sintr.rrd':'sum':AVERAGE \
                CDEF:'interrupts'=intr,sintr,+,window,* \
                CDEF:'percent'=cpu_user,cpu_nice,+,cpu_system,+,cpu_idle,+ CDEF:'burnt'=cpu_nice,window,* \
                CDEF:'sent'=bytes_out,window,* \
                VDEF:'p'=percent,50,PERCENTNAN VDEF:'b'=burnt,AVERAGE VDEF:'s'=sent,AVERAGE \
                VDEF:'i'=interrupts,AVERAGE PRINT:i:'interrupts %%lf' \
                PRINT:p:'percent %%lf' PRINT:b:'burnt %%lf' PRINT:s:'sent %%lf'
            """;

    private static Set<String> definitions = Set.of();
    private static Map<String, Double> drawn = Map.of();
    private static double burntSeconds;
    private static long sent;

    @BeforeAll
    static void drawAKnownWork(Guest guest) {
        KernelModule.load(guest);
        long interval = guest.options().scaled(INTERVAL).toSeconds();
        Magnetd.configure(guest, CONFIG.formatted(interval, WINDOW_INTERVALS * interval));
        guest.run("install", "-D", "integration-tests/ganglia/gmond.conf", GMOND_CONF)
                .orFail();
        guest.sh(LIMIT, SETUP.formatted(GMOND_CONF, RRDS)).orFail();
        definitions = definitions(guest);
        GuestProcess gmetad = guest.start("gmetad", "-c", "/tmp/stock-gmetad.conf", "-d", "1");
        try (Gmond gmond = Gmond.start(guest, GMOND_CONF, 8649);
                Magnetd magnetd = Magnetd.startAndAwait(guest)) {
            gmond.await(WINDOW, LIMIT);
            burntSeconds = burn(guest);
            sent = send(guest);
            Counters.awaitTwoPublications(gmond, guest);
            long since = Long.parseLong(guest.sh("date +%s").orFail().stdout().strip());
            guest.run(LIMIT, "sleep", Integer.toString(DRAWN_SECONDS)).orFail();
            drawn = draw(guest, since);
            magnetd.stop().orFail();
        } finally {
            gmetad.kill();
        }
    }

    /**
     * What a nice program has of one CPU, by the kernel's own account of it: there is no other nice program, and it makes no
     * system calls, whose time would be the kernel's. That account has the interrupts in it that come meanwhile, which may
     * be many on a slow machine; a CPU's times have them apart.
     */
    private static double burn(Guest guest) {
        String told = guest.sh(LIMIT, """
                        taskset -c 1 nice bash -c 'while :; do :; done' & burner=$!
                        sleep %s
                        kill -STOP $burner
                        until grep -q '^State:.*T' /proc/$burner/status; do sleep 0.1; done
                        echo schedstat $(cat /proc/$burner/schedstat)
                        kill -KILL $burner
                        """.formatted(SECONDS)).orFail().stdout();
        return number(told, "schedstat (\\d+)") / 1e9;
    }

    /** How many datagrams really went. */
    private static long send(Guest guest) {
        String told = guest.run(LIMIT, "build/tools/udp_stream", "send", "10.9.0.2", "9", "" + PAYLOAD, "200", SECONDS)
                .orFail()
                .stdout();
        return (long) number(told, "sent (\\d+)");
    }

    private static double number(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(text).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    /** As the reports of the package have them, but for the folder; those in JSON the front end makes in the same way. */
    private static Set<String> definitions(Guest guest) {
        Set<String> all = new TreeSet<>();
        DEF.matcher(guest.read(REPORTS + "cpu_report.php"))
                .results()
                .filter(def -> STOCK.contains(def.group(1)))
                .forEach(def -> all.add(def.group().replace("${rrd_dir}", ".")));
        for (JsonElement series :
                Json.object(guest.read(REPORTS + "network_report.json")).getAsJsonArray("series")) {
            String metric = series.getAsJsonObject().get("metric").getAsString();
            all.add("DEF:'%1$s'='./%1$s.rrd':'sum':AVERAGE".formatted(metric));
        }
        return all;
    }

    private static Map<String, Double> draw(Guest guest, long since) {
        String told = guest.sh(LIMIT, DRAW.formatted(RRDS, since, String.join(" ", definitions)))
                .orFail()
                .stdout();
        Map<String, Double> figures = new TreeMap<>();
        for (String figure : Set.of("percent", "burnt", "interrupts", "sent")) {
            figures.put(figure, number(told, figure + " ([0-9.]+)"));
        }
        return figures;
    }

    private static double seconds(String percentOfWindow) {
        return drawn.get(percentOfWindow) / 100 * CPUS;
    }

    @Test
    void shouldHaveWhatTheStockReportsDefine() {
        assertThat(definitions).hasSize(STOCK.size() + 2).anyMatch(def -> def.contains("/bytes_in.rrd"));
    }

    @Test
    void shouldDrawTheTimeOfTheBurner() {
        assertThat(burntSeconds).isPositive();
        double atLeast = Math.max(burntSeconds / 2, (1 - FEW_PERCENT) * burntSeconds - seconds("interrupts"));
        assertThat(seconds("burnt")).isBetween(atLeast, (1 + FEW_PERCENT) * burntSeconds);
        assertThat(drawn.get("percent")).isCloseTo(100, Offset.offset(0.01));
    }

    @Test
    void shouldDrawTheBytesThatWereSent() {
        double bytes = (double) sent * (PAYLOAD + HEADERS);
        assertThat(sent).isPositive();
        assertThat(drawn.get("sent")).isCloseTo(bytes, Offset.offset(FEW_PERCENT * bytes));
    }
}
