// SPDX-License-Identifier: Apache-2.0
package magnet.cli.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import magnet.cli.world.Failure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TopDeviceTest {
    @TempDir
    private Path root;

    private void file(String name, String text) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private void assertRefused(String name, String why) {
        assertThatExceptionOfType(Failure.class)
                .isThrownBy(() -> TopDevice.named(name, root))
                .withMessageContaining(why);
    }

    @Test
    void shouldAskForANetworkDevicesPackets() throws IOException {
        file("sys/class/net/eth0/ifindex", "3\n");

        assertThat(TopDevice.named("eth0", root).rules())
                .hasSize(5)
                .containsEntry("dev_queue_xmit", "drop if ifindex != 3")
                .containsEntry("netif_receive_skb", "drop if ifindex != 3")
                .doesNotContainKey("udp_sendmsg");
    }

    @Test
    void shouldAskForADisksRequests() throws IOException {
        file("sys/class/block/sdb/dev", "8:16\n");

        assertThat(TopDevice.named("sdb", root).rules())
                .isEqualTo(Map.of(
                        "block_rq_issue", "drop if dev != 8388624", "block_rq_complete", "drop if dev != 8388624"));
    }

    @Test
    void shouldRefuseWhatIsNoDevice() throws IOException {
        file("sys/class/block/sdb1/dev", "8:17\n");
        file("sys/class/block/sdb1/partition", "1\n");

        assertRefused("sdb1", "is a partition");
        assertRefused("eth7", "there is no device 'eth7'");
        assertRefused("../net/eth0", "there is no device");
        assertRefused("", "there is no device");
        assertRefused("..", "there is no device");
    }
}
