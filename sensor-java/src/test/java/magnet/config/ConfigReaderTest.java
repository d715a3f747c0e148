// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import magnet.job.JobNames;
import magnet.metric.GmondMetrics;
import magnet.metric.Level;
import magnet.metric.MetricBound;
import magnet.metric.MetricChoice;
import magnet.metric.MetricGroup;
import magnet.metric.ProcessMetrics;
import magnet.metric.Replacement;
import magnet.metric.SensorMetrics;
import magnet.publish.muse.MuseSettings;
import magnet.publish.muse.StructLayout;
import magnet.publish.supermon.ReplyFormat;
import magnet.publish.supermon.SupermonSection;
import magnet.publish.supermon.SupermonSettings;
import magnet.service.SinkKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigReaderTest {
    private static final Path SHIPPED = Path.of("conf", "magnet.conf");
    private static final ConfigReader.Extensions EXTENSIONS =
            new ConfigReader.Extensions(OwnMetrics.UNKNOWN, SinkKind.sections());

    private static List<ConfigKey> keys() {
        return new ConfigKeys(SinkKind.sections()).all();
    }

    private static MagnetConfig defaults() throws ConfigException {
        return ConfigReader.defaults(List.of(), EXTENSIONS);
    }

    private static MagnetConfig read(Path file) throws ConfigException {
        return ConfigReader.read(file, List.of(), EXTENSIONS);
    }

    @Test
    void shouldHaveTheseDefaultsWhenNothingIsGiven() throws ConfigException {
        assertThat(defaults())
                .isEqualTo(new MagnetConfig(
                        256 * 1024,
                        32 * 1024,
                        Duration.ofMillis(250),
                        Duration.ofMillis(2),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(25),
                        SinkChoice.NONE,
                        Path.of("/etc/ganglia/gmond.conf"),
                        new MetricChoice(
                                MetricGroup.onByDefault(), Level.SUMMARY, List.of(), Level.FULL, Duration.ofMinutes(1)),
                        LogLevel.INFO,
                        Set.of(),
                        Optional.empty(),
                        Optional.empty(),
                        HandlerChoice.NONE,
                        Optional.empty(),
                        JobNames.DEFAULTS));
        assertThat(defaults().slots()).isEqualTo(5);
    }

    @Test
    void shouldEqualTheDefaultsWhenTheShippedFileIsRead() throws ConfigException {
        assertThat(read(SHIPPED)).isEqualTo(defaults());
    }

    @ParameterizedTest
    @MethodSource("keys")
    void shouldStandInTheShippedFileWithItsDefaultWhenAKeyExists(ConfigKey key) throws IOException {
        String line = (key.key() + " = " + key.defaultText()).strip();
        List<String> lines = Files.readAllLines(SHIPPED);
        int begin = lines.indexOf("[" + key.section() + "]");
        assertThat(begin).isNotNegative();
        assertThat(lines.stream().skip(begin + 1L).takeWhile(each -> !each.startsWith("[")))
                .containsOnlyOnce(line);
    }

    @Test
    void shouldTakeEveryValueWhenAllAreGiven() throws ConfigException {
        MagnetConfig config = parse("""
                ; both kinds
                # of comment
                [collector]
                buffer-size=4M
                watermark = 65536
                max-read-timeout = 1 s
                hold-back = 10 ms
                [publish]
                interval = 10s
                window = 30s
                openmetrics = [::1]:9464
                [muse]
                socket = /run/magnet/magnetd
                listen = 127.0.0.1:9997
                clients = 7
                layout = x86_64
                [supermon]
                listen = 10.0.4.1
                allow = 10.0.0.0/8,fe80::1
                clients = 9
                format = LinuxLabs
                hole = /run/magnet/monhole
                [ganglia]
                gmond-conf = /opt/ganglia/etc/gmond.conf
                [metrics]
                network = off
                journey = No
                interrupts = false
                block = off
                memory = off
                syscalls = off
                processes = on
                user = off
                level = Heartbeat
                raise-when = magnet_process_forks_rate > 100 or magnet_sensor_events_rate < 0.5
                raise-to = summary
                raise-for = 1500 ms
                replace = CPU, network
                [service]
                log-level = Debug
                affinity = 0,2-3
                pid-file = /run/magnet/magnetd.pid
                tee-directory = /var/tmp/tee
                handler-directory = /usr/local/lib/magnet
                [record]
                recorder = black-box
                directory = /var/tmp/traces
                save-when = Urgent, raised
                keep-traces = 3
                keep-size = 64M
                min-free = 0
                pause = 5m
                [handler opens]
                kind = count
                point = f:do_filp_open name=+0(+0($arg2)):string
                where = drop if tgid in 1,2; log
                """);
        assertThat(config)
                .isEqualTo(new MagnetConfig(
                        4 << 20,
                        65_536,
                        Duration.ofSeconds(1),
                        Duration.ofMillis(10),
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(30),
                        config.sinks(),
                        Path.of("/opt/ganglia/etc/gmond.conf"),
                        new MetricChoice(
                                EnumSet.of(MetricGroup.SCHEDULER, MetricGroup.PROCESSES, MetricGroup.SENSOR),
                                Level.HEARTBEAT,
                                List.of(
                                        new MetricBound(ProcessMetrics.FORKS, true, 100),
                                        new MetricBound(SensorMetrics.EVENTS, false, 0.5)),
                                Level.SUMMARY,
                                Duration.ofMillis(1_500),
                                EnumSet.of(Replacement.CPU, Replacement.NETWORK)),
                        LogLevel.DEBUG,
                        Set.of(0, 2, 3),
                        Optional.of(Path.of("/var/tmp/tee")),
                        Optional.of(Path.of("/run/magnet/magnetd.pid")),
                        new HandlerChoice(
                                Optional.of(Path.of("/usr/local/lib/magnet")),
                                List.of(new HandlerConfig(
                                        "opens",
                                        "magnet.conf:53: ",
                                        Map.of(
                                                HandlerKey.KIND,
                                                new Given("count", "magnet.conf:54: "),
                                                HandlerKey.POINT,
                                                new Given(
                                                        "f:do_filp_open name=+0(+0($arg2)):string", "magnet.conf:55: "),
                                                HandlerKey.WHERE,
                                                new Given("drop if tgid in 1,2; log", "magnet.conf:56: "))))),
                        Optional.of(new RecorderChoice(
                                "black-box",
                                Path.of("/var/tmp/traces"),
                                EnumSet.allOf(RecorderChoice.When.class),
                                3,
                                64L << 20,
                                0,
                                Duration.ofMinutes(5))),
                        JobNames.DEFAULTS));
    }

    @Test
    void shouldMakeSinksOfTheirSections() throws ConfigException {
        SinkChoice sinks = parse("""
                [publish]
                openmetrics = [::1]:9464
                [muse]
                socket = /run/magnet/magnetd
                listen = 127.0.0.1:9997
                clients = 7
                layout = x86_64
                [supermon]
                listen = 10.0.4.1
                allow = 10.0.0.0/8,fe80::1
                clients = 9
                format = LinuxLabs
                hole = /run/magnet/monhole
                """).sinks();
        assertThat(sinks.bySection().values())
                .containsExactlyInAnyOrder(
                        LoopbackAddress.parse("[::1]:9464").orElseThrow(),
                        new SupermonSection.Service(
                                new SupermonSettings(
                                        ListenAddress.parse("10.0.4.1", 2709).orElseThrow(),
                                        new Networks(List.of(
                                                Network.parse("10.0.0.0/8").orElseThrow(),
                                                Network.parse("fe80::1/128").orElseThrow())),
                                        9,
                                        ReplyFormat.LINUXLABS),
                                Optional.of(Path.of("/run/magnet/monhole"))),
                        new MuseSettings(
                                Optional.of(Path.of("/run/magnet/magnetd")),
                                LoopbackAddress.parse("127.0.0.1:9997"),
                                7,
                                StructLayout.X86_64));
    }

    @Test
    void shouldHaveNoSinkWhenItsSectionIsLeftOut() throws ConfigException {
        assertThat(parse("[supermon]\nclients = 9\n[muse]\nclients = 9\n").sinks())
                .isEqualTo(SinkChoice.NONE);
    }

    @ParameterizedTest
    @CsvSource({"1.0005s, 2.001s, 2", "1.0005s, 60.03s, 60", "1.0005s, auto, 17", "3.9375s, auto, 5", "5s, auto, 5"})
    void shouldCountTheIntervalsOfAWindowToTheMicrosecond(String interval, String window, int intervals)
            throws ConfigException {
        MagnetConfig config = parse("[publish]\ninterval = " + interval + "\nwindow = " + window + "\n");
        assertThat(config.slots()).isEqualTo(intervals);
        assertThat(config.window()).isEqualTo(config.publishInterval().multipliedBy(intervals));
    }

    @Test
    void shouldHaveTheListOfJobsThatIsGivenInItsOrder() throws ConfigException {
        MagnetConfig config = parse("[jobs]\nmine = /batch/{*}/**, /other/{*}\nuser = /**/{*}/**\n");
        assertThat(config.jobs().lines()).containsExactly("mine = /batch/{*}/**, /other/{*}", "user = /**/{*}/**");
        assertThat(config.jobs().nameOf("/batch/7/step")).contains("mine:7");
        assertThat(parse("[jobs]\n").jobs()).isEqualTo(JobNames.DEFAULTS);
    }

    @Test
    void shouldRaiseTheLevelByWhatIsReplacedWhenItIs() throws ConfigException {
        MetricChoice choice =
                parse("[metrics]\nraise-when = cpu_idle < 5\nreplace = cpu\n").metrics();
        assertThat(choice.raiseWhen()).containsExactly(new MetricBound(GmondMetrics.CPU_IDLE, false, 5));
        assertThat(choice.replace()).containsExactly(Replacement.CPU);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[handler x]\\nkindd = count|magnet.conf:2: unknown key 'kindd' in [handler x]; did you mean 'kind'?",
                "[handler x]\\nkind = count\\nkind = rate|magnet.conf:3: key 'kind' is given twice",
                "[handler x]\\nkind = count\\n[handler x]\\npoint = marker|magnet.conf:3: [handler x] is given twice",
                "[handler x]\\nkind = count\\n[handler  x]\\nkind = rate|magnet.conf:3: [handler x] is given twice",
                "[handler x]\\nwhere = log if id == 1 ; drop|magnet.conf:2: [handler x] where: ; or # after a space begins a comment; write RULE; RULE without a space before the ;",
                "[jobs]\\nslurm = /a/{*}\\nslurm = /b/{*}|magnet.conf:3: key 'slurm' is given twice",
                "[jobs]\\n[publish]\\n[jobs]\\nslurm = /b/{*}|magnet.conf:3: [jobs] is given twice",
                "[jobs]\\n\\nslurm = /a/b|magnet.conf:3: [jobs] slurm: '/a/b' must have one pair of braces, as in job_{*}; see docs/jobs.md",
                "[jobs]\\nslurm =|magnet.conf:2: [jobs] slurm: '' begins with neither / nor **/; see docs/jobs.md",
                "[jobs]\\nSlurm = /{*}|magnet.conf:2: [jobs] Slurm: 'Slurm' must be a lower-case letter and up to 15 lower-case letters, digits, '_' or '-'; see docs/jobs.md",
                "[job]\\nslurm = /{*}|magnet.conf:1: unknown section [job]; did you mean [jobs]?",
                "[handlers]\\nkind = count|magnet.conf:1: unknown section [handlers]; did you mean [handler NAME]?",
                "[publish]\\n# x\\n[metrics\\nnetwork = off|magnet.conf:3: a section's head ends with ], and this one has none",
                "[metrics]\\nlevel = full\\nraise-when = magnet_process_forks_rate > 5|magnet.conf:3: [metrics] raise-when: there is no level above level = full to go over to",
                "[metrics]\\nlevel = full\\nraise-to = full\\nraise-when = magnet_process_forks_rate > 5|magnet.conf:3: [metrics] raise-to = 'full'; allowed is a level above that of level: summary or full",
                "[publish]\\n\\nintervall = 5s|magnet.conf:3: unknown key 'intervall' in [publish]; did you mean 'interval'?",
                "[pubish]\\ninterval = 5s|magnet.conf:1: unknown section [pubish]; did you mean [publish]?",
                "interval = 5s|magnet.conf:1: key 'interval' stands before any section",
                "[publish]\\ninterval = 5s\\ninterval = 6s|magnet.conf:3: key 'interval' is given twice",
                "[publish]\\n[publish]\\ninterval|magnet.conf:3: [publish] interval = ''; allowed is a time from 1s to 20s",
                "[publish]\\ninterval = 5x|magnet.conf:2: [publish] interval = '5x'; allowed is a time from 1s to 20s",
                "[publish]\\ninterval = 21s|magnet.conf:2: [publish] interval = '21s'; allowed is a time from 1s to 20s",
                "[publish]\\nwindow = 24s|magnet.conf:2: [publish] window = '24s'; allowed is auto, or a multiple of interval, of 1 to 60 intervals",
                "[publish]\\nwindow = 301s|magnet.conf:2: [publish] window = '301s'; allowed is auto, or a multiple of interval, of 1 to 60 intervals",
                "[publish]\\ninterval = 6s\\nwindow = 25s|magnet.conf:3: [publish] window = '25s'; allowed is auto, or a multiple of interval, of 1 to 60 intervals",
                "[publish]\\ninterval = 1.0005s\\nwindow = 5s|magnet.conf:3: [publish] window = '5s'; allowed is auto, or a multiple of interval, of 1 to 60 intervals",
                "[publish]\\nopenmetrics = 0.0.0.0:9464|magnet.conf:2: [publish] openmetrics = '0.0.0.0:9464'; allowed is a loopback address (no other machine shall reach it) and a port, such as 127.0.0.1:9464 or [::1]:9464, or nothing",
                "[publish]\\nopenmetrics = localhost:9464|magnet.conf:2: [publish] openmetrics = 'localhost:9464'; allowed is a loopback address (no other machine shall reach it) and a port, such as 127.0.0.1:9464 or [::1]:9464, or nothing",
                "[supermon]\\nlisten = localhost|magnet.conf:2: [supermon] listen = 'localhost'; allowed is an address of this machine, with a port or without, such as 127.0.0.1 or [::]:2709, or nothing",
                "[supermon]\\nlisten = 127.0.0.1:0|magnet.conf:2: [supermon] listen = '127.0.0.1:0'; allowed is an address of this machine, with a port or without, such as 127.0.0.1 or [::]:2709, or nothing",
                "[supermon]\\nlisten = 127.0.0.1:65536|magnet.conf:2: [supermon] listen = '127.0.0.1:65536'; allowed is an address of this machine, with a port or without, such as 127.0.0.1 or [::]:2709, or nothing",
                "[supermon]\\nlisten = ::1|magnet.conf:2: [supermon] listen = '::1'; allowed is an address of this machine, with a port or without, such as 127.0.0.1 or [::]:2709, or nothing",
                "[supermon]\\nallow = 10.0.0.0/33|magnet.conf:2: [supermon] allow = '10.0.0.0/33'; allowed is addresses and networks, such as 10.0.0.0/8 or fe80::/10, several separated by commas",
                "[supermon]\\nallow =|magnet.conf:2: [supermon] allow = ''; allowed is addresses and networks, such as 10.0.0.0/8 or fe80::/10, several separated by commas",
                "[supermon]\\nclients = 0|magnet.conf:2: [supermon] clients = '0'; allowed is a number from 1 to 1024",
                "[supermon]\\nhole = monhole|magnet.conf:2: [supermon] hole = 'monhole'; allowed is an absolute path, such as /run/magnet/monhole, or nothing",
                "[muse]\\nsocket = magnetd|magnet.conf:2: [muse] socket = 'magnetd'; allowed is an absolute path, such as /run/magnet/magnetd, or nothing",
                "[muse]\\nlisten = 10.0.0.1:9997|magnet.conf:2: [muse] listen = '10.0.0.1:9997'; allowed is a loopback address (no other machine shall reach it) and a port, such as 127.0.0.1:9997 or [::1]:9997, or nothing",
                "[muse]\\nlayout = arm|magnet.conf:2: [muse] layout = 'arm'; allowed is i386 or x86_64",
                "[muse]\\nclients = 0|magnet.conf:2: [muse] clients = '0'; allowed is a number from 1 to 1024",
                "[supermon]\\nformat = lisp|magnet.conf:2: [supermon] format = 'lisp'; allowed is lanl or linuxlabs",
                "[collector]\\nbuffer-size = 1G|magnet.conf:2: [collector] buffer-size = '1G'; allowed is a size from 64K to 256M",
                "[collector]\\nbuffer-size = 63K|magnet.conf:2: [collector] buffer-size = '63K'; allowed is a size from 64K to 256M",
                "[collector]\\nbuffer-size = -1|magnet.conf:2: [collector] buffer-size = '-1'; allowed is a size from 64K to 256M",
                "[collector]\\nwatermark = 193K|magnet.conf:2: [collector] watermark = '193K'; allowed is a size from 1K to three quarters of buffer-size",
                "[collector]\\nmax-read-timeout = 0ms|magnet.conf:2: [collector] max-read-timeout = '0ms'; allowed is a time from 1ms to 1s",
                "[collector]\\nhold-back = 2|magnet.conf:2: [collector] hold-back = '2'; allowed is a time from 0ms to 1s",
                "[ganglia]\\ngmond-conf = gmond.conf|magnet.conf:2: [ganglia] gmond-conf = 'gmond.conf'; allowed is an absolute path",
                "[ganglia]\\ngmond-conf =|magnet.conf:2: [ganglia] gmond-conf = ''; allowed is an absolute path",
                "[metrics]\\nnetwork = maybe|magnet.conf:2: [metrics] network = 'maybe'; allowed is on or off",
                "[metrics]\\nreplace = cpus|magnet.conf:2: [metrics] replace = 'cpus'; allowed is cpu, cpu-interrupts, network, several separated by commas, or nothing",
                "[metrics]\\nreplace = cpu, cpu|magnet.conf:2: [metrics] replace = 'cpu, cpu'; allowed is cpu, cpu-interrupts, network, several separated by commas, or nothing",
                "[metrics]\\n\\nreplace = cpu,|magnet.conf:3: [metrics] replace = 'cpu,'; allowed is cpu, cpu-interrupts, network, several separated by commas, or nothing",
                "[metrics]\\nreplace = cpu network|magnet.conf:2: [metrics] replace = 'cpu network'; allowed is cpu, cpu-interrupts, network, several separated by commas, or nothing",
                "[record]\\nrecorder = a/b|magnet.conf:2: [record] recorder = 'a/b'; allowed is the name of a flight recorder:"
                        + " letters, digits, '_', '-', '.'; or nothing",
                "[record]\\nrecorder = box|magnet.conf:2: [record] recorder = box is never saved: save-when = raised needs"
                        + " [metrics] raise-when",
                "[record]\\nsave-when = always|magnet.conf:2: [record] save-when = 'always'; allowed is raised, urgent, or"
                        + " both separated by a comma",
                "[record]\\nkeep-traces = 0|magnet.conf:2: [record] keep-traces = '0'; allowed is a number from 1 to 10000",
                "[metrics]\\nraise-when = cpu_idle < 5|magnet.conf:2: [metrics] raise-when: cpu_idle is not a number that is published at this level by these groups",
                "[metrics]\\nlevel = all|magnet.conf:2: [metrics] level = 'all'; allowed is heartbeat, summary or full",
                "[metrics]\\nraise-when = load > 5|magnet.conf:2: [metrics] raise-when: there is no metric 'load'; docs/metrics.md lists them, and [handler NAME] declares others",
                "[metrics]\\nraise-when = magnet_proces_forks_rate > 5|magnet.conf:2: [metrics] raise-when: there is no metric 'magnet_proces_forks_rate'; did you mean 'magnet_process_forks_rate'?",
                "[metrics]\\nraise-when = magnet_syscall_calls_rate > 5|magnet.conf:2: [metrics] raise-when: magnet_syscall_calls_rate is not a number that is published at this level by these groups",
                "[metrics]\\nprocesses = off\\nraise-when = magnet_process_forks_rate > 5|magnet.conf:3: [metrics] raise-when: magnet_process_forks_rate is not a number that is published at this level by these groups",
                "[metrics]\\nraise-when = magnet_process_forks_rate >= 5|magnet.conf:2: [metrics] raise-when = 'magnet_process_forks_rate >= 5'; allowed is METRIC > NUMBER or METRIC < NUMBER, several joined by 'or', or nothing",
                "[metrics]\\nraise-when = magnet_process_forks_rate > 5 or|magnet.conf:2: [metrics] raise-when = 'magnet_process_forks_rate > 5 or'; allowed is METRIC > NUMBER or METRIC < NUMBER, several joined by 'or', or nothing",
                "[metrics]\\nraise-to = summary\\nraise-when = magnet_process_forks_rate > 5|magnet.conf:2: [metrics] raise-to = 'summary'; allowed is a level above that of level: summary or full",
                "[metrics]\\nraise-for = 0s|magnet.conf:2: [metrics] raise-for = '0s'; allowed is a time from 1s to 86400s",
                "[metrics]\\nsensor = off|magnet.conf:2: unknown key 'sensor' in [metrics]; there are level, raise-when, raise-to, raise-for, replace, network, journey, scheduler, interrupts, block, memory, syscalls, processes, jobs, user",
                "[service]\\naffinity = 0,3-2|magnet.conf:2: [service] affinity = '0,3-2'; allowed is a list of CPUs as taskset takes it, such as 0,2-3, or nothing",
                "[service]\\nlog-level = loud|magnet.conf:2: [service] log-level = 'loud'; allowed is error, warn, info, debug or trace"
            })
    void shouldSayWhereAndWhatIsAllowedWhenItIsNotValid(String text, String message) {
        assertThatThrownBy(() -> parse(text.replace("\\n", "\n")))
                .isInstanceOf(ConfigException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @MethodSource("magnet.unit.WrittenTimes#times")
    void shouldReadTimesAsOptionsAndRulesDo(String text, long micros) throws ConfigException {
        Duration time = parse("[metrics]\nraise-for = " + text).metrics().raiseFor();
        assertThat(time.toNanos() / 1_000).isEqualTo(micros);
    }

    @ParameterizedTest
    @MethodSource("magnet.unit.WrittenTimes#noTimes")
    void shouldRefuseWhatIsNoTimeElsewhere(String text) {
        assertThatThrownBy(() -> parse("[metrics]\nraise-for = " + text)).hasMessageContaining("allowed is a time");
    }

    @ParameterizedTest
    @ValueSource(strings = {"${env:HOME}", "${sys:user.home}", "${script:javascript:1}", "${base64Decoder:L3RtcA==}"})
    void shouldTakeTextAsItStandsWhenItLooksLikeAVariable(String text) throws ConfigException {
        assertThat(parse("[service]\npid-file = /run/" + text).pidFile()).contains(Path.of("/run/" + text));
    }

    @Test
    void shouldSayWhyWhenTheFileCannotBeRead(@TempDir Path folder) throws IOException {
        Path missing = folder.resolve("magnet.conf");
        assertThatThrownBy(() -> read(missing)).hasMessage(missing + ": no such file");
        assertThatThrownBy(() -> read(folder)).hasMessageStartingWith(folder + ": cannot be read: ");
        Files.write(missing, new byte[] {(byte) 0xff});
        assertThatThrownBy(() -> read(missing)).hasMessage(missing + ": is not UTF-8");
        Files.setPosixFilePermissions(missing, PosixFilePermissions.fromString("---------"));
        if (!Files.isReadable(missing)) {
            assertThatThrownBy(() -> read(missing)).hasMessage(missing + ": permission denied");
        }
    }

    @Test
    void shouldRefuseWhatNeverEndsOrIsTooLarge(@TempDir Path folder) throws IOException {
        Path device = Path.of("/dev/zero");
        assertThatThrownBy(() -> read(device)).hasMessage(device + ": cannot be read: is no regular file");
        Path large = Files.writeString(folder.resolve("magnet.conf"), "#".repeat((1 << 20) + 1));
        assertThatThrownBy(() -> read(large)).hasMessage(large + ": cannot be read: larger than 1 MiB");
    }

    @ParameterizedTest
    @CsvSource({"1, 17", "2, 18", "3, 21", "5, 25", "6, 24", "7, 28", "10, 30", "20, 40"})
    void shouldHaveAWindowThatNoPollOfGmetadMissesWhenOnlyTheIntervalIsGiven(int interval, int window)
            throws ConfigException {
        MagnetConfig config = parse("[publish]\ninterval = " + interval + "s");
        assertThat(config.window()).isEqualTo(Duration.ofSeconds(window));
        assertThat(config.slots() * interval).isEqualTo(window);
    }

    @Test
    void shouldCountMoreWhenASettingIsGivenElsewhere() throws ConfigException {
        MagnetConfig config = ConfigReader.parse(
                "magnet.conf",
                "[publish]\ninterval = 10s\n[metrics]\njourney = off\nnetwork = nonsense",
                List.of(
                        new Setting("metrics.network", "off", "gmond.conf:3"),
                        new Setting("publish.interval", " 2s ", "gmond.conf:4")),
                EXTENSIONS);
        assertThat(config.publishInterval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(config.metrics().groups()).doesNotContain(MetricGroup.JOURNEY, MetricGroup.NETWORK);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "publish.intervall|5s|gmond.conf:7: unknown param 'publish.intervall'; did you mean 'publish.interval'?",
                "interval|5s|gmond.conf:7: unknown param 'interval'; did you mean 'publish.interval'?",
                "publish.interval|5x|gmond.conf:7: [publish] interval = '5x'; allowed is a time from 1s to 20s",
                "ganglia.gmond-conf|/x|gmond.conf:7: 'ganglia.gmond-conf' can only be given in magnet.conf"
            })
    void shouldSayWhereWhenASettingGivenElsewhereIsNotValid(String name, String value, String message) {
        assertThatThrownBy(() -> ConfigReader.defaults(List.of(new Setting(name, value, "gmond.conf:7")), EXTENSIONS))
                .isInstanceOf(ConfigException.class)
                .hasMessage(message);
    }

    private static MagnetConfig parse(String text) throws ConfigException {
        return ConfigReader.parse("magnet.conf", text, List.of(), EXTENSIONS);
    }
}
