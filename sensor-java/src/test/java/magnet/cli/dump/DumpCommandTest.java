// SPDX-License-Identifier: Apache-2.0
package magnet.cli.dump;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import magnet.cli.LiveFixture;
import magnet.cli.TestWorld;
import magnet.control.FakeModule;
import magnet.dump.PacketRecords;
import magnet.dump.PcapngFile;
import magnet.os.TerminalSize;
import magnet.record.EventType;
import magnet.record.RecordWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The made-up module's timer 5000 is 2026-09-21T14:13:20Z, 2.5 ticks are a nanosecond; each point had 26 hits and lost 5. */
@Timeout(60)
final class DumpCommandTest extends LiveFixture {
    private static final long TIMER = 5_000;
    private static final byte[] DATAGRAM = PacketRecords.udp(0x0a000001, 0x0a000002, 4_000, 53, 29);
    private static final byte[] GRE = PacketRecords.bytes(PacketRecords.ipv4(0x0a000001, 0x0a000002, 47, 0, 30));

    DumpCommandTest() {
        super(new FakeModule().network());
    }
    /** Of the two points where packets are shown. */
    private static final String LOSSES = " captured, 10 dropped; of ";

    @BeforeEach
    void prepare() throws IOException {
        Path eth0 = Files.createDirectories(folder.resolve("sys/class/net/eth0"));
        Files.writeString(eth0.resolve("ifindex"), "2\n");
        Files.writeString(eth0.resolve("type"), "1\n");
        world.addProcess(419, "python3", "python3");
    }

    private void write(int packets) throws IOException {
        write(packets, DATAGRAM);
    }

    private void write(int packets, byte[] packet) throws IOException {
        PacketRecords records = new PacketRecords();
        for (int i = 0; i < packets; i++) {
            records.packet(EventType.NETIF_RECEIVE_SKB, TIMER + 250 * (i + 1L), 0, i + 1L, 2, 0x800, packet);
        }
        first.write(records.bytes());
        second.write(new RecordWriter()
                .record(EventType.CLOCK, 1, 0, 0, 0, TIMER + 100, 1_790_000_000_000_000_040L, 2_040)
                .bytes());
    }

    @Test
    void shouldPrintPackets() throws IOException {
        write(1);
        assertThat(world.run("dump", "--duration", "0.5")).isZero();
        assertThat(world.outLines())
                .containsExactly(
                        "14:13:20.000000100 eth0 In IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                        "    tsc=5250 cpu=0 thread=419(python3): netif_receive_skb +0");
        assertThat(world.errLines().get(0)).isEqualTo("magnet: capturing packets of any kind, up to 128 bytes of each");
        assertThat(world.errLines().get(1)).startsWith("magnet: 1 packet" + LOSSES);
        assertThat(module.wasAskedTo("BUFFER_DEL")).isTrue();
    }

    @Test
    void shouldTellLossesOfEventsThatNameThreadsApart() throws IOException {
        module.namingNetwork();
        write(1);
        assertThat(world.run("dump", "--duration", "0.5")).isZero();
        assertThat(world.errLines().get(1))
                .startsWith("magnet: 1 packet" + LOSSES)
                .endsWith("were lost; 20 events that name threads were lost");
    }

    private void writeOwners() throws IOException {
        module.owningNetwork();
        first.write(new RecordWriter()
                .record(EventType.CGROUP_MKDIR, 0, 10, 10, 500, TIMER + 10, 1, 3, 39)
                .text(EventType.CGROUP_MKDIR, "path", "/system.slice/slurmstepd.scope/job_4711")
                .record(EventType.CGROUP_MKDIR, 0, 10, 10, 501, TIMER + 10, 1, 1, 4)
                .text(EventType.CGROUP_MKDIR, "path", "/a b")
                .record(EventType.TASK_ATTACH, 0, 10, 10, 400, TIMER + 20, 500, 0)
                .bytes());
        write(1);
        first.write(new RecordWriter()
                .record(EventType.TASK_ATTACH, 0, 10, 10, 400, TIMER + 300, 501, 3)
                .bytes());
        PacketRecords next = new PacketRecords();
        next.packet(EventType.NETIF_RECEIVE_SKB, TIMER + 500, 0, 7, 2, 0x800, DATAGRAM);
        first.write(next.bytes());
    }

    @Test
    void shouldTellWhoseAPacketIsWhenVerboseAlsoAfterAMove() throws IOException {
        writeOwners();
        assertThat(world.run("dump", "-v", "--no-journey", "--duration", "0.5")).isZero();
        assertThat(world.outLines())
                .contains(
                        "    tsc=5250 cpu=0 thread=419(python3) owner=slurm:4711",
                        "    tsc=5500 cpu=0 thread=419(python3) owner=/a\\x20b");
        assertThat(module.subscriptions())
                .startsWith("cgroup_mkdir", "cgroup_rmdir", "task_attach")
                .hasSize(3 + 4);
        assertThat(world.errLines().get(1)).endsWith("15 events that name threads or tell owners were lost");
    }

    @Test
    void shouldTellWhoseAPacketIsInJsonAndInComments() throws IOException {
        writeOwners();
        assertThat(world.run("dump", "-v", "--json", "-n", "2")).isZero();
        assertThat(world.outLines().get(0))
                .contains("\"tid\": 419, \"thread\": \"python3\", \"owner\": \"slurm:4711\", \"journey\": [{")
                .endsWith("\"tid\": 419, \"thread\": \"python3\", \"owner\": \"slurm:4711\"}]}");
        assertThat(world.outLines().get(1)).contains("\"owner\": \"/a b\"");

        writeOwners();
        Path file = folder.resolve("x.pcapng");
        assertThat(world.run("dump", "-v", "--no-journey", "-n", "1", "-o", file.toString()))
                .isZero();
        assertThat(new PcapngFile(Files.readAllBytes(file)).packets.get(0).comment())
                .isEqualTo("tsc=5250 cpu=0 thread=419(python3) owner=slurm:4711");
    }

    @Test
    void shouldPrintProtocolsAsWordsOrAsNumbers() throws IOException {
        write(1, GRE);
        assertThat(world.run("dump", "-c", "1")).isZero();
        assertThat(world.outLines().get(0)).endsWith("IP 10.0.0.1 > 10.0.0.2: gre, length 30");
        world.out.reset();
        write(1, GRE);
        assertThat(world.run("dump", "--raw", "-c", "1")).isZero();
        assertThat(world.outLines().get(0)).endsWith("IP 10.0.0.1 > 10.0.0.2: protocol 47, length 30");
    }

    @Test
    void shouldEndAfterExactlySoManyPackets() throws IOException {
        write(5);
        assertThat(world.run("dump", "-c", "2", "udp")).isZero();
        assertThat(world.outLines()).hasSize(4);
        assertThat(world.errLines().get(1)).startsWith("magnet: 2 packets" + LOSSES);
    }

    @Test
    void shouldWriteAFileAndAskTheKernelForItsBytes() throws IOException {
        write(3);
        Path file = folder.resolve("packets.pcapng");
        assertThat(world.run(
                        "dump", "-c", "3", "-s", "200", "-i", "eth0", "-w", file.toString(), "--no-journey", "udp"))
                .isZero();
        assertThat(world.outLines()).isEmpty();
        PcapngFile read = new PcapngFile(Files.readAllBytes(file));
        assertThat(read.packets).hasSize(3);
        assertThat(read.interfaces).singleElement().satisfies(eth0 -> {
            assertThat(eth0.name()).isEqualTo("eth0");
            assertThat(eth0.snapLength()).isEqualTo(220);
        });
        assertThat(PcapngFile.number(read.statistics.get(0).options().get(7))).isEqualTo(10);
        assertThat(read.packets.get(0).comment()).isEqualTo("tsc=5250 cpu=0 thread=419(python3)");
        assertThat(module.lastRequest("SUB_NEW"))
                .contains("RULES=drop if ifindex != 2; log if ethertype in 0x800,0x86dd and protocol == 17; drop")
                .contains("SNAP_LEN=200");
        assertThat(module.lastRequest("BUFFER_NEW")).contains("BUFFER_SIZE=4194304");
        assertThat(module.subscriptions())
                .containsExactlyInAnyOrder(
                        "net_dev_start_xmit", "net_dev_xmit", "net_dev_receive", "netif_receive_skb");
        assertThat(module.subscriptions().subList(2, 4))
                .as("where packets are shown is last")
                .containsExactlyInAnyOrder("net_dev_start_xmit", "netif_receive_skb");
    }

    @Test
    void shouldWriteToTheStandardOutputIfThatIsNoTerminal() throws IOException {
        write(1);
        assertThat(world.run("dump", "-c", "1", "-w", "-")).isZero();
        assertThat(new PcapngFile(world.out.toByteArray()).packets).hasSize(1);

        world.screen = Optional.of(TerminalSize.USUAL);
        assertThat(world.run("dump", "-w", "-")).isEqualTo(2);
        assertThat(world.errLines())
                .contains("magnet: -o - writes no text: let it go to a file or to a program, not to a terminal"
                        + " (see: magnet dump --help)");
    }

    @Test
    void shouldPrintJson() throws IOException {
        write(1);
        assertThat(world.run("dump", "--json", "-n", "1")).isZero();
        assertThat(world.outLines())
                .containsExactly("{\"time\": \"2026-09-21T14:13:20.000000100Z\", \"time_ns\": 1790000000000000100,"
                        + " \"timer\": 5250, \"device\": \"eth0\", \"direction\": \"in\","
                        + " \"packet\": \"IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29\", \"ethertype\": 2048,"
                        + " \"length\": 57, \"cpu\": 0, \"tgid\": 400, \"tid\": 419, \"thread\": \"python3\","
                        + " \"journey\": [{\"point\": \"netif_receive_skb\", \"ns\": 0, \"cpu\": 0, \"tgid\": 400,"
                        + " \"tid\": 419, \"thread\": \"python3\"}]}");
    }

    @Test
    void shouldExplainAsJson() {
        assertThat(world.run("dump", "--explain", "--json", "--no-journey", "inbound", "and", "arp"))
                .isZero();
        assertThat(world.outLines())
                .singleElement()
                .asString()
                .startsWith("{\"rules\": {\"")
                .endsWith("\"exact\": true}");
    }

    /** What follows decides: tcpdump's letters stand alone. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-n -i eth0 udp|-i eth0 udp",
                "-nn port 53|port 53",
                "-nni eth0 -nl|-i eth0 -l",
                "-n5|-n5",
                "-n 10 port 53|-n 10 port 53",
                "-n -5|-n -5",
                "-d port 53|--explain port 53",
                "-d 5m port 53|-d 5m port 53",
                "port 53 -d|port 53 --explain",
                "-o -d -n|-o -d",
                "-w -n -d 1|-w -n -d 1",
                "-- -d -n|-- -d -n",
                "-dd port 53|--explain port 53",
                "-ddd 5 port|--explain 5 port",
                "-tnn udp|-t udp",
                "-tttnnvvXs 100 udp|-tttvvXs 100 udp",
                "-nndi eth0|--explain -i eth0",
                "-vn 10|-vn 10",
                "-s -n -n|-s -n",
                "-d5m|-d5m",
            })
    void shouldTakeTcpdumpsLetters(String given, String understood) {
        CommandSpec spec = new CommandLine(new DumpCommand(world.world())).getCommandSpec();
        assertThat(TcpdumpLetters.understood(spec, List.of(given.split(" ")))).containsExactly(understood.split(" "));
    }

    @Test
    void shouldCaptureWithTcpdumpsLetters() throws IOException {
        write(3);
        Path file = folder.resolve("letters.pcapng");
        assertThat(world.run("dump", "-n", "-l", "-Up", "-s", "0", "-B", "1M", "-c", "2", "-w", file.toString()))
                .isZero();
        assertThat(new PcapngFile(Files.readAllBytes(file)).packets).hasSize(2);
        assertThat(module.lastRequest("BUFFER_NEW")).contains("BUFFER_SIZE=1048576");
        assertThat(module.lastRequest("SUB_NEW")).contains("SNAP_LEN=4000");
    }

    private List<String> dumped(String... arguments) throws IOException {
        world.out.reset();
        write(2);
        List<String> all = new ArrayList<>(List.of("dump", "-c", "2", "--no-journey"));
        all.addAll(List.of(arguments));
        assertThat(world.run(all.toArray(new String[0]))).as("%s", all).isZero();
        return world.outLines();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-t|eth0 In IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                "-tt|1790000000.000000200 eth0 In IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                "-ttt|00:00:00.000000100 eth0 In IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                "-tttt|2026-09-21 14:13:20.000000200 eth0 In IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                "-ttttt|00:00:00.000000100 eth0 In IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                "-t#|    2  eth0 In IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                "-tqnn|eth0 In IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                "-te|eth0 In ifindex 2 ethertype ipv4 (0x0800), length 57: IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                "-te --raw|eth0 In ifindex 2 ethertype 0x0800, length 57: IP 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
                "-tvv|eth0 In IP (tos 0x0, ttl 64, id 7, offset 0, flags [none], proto udp (17), length 57)"
                        + " 10.0.0.1.4000 > 10.0.0.2.53: UDP, length 29",
            })
    void shouldPrintLinesAsTcpdumpsLettersSay(String letters, String second) throws IOException {
        List<String> lines = dumped(letters.split(" "));
        assertThat(lines).hasSize(4);
        assertThat(lines.get(2).stripLeading()).isEqualTo(second.stripLeading());
    }

    @Test
    void shouldPrintBytesAsTcpdumpsLettersSay() throws IOException {
        List<String> hex = dumped("-xxt");
        assertThat(hex).hasSize(2 * 6);
        assertThat(hex.get(2)).startsWith("        0x0000:  45").hasSize(17 + 39);
        assertThat(module.lastRequest("SUB_NEW")).contains("SNAP_LEN=4000");
        String digits =
                String.join("", hex.subList(2, 6)).replaceAll(" +0x....: ", "").replace(" ", "");
        assertThat(digits).isEqualTo(HexFormat.of().formatHex(DATAGRAM));

        List<String> both = dumped("-X");
        assertThat(both).hasSize(2 * 6);
        assertThat(both.get(2).substring(0, 17 + 39)).isEqualTo(hex.get(2));
        assertThat(both.get(2).substring(17 + 39)).startsWith("  E").hasSize(2 + 16);

        // A byte of an address begins a new line.
        assertThat(dumped("-A").get(2)).isEqualTo("E..9....@...");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-r x|no -r of tcpdump's here: a file is read by tcpdump -r FILE, also one that magnet dump -w wrote",
                "-nnr x|no -r of tcpdump's here: a file is read by tcpdump -r FILE, also one that magnet dump -w wrote",
                "-tQ in|no -Q of tcpdump's here: say inbound or outbound in the expression",
                "-D|no -D of tcpdump's here: ip link lists interfaces",
                "-tttttt|-t stands at most five times",
                "--explain -o x|--explain captures nothing, so it does not go with -o",
                "-e -w x|-t, -#, -e, -q, -x, -X and -A say how packets are printed, so they do not go with -o, --json and"
                        + " --explain",
                "--explain -v|--explain captures nothing, so it does not go with -v",
            })
    void shouldSayWhatToUseInPlaceOfALetter(String arguments, String line) {
        List<String> all = new ArrayList<>(List.of("dump"));
        all.addAll(List.of(arguments.split(" ")));
        assertThat(world.run(all.toArray(new String[0]))).isEqualTo(2);
        assertThat(world.errLines()).containsExactly("magnet: " + line + " (see: magnet dump --help)");
    }

    /** Those of tcpdump 4.99: each is taken, or a line says what to use. */
    @Test
    void shouldKnowEachLetterOfTcpdump() {
        CommandSpec spec = new CommandLine(new DumpCommand(world.world())).getCommandSpec();
        for (char letter : "AbBcCdDeEfFGhHiIjJKlLmMnNOpqQrsStTuUvVwWxXyzZ#".toCharArray()) {
            boolean known = "nd".indexOf(letter) >= 0
                    || spec.findOption("-" + letter) != null
                    || TcpdumpLetters.advice(spec, "-" + letter).isPresent();
            assertThat(known).as("-%c", letter).isTrue();
        }
    }

    @Test
    void shouldReplaceNoFile() throws IOException {
        Path file = Files.writeString(folder.resolve("kept.pcapng"), "kept");
        assertThat(world.run("dump", "-c", "1", "-w", file.toString())).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: " + file + " is there already; name another file, or remove this one");
        assertThat(file).hasContent("kept");
        assertThat(world.bufferAsked).isEmpty();

        Files.writeString(file, "");
        write(1);
        assertThat(world.run("dump", "-c", "1", "-w", file.toString())).isZero();
        assertThat(new PcapngFile(Files.readAllBytes(file)).packets).hasSize(1);
    }

    @Test
    void shouldExplainWithoutTheModule() throws IOException {
        world.control = FakeModule::openWithout;
        assertThat(world.run("dump", "-d", "host", "10.0.0.1", "and", "tcp")).isZero();
        assertThat(world.outLines())
                .contains("net_dev_start_xmit   drop if ifindex == 1;"
                        + " log if ethertype == 0x800 and protocol == 6 and saddr in 10.0.0.1;"
                        + " log if ethertype == 0x800 and protocol == 6 and daddr in 10.0.0.1; drop")
                .endsWith("The rules decide alone which packets are shown.");
    }

    @Test
    void shouldSayWhatWasNotWrittenWhenTheDiskIsFull() throws IOException {
        write(3);
        Path file = folder.resolve("full");
        Files.createSymbolicLink(file, Path.of("/dev/full"));
        assertThat(world.run("dump", "-c", "3", "-w", file.toString())).isEqualTo(1);
        assertThat(world.errLines().get(0))
                .isEqualTo(
                        "magnet: " + file + ": No space left on device; at least 0 packets were not written; 0 packets"
                                + " before stay and can be read");
    }

    @Test
    void shouldEndQuietlyWhenNobodyReadsItsOutput() throws IOException {
        world.outStream = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        write(1);
        assertThat(world.run("dump", "-w", "-")).isZero();
        assertThat(world.errLines()).hasSizeLessThan(2);
    }

    @Test
    void shouldSayWhyItsOutputCannotBeWritten() throws IOException {
        write(1);
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            world.outStream = full;
            assertThat(world.run("dump")).isEqualTo(1);
        }
        assertThat(world.errLines()).endsWith("magnet: cannot write what was asked for: No space left on device");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-s 4001|--snap BYTES must be 0 to 4000",
                "-s 4K|--snap BYTES must be 0 to 4000",
                "-s 1T|--snap wants a size such as 64K or 8M, not '1T'",
                "-s many|--snap wants a size such as 64K or 8M, not 'many'",
                "-c 0|--count COUNT must be at least 1",
                "--all-namespaces -i eth0|-i names an interface of this namespace, so it does not go with"
                        + " --all-namespaces",
                "tcp and udp|expression 'tcp and udp': no packet can be such, at this interface",
                "tcp prt 8|expression 'tcp >>>prt<<< 8': 'and' or 'or' is wanted here;",
            })
    void shouldRefuseWhatCannotBe(String arguments, String line) {
        assertThat(world.run(("dump " + arguments).split(" ", -1))).isEqualTo(2);
        assertThat(world.errLines()).singleElement().asString().startsWith("magnet: " + line);
    }

    @Test
    void shouldNameTheInterfacesThatThereAre() {
        assertThat(world.run("dump", "-i", "eth1")).isEqualTo(1);
        assertThat(world.errLines()).containsExactly("magnet: there is no interface eth1; there are eth0 and any");
    }

    @Test
    void shouldSayThatAFileCannotBeMade() {
        assertThat(world.run("dump", "-w", folder.resolve("none/x").toString())).isEqualTo(1);
        assertThat(world.errLines())
                .containsExactly("magnet: " + folder.resolve("none/x") + ": no such file or folder");
    }

    @Test
    void shouldSayThatItNeedsTheRightTo() throws IOException {
        TestWorld other =
                new TestWorld(folder.resolve("u"), new FakeModule().network().unprivileged());
        Path file = folder.resolve("stays");
        assertThat(other.run("dump", "-w", file.toString())).isEqualTo(1);
        assertThat(other.errLines()).singleElement().asString().endsWith("run it as root or give it CAP_PERFMON");
        assertThat(file).doesNotExist();
    }

    @Test
    void shouldSayThatTheKernelLacksAPoint() throws IOException {
        TestWorld other = new TestWorld(folder.resolve("o"), new FakeModule());
        assertThat(other.run("dump")).isEqualTo(1);
        assertThat(other.errLines()).singleElement().asString().startsWith("magnet: there is no point ");
    }
}
