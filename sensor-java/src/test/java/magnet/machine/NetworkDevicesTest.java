// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import magnet.summary.Machine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworkDevicesTest {
    @TempDir
    private Path folder;

    @Test
    void shouldLeaveOutWhatGmondLeavesOut() throws IOException {
        namespace("net:[4026531840]");
        device("lo", 1, "");
        device("eth0", 2, "");
        device("bond0", 3, "");
        device("bonded", 4, "");
        device("eth0.7", 5, "DEVTYPE=vlan\n");
        device("br0", 6, "DEVTYPE=bridge\n");
        device("lowlevel", 12, "");
        assertThat(network()).isEqualTo(new Machine.NetworkNamespace(4_026_531_840L, Set.of(1, 3, 4, 5, 12)));
    }

    @Test
    void shouldKnowTheLoopbackWhenNothingCanBeRead() {
        assertThat(network()).isEqualTo(new Machine.NetworkNamespace(0, Set.of(1)));
    }

    @Test
    void shouldPassOverADeviceThatHasJustGone() throws IOException {
        namespace("net:[7]");
        Files.createDirectories(folder.resolve("net/bond9"));
        Files.createDirectories(folder.resolve("net"));
        Files.writeString(folder.resolve("net/bonding_masters"), "bond9\n");
        device("bond1", 3, "");
        assertThat(network()).isEqualTo(new Machine.NetworkNamespace(7, Set.of(1, 3)));
    }

    @Test
    void shouldKnowThisMachine() {
        assertThat(new NetworkDevices(Path.of("/proc"), Path.of("/sys/class/net"))
                        .network()
                        .namespace())
                .isPositive();
    }

    private Machine.NetworkNamespace network() {
        return new NetworkDevices(folder, folder.resolve("net")).network();
    }

    private void namespace(String name) throws IOException {
        Files.createDirectories(folder.resolve("self/ns"));
        Files.createSymbolicLink(folder.resolve("self/ns/net"), Path.of(name));
    }

    private void device(String name, int index, String more) throws IOException {
        Path device = Files.createDirectories(folder.resolve("net").resolve(name));
        Files.writeString(device.resolve("uevent"), more + "INTERFACE=" + name + "\nIFINDEX=" + index + "\n");
    }
}
