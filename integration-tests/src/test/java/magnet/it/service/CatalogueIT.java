// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import magnet.it.ganglia.Gmond;
import magnet.it.ganglia.GmondMetric;
import magnet.it.ganglia.GmondXml;
import magnet.it.guest.Guest;
import magnet.it.guest.GuestTest;
import magnet.it.guest.KernelModule;
import magnet.metric.Metric;
import magnet.metric.Metrics;
import magnet.metric.ValueType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** With the configuration that is shipped, gmond has every metric of the catalogue, soon, and again after it died. */
@GuestTest(icount = true)
final class CatalogueIT {
    /**
     * By the guest's clock, from the start of the process. The clock counts the instructions of one processor, a billion
     * a second, so that a start takes as long however busy the host is.
     */
    private static final Duration START_LIMIT = Duration.ofSeconds(15);

    private static final Duration RETURN_LIMIT = Duration.ofSeconds(70);
    /** Windows grow until they have their length: from this one on metadata is sent by time only. */
    private static final String WINDOW_LENGTH_MET = "NAME=\"magnet_sensor_window_length\" VAL=\"(1[5-9]|2[0-9])";
    /** The test's own patience; what counts is the time that is measured. */
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private static GmondXml afterStart = GmondXml.parse("<GANGLIA_XML/>");
    private static Duration untilAll = Duration.ZERO;
    private static Optional<Magnetd> magnetd = Optional.empty();
    private static Optional<Gmond> gmond = Optional.empty();

    @BeforeAll
    static void startService(Guest guest) {
        KernelModule.load(guest);
        guest.run("install", "-D", "sensor-java/conf/magnet.conf", Magnetd.CONFIG)
                .orFail();
        Gmond listening = Gmond.start(guest);
        gmond = Optional.of(listening);
        magnetd = Optional.of(Magnetd.run(guest, "bash", "-c", "date +%s%N >/tmp/began; exec " + Magnetd.COMMAND));
        untilAll = untilAll(guest);
        afterStart = listening.xml();
    }

    @AfterAll
    static void stopService() {
        magnetd.ifPresent(Magnetd::close);
        gmond.ifPresent(Gmond::close);
    }

    /** The time in the guest from what /tmp/began says until gmond has as many of magnet's metrics as there are. */
    private static Duration untilAll(Guest guest) {
        String nanos = guest.sh(LIMIT, """
                until (( $(cat </dev/tcp/127.0.0.1/8649 | grep -c '<METRIC NAME="magnet_') >= %d )) 2>/dev/null; do
                    sleep 0.2
                done
                echo $(( $(date +%%s%%N) - $(</tmp/began) ))
                """.formatted(Metrics.DEFAULT.size()))
                .orFail()
                .stdout()
                .strip();
        Duration time = Duration.ofNanos(Long.parseLong(nanos));
        System.out.println("all metrics in gmond after " + time);
        return time;
    }

    @Test
    void shouldBeInGmondSoonWhenServiceStarts(Guest guest) {
        assertThat(afterStart.startingWith("magnet_").stream().map(GmondMetric::name))
                .containsExactlyInAnyOrderElementsOf(
                        Metrics.DEFAULT.stream().map(Metric::name).toList());
        assertThat(untilAll).isLessThan(guest.options().scaled(START_LIMIT));
    }

    @Test
    void shouldCarryAllThatFrontendsShow() {
        for (Metric metric : Metrics.DEFAULT) {
            GmondMetric shown = afterStart.metric(metric.name()).orElseThrow();
            assertThat(List.of(metric.unit(), metric.title(), metric.description()))
                    .as(metric.name())
                    .noneMatch(String::isBlank);
            assertThat(shown)
                    .returns(metric.unit(), GmondMetric::units)
                    .returns(List.of(metric.group().ganglia()), GmondMetric::groups)
                    .returns(metric.title(), GmondMetric::title)
                    .returns(metric.description(), GmondMetric::description)
                    .returns(metric.type().word(), GmondMetric::type)
                    .returns(metric.type() == ValueType.STRING ? "zero" : "both", GmondMetric::slope)
                    .returns(20, GmondMetric::tmax)
                    .returns(600, GmondMetric::dmax);
            assertThat(shown.value())
                    .as(metric.name())
                    .matches(
                            metric.type() == ValueType.STRING
                                    ? "\\d+\\.\\d+\\.\\d+\\S*, module \\d+\\.\\d+\\.\\d+\\S*"
                                    : "\\d+(\\.\\d{1,6})?");
        }
    }

    /** Once the first publications are over, which all carry metadata. */
    @Test
    void shouldComeBackWhenGmondDiesAndIsStartedAgain(Guest guest) {
        guest.sh(LIMIT, "until grep -Eq '" + WINDOW_LENGTH_MET + "' </dev/tcp/127.0.0.1/8649; do sleep 0.5; done")
                .orFail();
        gmond.orElseThrow().close();
        guest.sh("date +%s%N >/tmp/began").orFail();
        Gmond again = Gmond.start(guest);
        gmond = Optional.of(again);

        assertThat(untilAll(guest)).isLessThan(guest.options().scaled(RETURN_LIMIT));
        assertThat(again.xml().startingWith("magnet_")).hasSameSizeAs(Metrics.DEFAULT);
        assertThat(magnetd.orElseThrow().isAlive()).isTrue();
    }
}
