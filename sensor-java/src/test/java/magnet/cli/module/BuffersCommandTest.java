// SPDX-License-Identifier: Apache-2.0
package magnet.cli.module;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import magnet.cli.TestWorld;
import magnet.cli.WorldFixture;
import magnet.control.FakeModule;
import org.junit.jupiter.api.Test;

final class BuffersCommandTest extends WorldFixture {
    @Test
    void shouldListBuffersWithTheirRings() {
        assertThat(world.run("buffers")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "BUFFER  OWNER       KIB/CPU  MODE  SUBSCRIPTIONS  MERGED LATE",
                        "main    persistent      256  keep              0            0",
                        "",
                        "BUFFER  CPU  RECORDS  UNREAD BYTES  FILL  LOST  OVERWRITTEN",
                        "main      0     1000          4000    1%     5            0");
    }

    @Test
    void shouldListThemAsJson() {
        assertThat(world.run("buffers", "--json")).isZero();
        assertThat(world.outLines())
                .containsExactly("{\"buffers\": [{\"name\": \"main\", \"persistent\": true, \"flight_recorder\":"
                        + " false, \"bytes_per_cpu\": 262144, \"subscriptions\": 0, \"lost\": 5,"
                        + " \"merged_late\": 0, \"cpus\": [{\"cpu\": 0, \"records\": 1000,"
                        + " \"records_read\": 900, \"bytes\": 40000, \"bytes_read\": 36000, \"lost\": 5,"
                        + " \"overwritten\": 0}]}]}");
        assertThat(world.run("buffers", "--json", "--create", "mine")).isZero();
        assertThat(world.outLines()).last().asString().contains("\"mine\"").doesNotContain("\"main\"");
    }

    @Test
    void shouldSayThatThereIsNone() throws IOException {
        TestWorld idle = new TestWorld(folder.resolve("idle"), new FakeModule().idle());
        assertThat(idle.run("buffers")).isZero();
        assertThat(idle.outLines()).containsExactly("no buffers");
    }

    @Test
    void shouldMakeBuffersThatStay() throws IOException {
        assertThat(world.run("buffers", "--create", "mine")).isZero();
        assertThat(module.lastRequest("BUFFER_NEW")).isEqualTo("BUFFER=mine BUFFER_SIZE=262144 FLAGS=1");
        assertThat(world.outLines()).anyMatch(line -> line.startsWith("mine "));
        assertThat(world.run("buffers", "--create", "black-box", "--buffer-size", "8M", "--flight-recorder"))
                .isZero();
        assertThat(module.lastRequest("BUFFER_NEW")).isEqualTo("BUFFER=black-box BUFFER_SIZE=8388608 FLAGS=5");
    }

    @Test
    void shouldRefuseWhatNoBufferCanHave() {
        for (String size : List.of("1", "1K", "1G")) {
            assertThat(world.run("buffers", "--create", "mine", "--buffer-size", size))
                    .isEqualTo(2);
        }
        assertThat(world.run("buffers", "--create", "a/b")).isEqualTo(2);
        assertThat(world.run("buffers", "--snapshot", "mine", "--to", ".copy")).isEqualTo(2);
        assertThat(world.errLines())
                .startsWith("magnet: --buffer-size SIZE must be from 64K to 256M (see: magnet buffers --help)")
                .endsWith(
                        "magnet: --create NAME wants letters, digits, '_', '-' and '.', no '.' in front and at most 63,"
                                + " not 'a/b' (see: magnet buffers --help)",
                        "magnet: --to NEW wants letters, digits, '_', '-' and '.', no '.' in front and at most 63, not"
                                + " '.copy' (see: magnet buffers --help)");
    }

    @Test
    void shouldResizeSnapshotAndRemoveThem() throws IOException {
        assertThat(world.run("buffers", "--resize", "mine", "--buffer-size", "256m"))
                .isZero();
        assertThat(module.lastRequest("BUFFER_RESIZE")).isEqualTo("BUFFER=mine BUFFER_SIZE=268435456");
        assertThat(world.run("buffers", "--snapshot", "mine", "--to", "copy")).isZero();
        assertThat(module.lastRequest("BUFFER_SNAPSHOT")).isEqualTo("BUFFER=mine SNAPSHOT=copy FLAGS=1");
        assertThat(world.outLines()).last().asString().startsWith("copy ");
        assertThat(world.run("buffers", "--remove", "copy")).isZero();
        assertThat(module.lastRequest("BUFFER_DEL")).isEqualTo("BUFFER=copy");
    }
}
