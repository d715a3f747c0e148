// SPDX-License-Identifier: Apache-2.0
package magnet.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import magnet.cli.LiveFixture;
import magnet.cli.TestWorld;
import magnet.control.FakeModule;
import magnet.machine.SystemCalls;
import magnet.os.TerminalSize;
import magnet.record.EventType;
import magnet.record.RecordLayout;
import magnet.record.RecordWriter;
import magnet.testing.Fifo;
import magnet.trace.TraceFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The made-up module's timer 5000 is 2026-09-21T14:13:20Z, 2.5 ticks are a nanosecond. */
@Timeout(60)
final class ReadCommandTest extends LiveFixture {
    private static final long TIMER = 5_000;

    private void write() throws IOException {
        second.write(new RecordWriter()
                .record(EventType.SCHED_SWITCH, 1, 412, 419, 77, TIMER + 250, 0x8000_0000L, 70)
                .bytes());
        first.write(new RecordWriter()
                .record(EventType.CLOCK, 0, 0, 0, 0, TIMER + 100, 1_790_000_000_000_000_040L, 2_040)
                .record(EventType.UDP_SENDMSG, 0, 99, 98, 5, TIMER + 200, 1_400, 2, 17)
                .unknown(0x7ff, 0, TIMER + 300, 1, 2)
                .record(EventType.LOST, 0, 0, 0, 0, TIMER + 400, 3, 1, 2)
                .bytes());
    }

    @Test
    void shouldPrintOneLinePerEventInTimeOrder() throws IOException {
        write();
        assertThat(world.run("read", "-p", "udp_sendmsg", "-p", "sched_switch", "-d", "0.5"))
                .isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "TIME               CPU  PROCESS/THREAD NAME            EVENT              FIELDS",
                        "14:13:20.000000080   0           99/98                 udp_sendmsg        cookie=5 len=1400"
                                + " family=inet protocol=udp",
                        "14:13:20.000000100   1         412/419                 sched_switch       next_tid=77"
                                + " prev_state=preempted next_tgid=70",
                        "14:13:20.000000120   0             1/1                 event_0x7ff        abstract_id=0"
                                + " payload=16_bytes",
                        "14:13:20.000000160   0             0/0                 lost               count=3"
                                + " first_timer=1 last_timer=2");
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: 3 events printed; of 52 hits 10 were lost",
                        "magnet: of the lost 10 found the buffer full (use more than --buffer-size 256K,"
                                + " fewer points, or a rule that drops what is not wanted)");
        assertThat(module.subscriptions()).containsExactly("udp_sendmsg", "sched_switch");
        assertThat(world.bufferAsked)
                .isEqualTo("read-" + ProcessHandle.current().pid());
        assertThat(module.wasAskedTo("BUFFER_DEL")).isTrue();
    }

    /** A program that is gone when its events are read. */
    private void writeShortLife() throws IOException {
        first.write(new RecordWriter()
                .record(EventType.SCHED_PROCESS_FORK, 0, 10, 10, 99, TIMER + 100, 99, 10)
                .text(EventType.SCHED_PROCESS_FORK, "comm", "shell")
                .record(EventType.SCHED_PROCESS_EXEC, 0, 99, 99, 99, TIMER + 200, 99, 10, 12, 6, 6)
                .text(EventType.SCHED_PROCESS_EXEC, "comm", "short\u001b")
                .text(EventType.SCHED_PROCESS_EXEC, "path", "/bin/short\u001b")
                .text(EventType.SCHED_PROCESS_EXEC, "argv", "s \"1\"")
                .record(EventType.UDP_SENDMSG, 0, 99, 99, 5, TIMER + 300, 1_400, 2, 17)
                .record(EventType.SCHED_PROCESS_EXIT, 0, 99, 99, 99, TIMER + 400, 0, 1, 10)
                .text(EventType.SCHED_PROCESS_EXIT, "comm", "short\u001b")
                .record(EventType.UDP_SENDMSG, 0, 10, 10, 6, TIMER + 500, 7, 2, 17)
                .bytes());
    }

    @Test
    void shouldNameThreadsByEventsThatItDoesNotShow() throws IOException {
        module.naming();
        writeShortLife();
        assertThat(world.run("read", "-p", "udp_sendmsg", "-d", "0.5")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "TIME               CPU  PROCESS/THREAD NAME            EVENT              FIELDS",
                        "14:13:20.000000120   0           99/99 short\\x1b       udp_sendmsg        cookie=5 len=1400"
                                + " family=inet protocol=udp",
                        "14:13:20.000000200   0           10/10 shell           udp_sendmsg        cookie=6 len=7"
                                + " family=inet protocol=udp");
        assertThat(world.errLines())
                .as("they have an account of their own")
                .containsExactly(
                        "magnet: 2 events printed; of 26 hits 5 were lost; 20 events that name threads were lost",
                        "magnet: of the lost 25 found the buffer full (use more than --buffer-size 256K,"
                                + " fewer points, or a rule that drops what is not wanted)");
        assertThat(module.subscriptions())
                .containsExactly(
                        "sched_process_fork", "sched_process_exec", "task_rename", "sched_process_exit", "udp_sendmsg");
    }

    private void writeOwners() throws IOException {
        first.write(new RecordWriter()
                .record(EventType.CGROUP_MKDIR, 0, 10, 10, 500, TIMER + 100, 1, 3, 39)
                .text(EventType.CGROUP_MKDIR, "path", "/system.slice/slurmstepd.scope/job_4711")
                .record(EventType.CGROUP_MKDIR, 0, 10, 10, 501, TIMER + 100, 1, 1, 6)
                .text(EventType.CGROUP_MKDIR, "path", "/o\u001bher")
                .record(EventType.TASK_ATTACH, 0, 10, 10, 99, TIMER + 110, 500, 0)
                .record(EventType.TASK_ATTACH, 0, 10, 10, 98, TIMER + 110, 501, 0)
                .record(EventType.UDP_SENDMSG, 0, 99, 99, 5, TIMER + 200, 1_400, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 98, 98, 6, TIMER + 300, 7, 2, 17)
                .record(EventType.UDP_SENDMSG, 0, 97, 97, 7, TIMER + 400, 7, 2, 17)
                .record(EventType.TASK_ATTACH, 0, 10, 10, 98, TIMER + 450, 500, 3)
                .record(EventType.UDP_SENDMSG, 0, 98, 98, 8, TIMER + 500, 7, 2, 17)
                .bytes());
    }

    @Test
    void shouldTellTheOwnersOfProcessesWhenVerbose() throws IOException {
        module.owning();
        writeOwners();
        assertThat(world.run("read", "-v", "-p", "udp_sendmsg", "-d", "0.5")).isZero();
        assertThat(world.outLines().stream().skip(1).map(line -> line.substring(line.indexOf("cookie"))))
                .containsExactly(
                        "cookie=5 len=1400 family=inet protocol=udp owner=slurm:4711",
                        "cookie=6 len=7 family=inet protocol=udp owner=/o\\x1bher",
                        "cookie=7 len=7 family=inet protocol=udp",
                        "cookie=8 len=7 family=inet protocol=udp owner=slurm:4711");
        assertThat(module.subscriptions())
                .as("cgroups before processes, and both before what is asked for")
                .containsExactly("cgroup_mkdir", "cgroup_rmdir", "task_attach", "udp_sendmsg");
        assertThat(world.errLines().get(0))
                .isEqualTo("magnet: 4 events printed; of 26 hits 5 were lost;"
                        + " 15 events that name threads or tell owners were lost");
    }

    @Test
    void shouldHaveOwnersInJsonAndByTheInstalledListWhenVerbose() throws IOException {
        module.owning();
        writeOwners();
        Files.createDirectories(world.root.resolve("etc/magnet"));
        Files.writeString(world.root.resolve("etc/magnet/magnet.conf"), "[jobs]\nmine = **/job_{*}/**\n");
        assertThat(world.run("read", "--json", "-v", "-p", "udp_sendmsg", "-n", "1"))
                .isZero();
        assertThat(world.outLines().get(0)).contains("\"owner\":\"mine:4711\"");
    }

    @Test
    void shouldSayWhyTheBuiltInListCountsWhenTheFileIsBad() throws IOException {
        module.owning();
        writeOwners();
        Files.createDirectories(world.root.resolve("etc/magnet"));
        Files.writeString(world.root.resolve("etc/magnet/magnet.conf"), "[jobs]\nmine = job\n");
        assertThat(world.run("read", "-v", "-p", "udp_sendmsg", "-n", "1")).isZero();
        assertThat(world.outLines().get(1)).endsWith(" owner=slurm:4711");
        assertThat(world.errLines().get(0))
                .startsWith("magnet: jobs have the names of the built-in list: ")
                .endsWith("magnet.conf:2: [jobs] mine: 'job' begins with neither / nor **/; see docs/jobs.md");
    }

    /** Who leaves out moves and forks shows the owner of before. */
    @Test
    void shouldTellNoOwnersWhereARuleLeavesOutWhatTellsThem() throws IOException {
        module.owning();
        writeOwners();
        assertThat(world.run("read", "-v", "-p", "task_attach,udp_sendmsg", "--sample", "10", "-n", "2"))
                .isZero();
        assertThat(String.join("\n", world.outLines())).doesNotContain("owner=");
        assertThat(world.errLines().get(0))
                .isEqualTo("magnet: processes have no owner: a rule, --sample or --not-self leaves out events of"
                        + " task_attach, which tell it; name other points with -p");
    }

    /** A field of its own goes before the cgroup that a job becomes in a rule. */
    @Test
    void shouldRefuseToAskAPointForAJobThatHasACgroupOfItsOwn() throws IOException {
        module.owning();
        Files.createDirectories(world.root.resolve("sys/fs/cgroup/system.slice/cron.service"));
        Files.createFile(world.root.resolve("sys/fs/cgroup/cgroup.controllers"));
        for (String[] command : new String[][] {{"read"}, {"count"}, {"record", "start", "job"}}) {
            String[] arguments = Stream.concat(
                            Stream.of(command),
                            Stream.of("-p", "task_attach", "--filter", "log if job == cron.service; drop"))
                    .toArray(String[]::new);
            assertThat(world.run(arguments)).as(command[0]).isEqualTo(1);
            assertThat(world.errLines())
                    .as(command[0])
                    .last()
                    .isEqualTo("magnet: task_attach has a field cgroup of its own, so its rules cannot ask for a job;"
                            + " name other points with -p");
        }
        assertThat(module.subscriptions()).isEmpty();
    }

    @Test
    void shouldShowAnOwnerWithLettersOfAnyLanguage() throws IOException {
        module.owning();
        first.write(new RecordWriter()
                .record(EventType.CGROUP_MKDIR, 0, 10, 10, 500, TIMER + 100, 1, 3, 8)
                .text(EventType.CGROUP_MKDIR, "path", "/j\u00c3\u00bcrgen")
                .record(EventType.TASK_ATTACH, 0, 10, 10, 98, TIMER + 150, 500, 3)
                .record(EventType.UDP_SENDMSG, 0, 98, 98, 8, TIMER + 500, 7, 2, 17)
                .bytes());
        assertThat(world.run("read", "-v", "-p", "udp_sendmsg", "-n", "1")).isZero();
        assertThat(world.outLines().get(1)).endsWith(" owner=/j\u00fcrgen");
    }

    @Test
    void shouldRefuseAJobThatIsNotThereBeforeAnythingIsSwitchedOn() throws IOException {
        Files.createDirectories(world.root.resolve("sys/fs/cgroup/system.slice/cron.service"));
        Files.createFile(world.root.resolve("sys/fs/cgroup/cgroup.controllers"));
        assertThat(world.run("read", "-p", "udp_sendmsg", "--filter", "log if job == slurm:1; drop"))
                .isNotZero();
        assertThat(world.errLines())
                .containsExactly("magnet: no cgroup here is the job 'slurm:1'; there are: cron.service");
        assertThat(module.subscriptions()).isEmpty();
    }

    @Test
    void shouldNeitherAskForNorShowOwnersWhenNotVerbose() throws IOException {
        module.owning();
        writeOwners();
        assertThat(world.run("read", "-p", "udp_sendmsg", "-n", "1")).isZero();
        assertThat(module.subscriptions()).containsExactly("udp_sendmsg");
        assertThat(String.join("\n", world.outLines())).doesNotContain("owner=");
    }

    @Test
    void shouldReadWithoutNamesThatTheModuleRefuses() throws IOException {
        module.naming().refusing("task_rename");
        writeShortLife();
        assertThat(world.run("read", "-p", "udp_sendmsg", "-d", "0.5")).isZero();
        assertThat(world.outLines()).hasSize(3);
        assertThat(world.errLines())
                .containsExactly(
                        "magnet: threads that begin meanwhile may have no names: task_rename: it has too many",
                        "magnet: 2 events printed; of 26 hits 5 were lost; 15 events that name threads were lost",
                        "magnet: of the lost 20 found the buffer full (use more than --buffer-size 256K,"
                                + " fewer points, or a rule that drops what is not wanted)");
    }

    /** A LOST record counts a ring's events, those that name threads too. */
    @Test
    void shouldForgetNamesWhereEventsWereLost() throws IOException {
        module.naming();
        world.addProcess(99, "now", "now");
        first.write(new RecordWriter()
                .record(EventType.SCHED_PROCESS_EXEC, 0, 99, 99, 99, TIMER + 200, 99, 10)
                .text(EventType.SCHED_PROCESS_EXEC, "comm", "before")
                .record(EventType.UDP_SENDMSG, 0, 99, 99, 5, TIMER + 300, 1_400, 2, 17)
                .record(EventType.LOST, 0, 0, 0, 0, TIMER + 400, 3, 1, 2)
                .record(EventType.UDP_SENDMSG, 0, 99, 99, 6, TIMER + 500, 7, 2, 17)
                .bytes());
        assertThat(world.run("read", "-p", "udp_sendmsg", "-d", "0.5")).isZero();
        assertThat(world.outLines().get(1)).contains("99/99 before ").contains("cookie=5");
        assertThat(world.outLines().get(2)).contains("lost ").contains("count=3");
        assertThat(world.outLines().get(3)).contains("99/99 now ").contains("cookie=6");
    }

    @Test
    void shouldShowThemWhenTheyAreAskedForAndSubscribeThemOnce() throws IOException {
        module.naming();
        writeShortLife();
        assertThat(world.run("read", "-p", "sched_process_exec", "-n", "1")).isZero();
        assertThat(world.outLines().get(1))
                .isEqualTo("14:13:20.000000080   0           99/99 short\\x1b       sched_process_exec tid=99"
                        + " old_tid=99 parent=10 path_len=12 argv_len=6 argv_kept=6 comm=\"short\\u001b\""
                        + " path=\"/bin/short\\u001b\" argv=\"s \\\"1\\\"\"");
        assertThat(module.subscriptions())
                .containsExactly("sched_process_fork", "task_rename", "sched_process_exit", "sched_process_exec");
    }

    @Test
    void shouldGiveNamesInJson() throws IOException {
        module.naming();
        writeShortLife();
        assertThat(world.run("read", "--json", "-p", "sched_process_exec", "-p", "udp_sendmsg", "-n", "2"))
                .isZero();
        assertThat(world.outLines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains("\"tid\":99,\"comm\":\"short\\u001b\",\"event_id\":289")
                                .endsWith("\"fields\":{\"old_tid\":99,\"parent\":10,\"path_len\":12,\"argv_len\":6,"
                                        + "\"argv_kept\":6,\"comm\":\"short\\u001b\",\"path\":\"/bin/short\\u001b\","
                                        + "\"argv\":\"s \\\"1\\\"\"}}"),
                        line -> assertThat(line).contains("\"comm\":\"short\\u001b\",\"event_id\":16"));
    }

    @Test
    void shouldAskProcForThreadsThatBeganBefore() throws IOException {
        Files.createDirectories(world.processes.resolve("419"));
        Files.writeString(world.processes.resolve("419/comm"), "sshd worker\n");
        write();
        assertThat(world.run("read", "-p", "sched_switch", "-d", "0.5")).isZero();
        assertThat(world.outLines()).anyMatch(line -> line.contains("412/419 sshd worker     sched_switch"));
    }

    @Test
    void shouldPrintJson() throws IOException {
        write();
        assertThat(world.run("read", "--json", "-n", "3")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "{\"time\":\"2026-09-21T14:13:20.000000080Z\",\"time_ns\":1790000000000000080,\"timer\":5200,"
                                + "\"cpu\":0,\"tgid\":99,\"tid\":98,\"event_id\":16,\"event\":\"udp_sendmsg\","
                                + "\"abstract_id\":5,\"fields\":{\"len\":1400,\"family\":\"inet\",\"protocol\":\"udp\"}}",
                        "{\"time\":\"2026-09-21T14:13:20.000000100Z\",\"time_ns\":1790000000000000100,\"timer\":5250,"
                                + "\"cpu\":1,\"tgid\":412,\"tid\":419,\"event_id\":272,\"event\":\"sched_switch\","
                                + "\"abstract_id\":77,\"fields\":{\"prev_state\":\"preempted\",\"next_tgid\":70}}",
                        "{\"time\":\"2026-09-21T14:13:20.000000120Z\",\"time_ns\":1790000000000000120,\"timer\":5300,"
                                + "\"cpu\":0,\"tgid\":1,\"tid\":1,\"event_id\":2047,\"abstract_id\":0,"
                                + "\"payload_bytes\":16}");
    }

    private static final int OPENAT = SystemCalls.of(SystemCalls.runningMachine()).own().entrySet().stream()
            .filter(call -> call.getValue().equals("openat"))
            .findFirst()
            .orElseThrow()
            .getKey();

    /** Numbers that only this kernel, and this machine, can tell the meaning of. */
    private void writeNumbers() throws IOException {
        Files.write(world.format, TraceFixture.formatWithWords(RecordLayout.WIDE));
        first.write(new RecordWriter()
                .record(EventType.MM_VMSCAN_DIRECT_RECLAIM_BEGIN, 0, 1, 1, 0, TIMER + 100, 2, 0x40cc0, 0)
                .record(EventType.KFREE_SKB, 0, 1, 1, 0, TIMER + 200, 0x10, 60, 1, 0x800, 0, 0, 3)
                .record(EventType.SOFTIRQ_ENTRY, 0, 1, 1, 3, TIMER + 300)
                .record(EventType.SYS_ENTER, 0, 1, 1, OPENAT, TIMER + 400, 1, 2, 3, 0)
                .record(EventType.SYS_ENTER, 0, 1, 1, 999, TIMER + 500, 1, 2, 3, 0)
                .record(EventType.BLOCK_RQ_ISSUE, 0, 1, 1, 7, TIMER + 600, 8, 0x800000, 4_096, 9, 0)
                .bytes());
    }

    @Test
    void shouldPrintWordsWhereTheKernelOrTheMachineHasThem() throws IOException {
        writeNumbers();
        assertThat(world.run("read", "-n", "6")).isZero();
        assertThat(fields(world.outLines()))
                .containsExactly(
                        "order=2 gfp_flags=GFP_KERNEL|__GFP_COMP cgroup=0",
                        "cookie=0 packet_id=0x10 len=60 ifindex=1 ethertype=ipv4 captured=0 network_len=0"
                                + " reason=NO_SOCKET",
                        "vector=NET_RX",
                        "nr=openat arg0=0x1 arg1=0x2 arg2=0x3 compat=0",
                        "nr=999 arg0=0x1 arg1=0x2 arg2=0x3 compat=0",
                        "request=7 sector=8 dev=0x800000 bytes=4096 op=WRITE_ZEROES error=0");
    }

    @Test
    void shouldPrintNumbersWhenTheyAreWantedRaw() throws IOException {
        writeNumbers();
        assertThat(world.run("read", "--raw", "-n", "6")).isZero();
        assertThat(fields(world.outLines()))
                .containsExactly(
                        "order=2 gfp_flags=0x40cc0 cgroup=0",
                        "cookie=0 packet_id=0x10 len=60 ifindex=1 ethertype=0x800 captured=0 network_len=0 reason=3",
                        "vector=3",
                        "nr=" + OPENAT + " arg0=0x1 arg1=0x2 arg2=0x3 compat=0",
                        "nr=999 arg0=0x1 arg1=0x2 arg2=0x3 compat=0",
                        "request=7 sector=8 dev=0x800000 bytes=4096 op=9 error=0");
    }

    /** An abstract id stays a number, whose word stands behind it. */
    @Test
    void shouldGiveWordsInJson() throws IOException {
        writeNumbers();
        assertThat(world.run("read", "--json", "-n", "6")).isZero();
        assertThat(world.outLines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains(
                                        "\"fields\":{\"order\":2,\"gfp_flags\":\"GFP_KERNEL|__GFP_COMP\",\"cgroup\":0}"),
                        line -> assertThat(line).contains("\"ethertype\":\"ipv4\"", "\"reason\":\"NO_SOCKET\""),
                        line -> assertThat(line).endsWith("\"abstract_id\":3,\"vector\":\"NET_RX\",\"fields\":{}}"),
                        line -> assertThat(line)
                                .contains("\"abstract_id\":" + OPENAT + ",\"nr\":\"openat\",\"fields\""),
                        line -> assertThat(line).contains("\"abstract_id\":999,\"fields\""),
                        line -> assertThat(line).contains("\"op\":\"WRITE_ZEROES\",\"error\":0"));
    }

    @Test
    void shouldGiveNumbersInJsonWhenTheyAreWantedRaw() throws IOException {
        writeNumbers();
        assertThat(world.run("read", "--json", "--raw", "-n", "6")).isZero();
        assertThat(world.outLines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("\"gfp_flags\":\"0x40cc0\""),
                        line -> assertThat(line).contains("\"ethertype\":\"0x800\"", "\"reason\":3"),
                        line -> assertThat(line).endsWith("\"abstract_id\":3,\"fields\":{}}"),
                        line -> assertThat(line).contains("\"abstract_id\":" + OPENAT + ",\"fields\""),
                        line -> assertThat(line).contains("\"abstract_id\":999,\"fields\""),
                        line -> assertThat(line).contains("\"op\":9,\"error\":0"));
    }

    /** What stands behind the heading's EVENT. */
    private static List<String> fields(List<String> lines) {
        int event = lines.get(0).indexOf("EVENT");
        return lines.stream()
                .skip(1)
                .map(line -> line.substring(event).replaceFirst("^\\S+ +", ""))
                .toList();
    }

    private void writeOfDynamicPointAndModule() throws IOException {
        first.write(new RecordWriter()
                .unknown(0x400, 0, TIMER + 100, 0xffff_fffe_0000_00c8L, 0x6d2f_7465_6e2f_6322L, 0x6761)
                .unknown(0x401, 0, TIMER + 200, 0x0000_001f_0000_0003L, 0x636261)
                .bytes());
    }

    @Test
    void shouldPrintNamesAndFieldsOfDynamicPointsAndOfModulesEvents() throws IOException {
        Files.write(world.format, TraceFixture.format(RecordLayout.WIDE));
        writeOfDynamicPointAndModule();
        assertThat(world.run("read", "-v", "-n", "2")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "TIME               CPU  PROCESS/THREAD NAME            EVENT              FIELDS",
                        "14:13:20.000000040   0             1/1                 f_open             small=200 ret=-2"
                                + " name=\"\\\"c/net/mag\"",
                        "14:13:20.000000080   0             1/1                 sample_text        abstract_id=0 len=3"
                                + " flags=0x1f more=6162630000000000");
    }

    @Test
    void shouldGiveNamesAndFieldsOfDynamicPointsAndOfModulesEventsInJson() throws IOException {
        Files.write(world.format, TraceFixture.format(RecordLayout.WIDE));
        writeOfDynamicPointAndModule();
        assertThat(world.run("read", "--json", "-n", "2")).isZero();
        assertThat(world.outLines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .endsWith("\"event_id\":1024,\"event\":\"f_open\",\"abstract_id\":0,"
                                        + "\"fields\":{\"small\":200,\"ret\":-2,\"name\":\"\\\"c/net/mag\"}}"),
                        line -> assertThat(line)
                                .endsWith("\"event_id\":1025,\"event\":\"sample_text\",\"abstract_id\":0,"
                                        + "\"fields\":{\"len\":3,\"flags\":\"0x1f\",\"more\":\"6162630000000000\"}}"));
    }

    @Test
    void shouldAskForPacketsOnlyWherePointsHaveThemUnlessTheUserNamesThePoint() throws IOException {
        write();
        assertThat(world.run("read", "--snap", "64", "-n", "1")).isZero();
        assertThat(module.lastRequest("SUB_NEW")).contains("POINT=half_there").doesNotContain("SNAP_LEN");
        write();
        assertThat(world.run("read", "--snap", "64", "-n", "1", "-p", "sched_switch"))
                .isZero();
        assertThat(module.lastRequest("SUB_NEW")).contains("SNAP_LEN=64");
    }

    @Test
    void shouldEndAfterTheCount() throws IOException {
        write();
        assertThat(world.run("read", "-n", "1")).isZero();
        assertThat(world.outLines()).hasSize(2);
    }

    @Test
    void shouldReadAllPointsThatThereAreByDefault() throws IOException {
        write();
        assertThat(world.run("read", "-n", "1")).isZero();
        assertThat(module.subscriptions()).containsExactly("udp_sendmsg", "sched_switch", "half_there");
    }

    @Test
    void shouldPrintOnlyTheProcessThatIsAskedFor() throws IOException {
        write();
        assertThat(world.run("read", "--pid", "412", "-d", "0.3")).isZero();
        assertThat(world.outLines()).hasSize(3).anyMatch(line -> line.contains("412/419"));
        assertThat(world.outLines()).as("loss concerns everybody").anyMatch(line -> line.contains("lost"));
    }

    /** 256K for each CPU would be full of everybody else's events. */
    @Test
    void shouldLetTheKernelLeaveOutOtherProcesses() throws IOException {
        write();
        assertThat(world.run("read", "-p", "udp_sendmsg", "--pid", "412", "-n", "1", "-d", "0.1"))
                .isZero();
        assertThat(module.lastRequest("SUB_NEW")).contains("RULES=drop if tgid != 412 ");
        assertThat(world.run("watch", "-p", "sched_switch", "--pid", "412", "--filter", "log", "-d", "0.1"))
                .isZero();
        assertThat(module.lastRequest("SUB_NEW"))
                .as("the first rule that matches decides")
                .contains("RULES=drop if tgid != 412; log ");
    }

    /** Others' events name this process's threads, and the field tgid is of another process than the one that ran. */
    @Test
    void shouldLogEverybodysEventsWhereTheKernelCannotTellWhoseTheyAre() throws IOException {
        for (EventType point : List.of(
                EventType.SCHED_PROCESS_FORK,
                EventType.SCHED_PROCESS_EXIT,
                EventType.TASK_RENAME,
                EventType.SCHED_WAKEUP)) {
            module.withPoint(point.label(), point.id());
            assertThat(world.run("read", "-p", point.label(), "--pid", "412", "-d", "0.1"))
                    .isZero();
            assertThat(module.lastRequest("SUB_NEW"))
                    .contains("POINT=" + point.label())
                    .doesNotContain("RULES");
        }
    }

    @Test
    void shouldRefuseAProcessThatCannotBe() {
        for (String pid : List.of("0", "-1")) {
            assertThat(world.run("read", "--pid=" + pid)).isEqualTo(2);
            assertThat(world.run("watch", "-p", "sched_switch", "--pid=" + pid)).isEqualTo(2);
        }
        assertThat(world.errLines())
                .containsOnly(
                        "magnet: --pid PID must be at least 1 (see: magnet read --help)",
                        "magnet: --pid PID must be at least 1 (see: magnet watch --help)");
    }

    @Test
    void shouldTakeTheOldNameAndSayTheNewOne() throws IOException {
        write();
        assertThat(world.run("read", "--tgid", "412", "-d", "0.3")).isZero();
        assertThat(world.outLines()).hasSize(3).anyMatch(line -> line.contains("412/419"));
        assertThat(world.errLines())
                .startsWith("magnet: --tgid is called --pid now; the next release does not take the old name");
        assertThat(world.run("read", "--tgid", "x")).isEqualTo(2);
    }

    @Test
    void shouldSayHowMuchItCausedItselfAndLeaveItOut() throws IOException {
        int self = (int) ProcessHandle.current().pid();
        first.write(new RecordWriter()
                .record(EventType.SCHED_SWITCH, 0, self, self, 77, TIMER + 200, 0, 70)
                .bytes());
        assertThat(world.run("read", "-p", "sched_switch", "-n", "1")).isZero();
        assertThat(world.errLines())
                .endsWith(
                        "magnet: 1 of the events came from this command itself: --not-self leaves them out, in the kernel");
        assertThat(world.run("read", "-p", "sched_switch", "--not-self", "--filter", "sample 5", "-d", "0.1"))
                .isZero();
        assertThat(module.lastRequest("SUB_NEW")).contains("RULES=drop if tgid == " + self + "; sample 5");
    }

    @Test
    void shouldFoldLinesForATerminal() throws IOException {
        write();
        world.screen = Optional.of(new TerminalSize(72, 24));
        assertThat(world.run("read", "-n", "3")).isZero();
        assertThat(world.outLines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(72))
                .contains(
                        "14:13:20.000000080   0           99/98                 udp_sendmsg",
                        " ".repeat(18) + "cookie=5 len=1400 family=inet protocol=udp");
    }

    @Test
    void shouldTakePointsOneByOneOrWithCommas() throws IOException {
        write();
        assertThat(world.run("read", "-p", "udp_sendmsg,sched_switch", "-p", "half_there", "-n", "1"))
                .isZero();
        assertThat(module.subscriptions()).containsExactly("udp_sendmsg", "sched_switch", "half_there");
    }

    @Test
    void shouldPrintFromABufferOfTheSizeThatIsAskedFor() throws IOException {
        write();
        assertThat(world.run("read", "--buffer-size", "4M", "-n", "1")).isZero();
        assertThat(module.lastRequest("BUFFER_NEW")).contains("BUFFER_SIZE=4194304");
    }

    @Test
    void shouldKeepRawRecords() throws IOException {
        write();
        Path raw = folder.resolve("a/b");
        assertThat(world.run("read", "--records", raw.toString(), "-d", "0.3")).isZero();
        assertThat(Files.size(raw.resolve("cpu0.raw"))).isEqualTo(32 + 24 + 32 + 8 + 32 + 16 + 32 + 24);
        assertThat(Files.size(raw.resolve("cpu1.raw"))).isEqualTo(40);
    }

    @Test
    void shouldEndWhenTheUserInterrupts() throws Exception {
        CountDownLatch printed = new CountDownLatch(1);
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) {
                world.out.write(b);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                world.out.write(bytes, offset, length);
                printed.countDown();
            }
        };
        int[] exitCode = {-1};
        Thread command = new Thread(() -> exitCode[0] = world.run("read"));
        command.start();
        printed.await();
        while (!world.interruption.interrupt()) {
            Thread.onSpinWait();
        }
        command.join();
        assertThat(exitCode[0]).isZero();
        assertThat(world.errLines()).startsWith("magnet: 0 events printed; of 78 hits 15 were lost");
    }

    @Test
    void shouldEndQuietlyWhenNobodyReadsItsOutput() throws IOException {
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        write();
        assertThat(world.run("read")).isZero();
        assertThat(world.errLines()).isEmpty();
    }

    @Test
    void shouldSayHowManyEventsAreLackingWhenItsOutputCannotBeWritten() throws IOException {
        write();
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            world.outStream = full;
            assertThat(world.run("read", "--json")).isEqualTo(1);
        }
        assertThat(world.errLines())
                .singleElement()
                .asString()
                .matches("magnet: cannot write what was asked for: No space left on device; up to [1-9]\\d* events were"
                        + " not written");
    }

    @Test
    void shouldSayWhenTheBufferWasRemoved() throws IOException {
        write();
        first.close();
        second.close();
        Files.delete(world.data.resolve("cpu0"));
        Files.delete(world.data.resolve("cpu1"));
        Files.createFile(world.data.resolve("cpu0"));
        assertThat(world.run("read")).isZero();
        assertThat(world.errLines()).containsExactly("magnet: 0 events printed, then somebody else removed the buffer");
    }

    @Test
    void shouldNameTheNearestPointWhenThereIsNone() {
        assertThat(world.run("read", "-p", "udp_sendmesg")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: there is no point udp_sendmesg; did you mean udp_sendmsg?"
                        + " (\"magnet points\" lists them)");
    }

    @Test
    void shouldNotGuessWhenNoPointIsNear() {
        assertThat(world.run("read", "-p", "nosuch")).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: there is no point nosuch (\"magnet points\" lists them)");
    }

    @Test
    void shouldAskTheKernelForWhatIsSelected() throws IOException {
        write();
        assertThat(world.run(
                        "read",
                        "-p",
                        "udp_sendmsg",
                        "-n",
                        "1",
                        "--filter",
                        "drop if id & 1",
                        "--filter",
                        "log",
                        "--sample",
                        "10",
                        "--snap",
                        "64",
                        "--counters",
                        "Cache-Misses,cpu_clock"))
                .isZero();
        assertThat(module.lastRequest("SUB_NEW"))
                .endsWith("RULES=drop if id & 1; log FLAGS=0 SAMPLE_COUNT=10 SNAP_LEN=64 COUNTERS=72");
    }

    @Test
    void shouldPrintWhatTheSensorSaysOfItself() throws IOException {
        second.write(new RecordWriter()
                .record(EventType.CLOCK, 1, 0, 0, 0, TIMER + 100)
                .bytes());
        first.write(new RecordWriter()
                .record(EventType.STORM, 0, 0, 0, 0x3c0, TIMER + 250, 7, 1, 2)
                .record(EventType.CORRELATED, 0, 5, 6, 77, TIMER + 500, 3, 2, 8, 9)
                .bytes());
        RecordWriter counters = new RecordWriter();
        int start = counters.header(32 + 8 + 3 * 8, 0, EventType.COUNTERS.id(), 5, 6, 77, TIMER + 500);
        counters.buffer().putInt(start + 32, 0x143).putInt(start + 36, 4);
        counters.buffer().putLong(start + 40, 1_000).putLong(start + 48, -1).putLong(start + 56, 30);
        first.write(counters.bytes());

        assertThat(world.run("read", "--pid", "5", "-d", "0.3")).isZero();

        assertThat(world.outLines().stream().skip(1).map(line -> line.substring(55)))
                .containsExactly(
                        "storm              event=960 refused=7 first_timer=1 last_timer=2",
                        "correlated         id=77 correlation=3 count=2 first_timer=8 last_timer=9",
                        "counters           id=77 which=0x143 n=4 cycles=1000 instructions=unreadable cpu_clock=30");
        assertThat(world.errLines().get(0)).as("the others are no events").startsWith("magnet: 1 event printed");
    }

    @Test
    void shouldPrintTheCountersOfTheLastEventAlso() throws IOException {
        RecordWriter records = new RecordWriter();
        for (long timer = TIMER + 250; timer < TIMER + 750; timer += 250) {
            records.record(EventType.UDP_SENDMSG, 0, 99, 98, 5, timer, 1_400, 2, 17);
            int start = records.header(32 + 8 + 8, 0, EventType.COUNTERS.id(), 99, 98, 5, timer);
            records.buffer().putInt(start + 32, 0x40).putInt(start + 36, 1).putLong(start + 40, timer);
        }
        first.write(records.bytes());
        second.write(new RecordWriter()
                .record(EventType.CLOCK, 1, 0, 0, 0, TIMER + 1_000)
                .bytes());

        assertThat(world.run("read", "-n", "1")).isZero();

        assertThat(world.outLines()).hasSize(3);
        assertThat(world.outLines().get(2)).contains("counters").endsWith("cpu_clock=" + (TIMER + 250));
    }

    @Test
    void shouldPrintTheTextOfMarkersAndTheBytesOfPackets() throws IOException {
        RecordWriter writer = new RecordWriter();
        int marker = writer.header(32 + 8 + 8, 0, EventType.MARKER.id(), 5, 6, 42, TIMER + 250);
        writer.buffer().putInt(marker + 32, 6);
        writer.buffer().put(marker + 40, "42 \"\033a".getBytes(StandardCharsets.UTF_8));
        int packet = writer.header(32 + 24 + 8, 0, EventType.UDP_RCV.id(), 5, 6, 0, TIMER + 500);
        writer.buffer().putShort(packet + 32 + 18, (short) 5).putLong(packet + 32 + 24, 0x45L);
        first.write(writer.bytes());
        second.write(new RecordWriter()
                .record(EventType.CLOCK, 1, 0, 0, 0, TIMER + 100)
                .bytes());
        String fields = "packet_id=0x0 len=0 ifindex=0 ethertype=none captured=5 network_len=0";

        assertThat(world.run("read", "-v", "-d", "0.3")).isZero();
        assertThat(world.outLines())
                .anyMatch(line -> line.endsWith("number=42 len=6 text=\"42 \\\"\\u001ba\""))
                .anyMatch(line -> line.endsWith(fields + " packet=4500000000"));

        TestWorld plain = new TestWorld(folder.resolve("plain"), module);
        try (Fifo again = Fifo.create(plain.data.resolve("cpu0"))) {
            again.write(writer.bytes());
            assertThat(plain.run("read", "-d", "0.3")).isZero();
            assertThat(plain.outLines()).anyMatch(line -> line.endsWith(fields));
        }
        TestWorld json = new TestWorld(folder.resolve("json"), module);
        try (Fifo again = Fifo.create(json.data.resolve("cpu0"))) {
            again.write(writer.bytes());
            assertThat(json.run("read", "--json", "-d", "0.3")).isZero();
            assertThat(json.outLines())
                    .anyMatch(line -> line.endsWith(",\"text\":\"42 \\\"\\u001ba\"}}"))
                    .anyMatch(line -> line.endsWith(",\"packet\":\"4500000000\"}}"));
        }
    }

    @Test
    void shouldSayWhatThisKernelDoesNotHave() {
        assertThat(world.run("read", "-p", "not_there")).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: point not_there is missing on this kernel: it has none of not_there,"
                        + " not_there_old");
    }

    @Test
    void shouldSayWhichRightIsMissing() throws IOException {
        TestWorld unprivileged = new TestWorld(folder.resolve("u"), new FakeModule().unprivileged());
        assertThat(unprivileged.run("read")).isEqualTo(1);
        assertThat(unprivileged.errLines())
                .singleElement()
                .asString()
                .contains("needs CAP_PERFMON or CAP_SYS_ADMIN (EPERM); run it as root or give it CAP_PERFMON");
    }

    @Test
    void shouldNameTheCapabilityThatTheKernelAsksFor() throws IOException {
        assertThat(complaint("bytes of packets need CAP_NET_RAW too, or CAP_SYS_ADMIN"))
                .endsWith("(EPERM); run it as root or give it CAP_NET_RAW");
        assertThat(complaint("a field reads the kernel's memory: needs CAP_BPF with CAP_PERFMON, or CAP_SYS_ADMIN"))
                .endsWith("(EPERM); run it as root or give it CAP_BPF");
        assertThat(complaint("the kernel is locked down (confidentiality): no counters; leave them out"))
                .endsWith("no counters; leave them out (EPERM)");
    }

    private String complaint(String kernelText) throws IOException {
        TestWorld refused =
                new TestWorld(folder.resolve("" + kernelText.hashCode()), new FakeModule().unprivileged(kernelText));
        assertThat(refused.run("read")).isEqualTo(1);
        assertThat(refused.errLines()).hasSize(1);
        return refused.errLines().get(0);
    }

    @Test
    void shouldSayWhenThereAreNoDataFiles() throws IOException {
        TestWorld empty = new TestWorld(folder.resolve("e"), new FakeModule());
        assertThat(empty.run("read")).isEqualTo(1);
        assertThat(empty.errLines()).singleElement().asString().isEqualTo("magnet: no data files in " + empty.data);
    }

    @Test
    void shouldRefuseWhatIsNoRuleAsAWrongCommandLine() {
        for (String wrong : List.of(
                "keep all",
                "log when len",
                "log if len <> 5",
                "log if len ==",
                "sample 0 if cpu == 1",
                "drop if len > 5 or cpu == 1",
                "log; every 2 days")) {
            assertThat(world.run("read", "-p", "udp_sendmsg", "--filter", wrong))
                    .as(wrong)
                    .isEqualTo(2);
            assertThat(world.errLines()).last().asString().as(wrong).endsWith(" (see: magnet help rules)");
        }
        assertThat(module.subscriptions()).isEmpty();
    }
}
