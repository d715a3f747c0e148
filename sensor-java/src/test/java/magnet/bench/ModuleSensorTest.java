// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import magnet.control.FakeModule;
import magnet.control.PointInfo;
import magnet.magnetfs.BufferDirectory;
import magnet.magnetfs.CollectorSettings;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class ModuleSensorTest {
    private static final int PID = (int) ProcessHandle.current().pid();
    private static final String NAME = "bench_" + PID;
    private static final CollectorSettings READING =
            new CollectorSettings(64 * 1024, 0, Duration.ZERO, Duration.ZERO, Duration.ofSeconds(2), null);

    private final FakeModule module = new FakeModule();

    @TempDir
    private Path data;

    private Fifo first;
    private Fifo second;

    @BeforeEach
    void makeFiles() throws IOException {
        first = Fifo.create(data.resolve("cpu0"));
        second = Fifo.create(data.resolve("cpu1"));
    }

    @AfterEach
    void closeFiles() throws IOException {
        first.close();
        second.close();
    }

    private ModuleSensor open(Plan plan) throws IOException {
        return ModuleSensor.open(module.open(), buffer -> new BufferDirectory(data), READING, plan);
    }

    @Test
    void shouldMakeABufferThatHasRoomForARound() throws IOException {
        open(new Plan(100, 1)).close();
        assertThat(module.lastRequest("BUFFER_NEW")).isEqualTo("BUFFER=" + NAME + " BUFFER_SIZE=262144 FLAGS=0");
        open(new Plan(100_000, 1)).close();
        assertThat(module.lastRequest("BUFFER_NEW")).isEqualTo("BUFFER=" + NAME + " BUFFER_SIZE=7200000 FLAGS=0");
    }

    @Test
    void shouldMakePointsThatEndWithIt() throws IOException {
        try (ModuleSensor sensor = open(new Plan(1, 1))) {
            PointInfo point = sensor.insert("p:somewhere");
            assertThat(module.lastRequest("POINT_INSERT"))
                    .isEqualTo("POINT=" + NAME + "_0 DEFINITION=p:somewhere FLAGS=0");
            assertThat(point.name()).isEqualTo(NAME + "_0");
            assertThat(sensor.insert("p:elsewhere").name()).isEqualTo(NAME + "_1");
            sensor.remove(point);
            assertThat(module.lastRequest("POINT_REMOVE")).isEqualTo("POINT=" + NAME + "_0");
            assertThat(sensor.points()).extracting(PointInfo::name).contains("sched_switch");
        }
    }

    @Test
    void shouldSwitchPointsOnAndOff() throws IOException {
        try (ModuleSensor sensor = open(new Plan(1, 1))) {
            PointInfo point = sensor.insert("p:somewhere");
            assertThat(sensor.switchOn(point, true)).isEqualTo(1);
            assertThat(module.lastRequest("SUB_NEW")).isEqualTo("POINT=" + NAME + "_0 BUFFER=" + NAME + " FLAGS=0");
            assertThat(sensor.switchOn(point, false)).isEqualTo(2);
            assertThat(module.lastRequest("SUB_NEW"))
                    .isEqualTo("POINT=" + NAME + "_0 BUFFER=" + NAME + " RULES=drop FLAGS=0");
            sensor.switchOff(2);
            assertThat(module.lastRequest("SUB_DEL")).isEqualTo("SUB_ID=2");
        }
    }

    @Test
    void shouldCountThePointsEventsOfThisProcess() throws IOException {
        try (ModuleSensor sensor = open(new Plan(1, 1))) {
            PointInfo point = sensor.insert("p:somewhere");
            RecordWriter writer = new RecordWriter();
            writer.header(32, 0, 0x400, PID, PID + 1, 0, 100);
            writer.header(32, 0, 0x400, PID + 1, PID + 1, 0, 200);
            writer.header(32, 0, 0x401, PID, PID, 0, 300);
            first.write(writer.bytes());
            RecordWriter other = new RecordWriter();
            other.header(40, 1, 0x400, PID, PID, 0, 150);
            second.write(other.bytes());
            assertThat(sensor.takeEvents(point)).isEqualTo(2);
            assertThat(sensor.takeEvents(point)).isZero();
        }
    }

    @Test
    void shouldLeaveNoSocketOpenWhenItCannotBeMade() throws IOException {
        assertThatThrownBy(() -> ModuleSensor.open(
                        module.open(), buffer -> new BufferDirectory(data.resolve("none")), READING, new Plan(1, 1)))
                .isInstanceOf(NoSuchFileException.class);
        assertThat(module.isClosed()).isTrue();
    }
}
