// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import magnet.cli.WorldFixture;
import magnet.os.Errno;
import magnet.record.EventType;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class WatchCommandTest extends WorldFixture {
    private static final String HEADING = "TIME          NOTICE  WHAT";

    @Test
    void shouldPrintEachNoticeInALine() {
        module.urgent("marker", 1).loss(1_234).urgent("marker", 5).urgent("marker", 6);
        assertThat(world.run("watch", "-n", "3")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        HEADING,
                        "14:13:20.125  urgent  point=marker buffer=main subscription=7 urgents=1",
                        "14:13:20.125  loss    buffer=main lost=1234",
                        "14:13:20.125  urgent  point=marker buffer=main subscription=7 urgents=5");
        assertThat(world.errLines()).containsExactly("magnet: 3 notices printed");
    }

    @Test
    void shouldPrintEachNoticeAsJson() {
        module.urgent("marker", 1).loss(1_234);
        assertThat(world.run("watch", "--json", "-n", "2")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "{\"time\": \"2026-09-21T14:13:20.125Z\", \"notice\": \"urgent\", \"point\": \"marker\","
                                + " \"buffer\": \"main\", \"subscription\": 7, \"urgents\": 1}",
                        "{\"time\": \"2026-09-21T14:13:20.125Z\", \"notice\": \"loss\", \"buffer\": \"main\","
                                + " \"lost\": 1234}");
    }

    @Test
    void shouldEndWhenTheTimeIsOver() {
        assertThat(world.run("watch", "-d", "0.2")).isZero();
        assertThat(world.outLines()).containsExactly(HEADING);
    }

    @Test
    void shouldEndWhenTheUserInterrupts() throws InterruptedException {
        int[] exitCode = {-1};
        Thread command = new Thread(() -> exitCode[0] = world.run("watch"));
        command.start();
        while (world.out.size() == 0) {
            Thread.onSpinWait();
        }
        assertThat(world.interruption.interrupt()).isTrue();
        command.join();
        assertThat(exitCode[0]).isZero();
        assertThat(world.errLines()).containsExactly("magnet: 0 notices printed");
    }

    @Test
    void shouldEndWhenTheModuleIsUnloaded() {
        module.unloaded();
        assertThat(world.run("watch")).isZero();
        assertThat(world.errLines())
                .containsExactly("magnet: the kernel module was unloaded", "magnet: 0 notices printed");
    }

    @Test
    void shouldNotTakeAnotherRefusalForAModuleThatIsGone() {
        module.refusingInfo(Errno.EPERM);
        assertThat(world.run("watch")).isEqualTo(1);
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .contains("EPERM")
                .doesNotContain("unloaded");
    }

    @Test
    void shouldSubscribeToPointsAsUrgent() throws IOException {
        try (Fifo data = Fifo.create(world.data.resolve("cpu0"))) {
            data.write(new RecordWriter()
                    .record(EventType.SCHED_SWITCH, 0, 412, 419, 77, 5_250, 0, 70)
                    .bytes());
            assertThat(world.run("watch", "-p", "sched_switch", "--filter", "drop if next_tgid != 70", "-n", "1"))
                    .isZero();
        }
        assertThat(world.outLines()).hasSize(2).anyMatch(line -> line.contains("412/419                 sched_switch"));
        assertThat(module.lastRequest("SUB_NEW"))
                .startsWith("POINT=sched_switch BUFFER=watch-")
                .endsWith("RULES=drop if next_tgid != 70 FLAGS=2");
        assertThat(module.wasAskedTo("BUFFER_DEL")).isTrue();
    }

    @Test
    void shouldTakeWordsInRules() throws IOException {
        try (Fifo data = Fifo.create(world.data.resolve("cpu0"))) {
            data.write(new RecordWriter()
                    .record(EventType.SCHED_SWITCH, 0, 412, 419, 77, 5_250, 0, 70)
                    .bytes());
            assertThat(world.run("watch", "-p", "sched_switch", "--filter", "drop if prev_state == T", "-n", "1"))
                    .isZero();
        }
        assertThat(module.lastRequest("SUB_NEW")).endsWith("RULES=drop if prev_state == 4,260 FLAGS=2");
    }

    @Test
    void shouldRefuseUnknownWordsBeforeAnythingIsSubscribed() throws IOException {
        try (Fifo data = Fifo.create(world.data.resolve("cpu0"))) {
            data.write(new byte[0]);
            assertThat(world.run("watch", "-p", "sched_switch", "--filter", "drop if prev_state == asleep"))
                    .isEqualTo(2);
        }
        assertThat(world.errLines()).singleElement().asString().contains("prev_state has no word 'asleep'; there are ");
        assertThat(module.wasAskedTo("SUB_NEW")).isFalse();
    }
}
