// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import magnet.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClusterConfigTest {
    @TempDir
    private Path folder;

    private ClusterConfig read(String text) throws IOException, ConfigException {
        Path file = folder.resolve("magnet.conf");
        Files.writeString(file, text);
        return ClusterConfig.read(file);
    }

    @Test
    void shouldBeOffUnlessSomebodySwitchesItOn() throws IOException, ConfigException {
        ClusterConfig config = read("[publish]\ninterval = 5s\n");

        assertThat(config.records()).isFalse();
        assertThat(config.address().getHostString()).isEqualTo("239.2.11.71");
        assertThat(config.address().getPort()).isEqualTo(8655);
        assertThat(config.profiles()).containsOnlyKeys("default");
        assertThat(config.profiles().get("default").points())
                .containsExactly(
                        "sched_switch",
                        "sched_wakeup",
                        "netif_receive_skb",
                        "net_dev_start_xmit",
                        "irq_handler_entry",
                        "irq_handler_exit",
                        "softirq_entry",
                        "softirq_exit",
                        "marker");
    }

    @Test
    void shouldReadWhatStandsThere() throws IOException, ConfigException {
        ClusterConfig config = read("""
                [cluster]
                record = on
                address = 10.0.0.1:99
                nodes = n1, n2
                send = unicast
                copy = scp -r -q
                [recording net]
                points = udp_rcv
                rules = "drop if len < 100"
                period = 500ms
                keep = 3
                """);

        assertThat(config.records()).isTrue();
        assertThat(config.unicast()).isTrue();
        assertThat(config.nodes()).containsExactly("n1", "n2");
        assertThat(config.copy()).containsExactly("scp", "-r", "-q");
        RecordingProfile net = config.profiles().get("net");
        assertThat(net.points()).containsExactly("udp_rcv");
        assertThat(net.rules()).isEqualTo("drop if len < 100");
        assertThat(net.period()).isEqualTo(Duration.ofMillis(500));
        assertThat(net.keepParts()).isEqualTo(3);
        assertThat(config.profiles()).containsOnlyKeys("net", "default");
    }

    @ParameterizedTest
    @CsvSource({
        "cluster, address, group.example:8655",
        "cluster, address, 239.2.11.71",
        "cluster, address, 300.2.11.71:1",
        "cluster, address, 239.2.11.71:70000",
        "cluster, hops, 0",
        "cluster, send, broadcast",
        "cluster, max-skew, 0s",
        "cluster, key, cluster.key",
        "recording x, period, 70ms",
        "recording x, period, 20s",
        "recording x, keep, none",
        "recording x, buffer-size, 1K",
        "recording x, directory, here",
        "recording x, snap, 5000",
        "recording x, longest, 2d"
    })
    void shouldRefuseWhatIsNotAllowed(String section, String key, String value) {
        assertThatThrownBy(() -> read("[" + section + "]\n" + key + " = " + value + "\n"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("magnet.conf:2: [" + section + "] " + key + " = '" + value + "'; allowed is ");
    }

    @ParameterizedTest
    @CsvSource({"a/b", "../x", "-x", "a b"})
    void shouldRefuseANameThatIsNoFolders(String name) {
        assertThatThrownBy(() -> read("[recording " + name + "]\n")).hasMessageContaining("a recording's name has");
    }
}
