// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import magnet.os.Errno;
import magnet.record.EventType;
import magnet.record.Subsystem;
import magnet.trace.NamingEvent;
import magnet.trace.TraceOwners;

/**
 * A made-up module for tests of what stands on {@link MagnetControl}: the points {@code udp_sendmsg} and
 * {@code sched_switch}, {@code half_there} of which a part is missing, and {@code not_there}, which this kernel does
 * not have; drops have the reasons 2 and 3; whatever is created exists, and every subscription had 25 hits on CPU 0 and lost 5 of them. The first
 * subscription has two rules, whatever changes is changed, and notices come when a test sends them. Points that are
 * inserted are kprobes with the id 0x400.
 */
public final class FakeModule {
    private final FakeKernel kernel = FakeKernel.withModule();
    private final List<String> points = new ArrayList<>();
    private String refused = "";
    private final FakeKernel group = FakeKernel.withModule();
    private final List<ByteBuffer> notices = new ArrayList<>();
    private String buffer = "main";
    private boolean recorder;
    private Happening subscribed = () -> {};
    private volatile long lost = 5;

    /** What a test has happen. */
    @FunctionalInterface
    public interface Happening {
        /** Does it. */
        void happens() throws IOException;
    }

    public FakeModule() {
        kernel.on(Command.POINT_GET, sequence -> List.of(points(sequence), done(sequence)));
        kernel.on(Command.BUFFER_GET, sequence -> List.of(buffer(sequence, Command.BUFFER_GET), done(sequence)));
        kernel.on(Command.SUB_GET, sequence -> {
            List<ByteBuffer> answer = new ArrayList<>();
            for (int i = 0; i < points.size(); i++) {
                answer.add(subscription(sequence, Command.SUB_GET, i));
            }
            answer.add(done(sequence));
            return answer;
        });
        kernel.on(Command.BUFFER_NEW, this::newBuffer);
        kernel.on(Command.SUB_NEW, sequence -> {
            if (last().string(AttributeId.POINT).equals(refused)) {
                return List.of(new ReplyWriter()
                        .error(sequence, Errno.ENOSPC.number(), "it has too many")
                        .datagram());
            }
            subscribed.happens();
            points.add(last().string(AttributeId.POINT));
            return List.of(
                    subscription(sequence, Command.SUB_NEW, points.size() - 1), FakeKernel.acknowledgement(sequence));
        });
        kernel.on(Command.RULE_GET, sequence -> {
            List<ByteBuffer> answer = new ArrayList<>();
            for (int i = 0; i < points.size(); i++) {
                answer.add(chain(sequence, i));
            }
            answer.add(done(sequence));
            return answer;
        });
        kernel.on(
                Command.SUB_SET,
                sequence -> List.of(subscription(sequence, Command.SUB_SET, 0), FakeKernel.acknowledgement(sequence)));
        for (Command command : List.of(Command.RULE_NEW, Command.RULE_DEL)) {
            kernel.on(command, sequence -> List.of(rule(sequence, command), FakeKernel.acknowledgement(sequence)));
        }
        kernel.on(Command.POINT_SET, sequence -> List.of(changedPoint(sequence), FakeKernel.acknowledgement(sequence)));
        kernel.on(Command.BUFFER_RESIZE, sequence -> {
            buffer = last().string(AttributeId.BUFFER);
            return List.of(buffer(sequence, Command.BUFFER_RESIZE), FakeKernel.acknowledgement(sequence));
        });
        kernel.on(Command.BUFFER_SNAPSHOT, sequence -> {
            buffer = recorder ? buffer : last().string(AttributeId.SNAPSHOT);
            return List.of(buffer(sequence, Command.BUFFER_SNAPSHOT), FakeKernel.acknowledgement(sequence));
        });
        kernel.on(
                Command.CORRELATION_GET,
                sequence -> List.of(correlation(sequence, Command.CORRELATION_GET, "a then b"), done(sequence)));
        kernel.on(
                Command.CORRELATION_NEW,
                sequence -> List.of(
                        correlation(sequence, Command.CORRELATION_NEW, last().string(AttributeId.DEFINITION)),
                        FakeKernel.acknowledgement(sequence)));
        kernel.on(Command.CORRELATION_DEL, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
        kernel.on(Command.POINT_INSERT, sequence -> List.of(newPoint(sequence), FakeKernel.acknowledgement(sequence)));
        kernel.on(Command.POINT_REMOVE, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
        kernel.on(
                Command.SUB_DEL,
                sequence -> List.of(subscription(sequence, Command.SUB_DEL, 0), FakeKernel.acknowledgement(sequence)));
        kernel.on(Command.DROP_REASON_GET, sequence -> List.of(dropReasons(sequence), done(sequence)));
        kernel.on(Command.BUFFER_DEL, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
        kernel.on(Command.SHUTDOWN, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
    }

    /**
     * The buffer is a flight recorder of this name that points log into already; its snapshots are other buffers, which are
     * not listed. It has overwritten 700 records, and 100 were saved.
     */
    public FakeModule recorder(String name, String... itsPoints) {
        recorder = true;
        buffer = name;
        points.addAll(List.of(itsPoints));
        return this;
    }

    /** No snapshots can be made: somebody else has one. */
    public FakeModule saving() {
        kernel.replace(
                Command.BUFFER_SNAPSHOT,
                sequence -> List.of(new ReplyWriter()
                        .error(sequence, Errno.EEXIST.number(), "a buffer of this name exists")
                        .datagram()));
        return this;
    }

    /** Answers so many questions for its buffers, and then refuses them: with ENOENT as a family that has gone. */
    public FakeModule refusingBuffers(int after, Errno errno) {
        AtomicInteger left = new AtomicInteger(after);
        kernel.replace(
                Command.BUFFER_GET,
                sequence -> left.getAndDecrement() > 0
                        ? List.of(buffer(sequence, Command.BUFFER_GET), done(sequence))
                        : List.of(new ReplyWriter()
                                .error(sequence, errno.number(), "")
                                .datagram()));
        return this;
    }

    /** Has its buffer for so many questions, and then none any more. */
    public FakeModule bufferEnds(int after) {
        AtomicInteger left = new AtomicInteger(after);
        kernel.replace(
                Command.BUFFER_GET,
                sequence -> left.getAndDecrement() > 0
                        ? List.of(buffer(sequence, Command.BUFFER_GET), done(sequence))
                        : List.of(done(sequence)));
        return this;
    }

    /** Has one more buffer, which somebody made to outlive its socket. */
    public FakeModule beside(String name, boolean flightRecorder) {
        kernel.replace(
                Command.BUFFER_GET,
                sequence -> List.of(
                        buffer(sequence, Command.BUFFER_GET),
                        buffer(sequence, Command.BUFFER_GET, name, flightRecorder),
                        done(sequence)));
        return this;
    }

    /** No buffers and no subscriptions. */
    public FakeModule idle() {
        kernel.replace(Command.BUFFER_GET, sequence -> List.of(done(sequence)));
        kernel.replace(Command.SUB_GET, sequence -> List.of(done(sequence)));
        kernel.replace(Command.CORRELATION_GET, sequence -> List.of(done(sequence)));
        return this;
    }

    /** All points of the network, and no other. */
    public FakeModule network() {
        kernel.replace(Command.POINT_GET, sequence -> {
            ReplyWriter writer = new ReplyWriter();
            for (EventType type : EventType.values()) {
                if (type.subsystem() == Subsystem.NET) {
                    point(writer, sequence, type.label(), type.id(), "net", 1, new int[] {1}, 0, true);
                }
            }
            return List.of(writer.datagram(), done(sequence));
        });
        return this;
    }

    /** All points of the network, and those whose events say what threads are called. */
    public FakeModule namingNetwork() {
        kernel.replace(Command.POINT_GET, sequence -> {
            ReplyWriter writer = new ReplyWriter();
            for (EventType type : EventType.values()) {
                boolean names = NamingEvent.isOne(type.id());
                if (names || type.subsystem() == Subsystem.NET) {
                    String subsystem = names ? "sched" : "net";
                    point(writer, sequence, type.label(), type.id(), subsystem, 1, new int[] {1}, 0, true);
                }
            }
            return List.of(writer.datagram(), done(sequence));
        });
        return this;
    }

    /** All points of the network, and those whose events say whose processes are. */
    public FakeModule owningNetwork() {
        kernel.replace(Command.POINT_GET, sequence -> {
            ReplyWriter writer = new ReplyWriter();
            for (EventType type : EventType.values()) {
                boolean owns = TraceOwners.isOne(type.id());
                if (owns || type.subsystem() == Subsystem.NET) {
                    String subsystem = owns ? "sched" : "net";
                    point(writer, sequence, type.label(), type.id(), subsystem, 1, new int[] {1}, 0, true);
                }
            }
            return List.of(writer.datagram(), done(sequence));
        });
        return this;
    }

    /** {@code udp_sendmsg}, and the points whose events say what threads are called. */
    public FakeModule naming() {
        kernel.replace(Command.POINT_GET, sequence -> {
            ReplyWriter writer = new ReplyWriter();
            point(writer, sequence, "udp_sendmsg", 0x10, "net", 1, new int[] {1}, 0, true);
            point(writer, sequence, "sched_process_fork", 0x120, "sched", 0, new int[] {1}, 0, true);
            point(writer, sequence, "sched_process_exec", 0x121, "sched", 0, new int[] {1}, 0, true);
            point(writer, sequence, "sched_process_exit", 0x122, "sched", 0, new int[] {1}, 0, true);
            point(writer, sequence, "task_rename", 0x123, "sched", 0, new int[] {1}, 0, true);
            return List.of(writer.datagram(), done(sequence));
        });
        return this;
    }

    /** {@code udp_sendmsg}, and the points whose events say whose processes are. */
    public FakeModule owning() {
        kernel.replace(Command.POINT_GET, sequence -> {
            ReplyWriter writer = new ReplyWriter();
            point(writer, sequence, "udp_sendmsg", 0x10, "net", 1, new int[] {1}, 0, true);
            point(writer, sequence, "task_attach", 0x124, "sched", 0, new int[] {1}, 0, true);
            point(writer, sequence, "cgroup_mkdir", 0x128, "sched", 0, new int[] {1}, 0, true);
            point(writer, sequence, "cgroup_rmdir", 0x129, "sched", 0, new int[] {1}, 0, true);
            return List.of(writer.datagram(), done(sequence));
        });
        return this;
    }

    /** It has one point alone. */
    public FakeModule withPoint(String name, int event) {
        kernel.replace(Command.POINT_GET, sequence -> {
            ReplyWriter writer = new ReplyWriter();
            point(writer, sequence, name, event, "sched", 0, new int[] {1}, 0, true);
            return List.of(writer.datagram(), done(sequence));
        });
        return this;
    }

    /** Nobody can subscribe to this point any more. */
    public FakeModule refusing(String point) {
        refused = point;
        return this;
    }

    /** One point of each mechanism, all hooked: udp_sendmsg, major_fault and mine by ftrace or kprobes, and sched_switch. */
    public FakeModule hooked() {
        kernel.replace(Command.POINT_GET, sequence -> {
            ReplyWriter writer = new ReplyWriter();
            point(writer, sequence, "udp_sendmsg", 0x10, "net", 1, new int[] {2}, 1, true);
            point(writer, sequence, "sched_switch", 0x110, "sched", 0, new int[] {2}, 1, true);
            point(writer, sequence, "mine", 0x400, "dynamic", 2, new int[] {2}, 1, true);
            point(writer, sequence, "major_fault", 0x190, "memory", 3, Hook.FTRACE, new int[] {2}, 1, true);
            return List.of(writer.datagram(), done(sequence));
        });
        return this;
    }

    /** Something happens as soon as a point is subscribed: it logs, say. */
    public void whenSubscribed(Happening what) {
        subscribed = what;
    }

    /** The next buffers, so many, are refused: there is one of the name. */
    public FakeModule taken(int times) {
        AtomicInteger left = new AtomicInteger(times);
        kernel.replace(
                Command.BUFFER_NEW,
                sequence -> left.getAndDecrement() > 0
                        ? List.of(new ReplyWriter()
                                .error(sequence, Errno.EEXIST.number(), "there is one")
                                .datagram())
                        : newBuffer(sequence));
        return this;
    }

    private List<ByteBuffer> newBuffer(int sequence) throws IOException {
        buffer = last().string(AttributeId.BUFFER);
        return List.of(buffer(sequence, Command.BUFFER_NEW), FakeKernel.acknowledgement(sequence));
    }

    /** So many events of each subscription are lost by now, whatever it was until now. */
    public void lost(long events) {
        lost = events;
    }

    /** One subscription that was made by somebody else. */
    public FakeModule subscribed(String point) {
        points.add(point);
        return this;
    }

    /** Refuses to change anything, as it does without CAP_PERFMON. */
    public FakeModule unprivileged() {
        return unprivileged("needs CAP_PERFMON or CAP_SYS_ADMIN");
    }

    /** Refuses to change anything, in these words. */
    public FakeModule unprivileged(String text) {
        for (Command command : List.of(Command.BUFFER_NEW, Command.SHUTDOWN)) {
            kernel.replace(
                    command,
                    sequence -> List.of(new ReplyWriter()
                            .error(sequence, Errno.EPERM.number(), text)
                            .datagram()));
        }
        return this;
    }

    /** Refuses to insert points: there is no such symbol. */
    public FakeModule withoutSymbols() {
        kernel.replace(
                Command.POINT_INSERT,
                sequence -> List.of(new ReplyWriter()
                        .error(sequence, Errno.ENOENT.number(), "no such symbol")
                        .datagram()));
        return this;
    }

    /** Sends a notice of an urgent event of subscription 7. */
    public FakeModule urgent(String point, long urgents) {
        notices.add(new ReplyWriter()
                .message(FakeKernel.FAMILY_ID, 0, 0, Command.URGENT_NTF.id())
                .string(AttributeId.POINT, point)
                .u16(AttributeId.EVENT, 0x3c0)
                .string(AttributeId.BUFFER, buffer)
                .u32(AttributeId.SUB_ID, 7)
                .u64(AttributeId.URGENT, urgents)
                .datagram());
        return this;
    }

    /** Sends a notice of a loss. */
    public FakeModule loss(long lost) {
        notices.add(new ReplyWriter()
                .message(FakeKernel.FAMILY_ID, 0, 0, Command.LOSS_NTF.id())
                .string(AttributeId.BUFFER, "main")
                .u64(AttributeId.LOST, lost)
                .datagram());
        return this;
    }

    /** Answers as when it is no longer there, from the second question for its version on. */
    public FakeModule unloaded() {
        return refusingInfo(Errno.ENOENT);
    }

    /** Does not say what it is. */
    public FakeModule refusingInfo(Errno errno) {
        kernel.on(
                Command.INFO_GET,
                sequence -> List.of(
                        new ReplyWriter().error(sequence, errno.number(), "").datagram()));
        return this;
    }

    /** Its kernel called the TSC unstable. */
    public FakeModule unstableClock() {
        return says(1, 0);
    }

    /** {@code kernel.ftrace_enabled} is 0. */
    public FakeModule ftraceDisabled() {
        return says(0, AttributeId.FTRACE_DISABLED);
    }

    /** {@code kprobes/enabled} in debugfs is 0. */
    public FakeModule kprobesDisabled() {
        return says(0, AttributeId.KPROBES_DISABLED);
    }

    /** It was loaded with {@code dynamic=off}. */
    public FakeModule dynamicDisabled() {
        return says(0, AttributeId.DYNAMIC_DISABLED);
    }

    /** All is well again. */
    public FakeModule content() {
        return says(0, 0);
    }

    private FakeModule says(int clockFlags, int disabled) {
        kernel.replace(
                Command.INFO_GET,
                sequence -> List.of(
                        FakeKernel.info(sequence, 1, clockFlags, disabled), FakeKernel.acknowledgement(sequence)));
        return this;
    }

    /** A socket that gets its notices. */
    public NoticeListener listen() throws IOException {
        NoticeListener listener = NoticeListener.open(group);
        notices.forEach(group::push);
        return listener;
    }

    /** The strings and numbers of the last request of a kind, by attribute: {@code RULE_TEXT=drop SUB_ID=1}. */
    public String lastRequest(String command) throws IOException {
        String last = "none";
        for (Message request : kernel.requests()) {
            if (request.command() == Command.valueOf(command).id()) {
                last = describe(request.attributes());
            }
        }
        return last;
    }

    private static String describe(Attributes attributes) throws IOException {
        StringBuilder text = new StringBuilder();
        String[] strings = {"POINT", "BUFFER", "SNAPSHOT", "RULES", "RULE_TEXT", "DEFINITION"};
        int[] stringIds = {
            AttributeId.POINT,
            AttributeId.BUFFER,
            AttributeId.SNAPSHOT,
            AttributeId.RULES,
            AttributeId.RULE_TEXT,
            AttributeId.DEFINITION
        };
        for (int i = 0; i < strings.length; i++) {
            if (attributes.has(stringIds[i])) {
                text.append(strings[i])
                        .append('=')
                        .append(attributes.string(stringIds[i]))
                        .append(' ');
            }
        }
        if (attributes.has(AttributeId.BUFFER_SIZE)) {
            text.append("BUFFER_SIZE=")
                    .append(attributes.u64(AttributeId.BUFFER_SIZE))
                    .append(' ');
        }
        String[] numbers = {
            "FLAGS",
            "SUB_ID",
            "ENABLED",
            "STORM_RATE",
            "STORM_BURST",
            "SAMPLE_COUNT",
            "SAMPLE_INTERVAL_US",
            "SNAP_LEN",
            "COUNTERS",
            "RULE_ID",
            "RULE_BEFORE",
            "CORRELATION_ID"
        };
        int[] numberIds = {
            AttributeId.FLAGS,
            AttributeId.SUB_ID,
            AttributeId.ENABLED,
            AttributeId.STORM_RATE,
            AttributeId.STORM_BURST,
            AttributeId.SAMPLE_COUNT,
            AttributeId.SAMPLE_INTERVAL_US,
            AttributeId.SNAP_LEN,
            AttributeId.COUNTERS,
            AttributeId.RULE_ID,
            AttributeId.RULE_BEFORE,
            AttributeId.CORRELATION_ID
        };
        for (int i = 0; i < numbers.length; i++) {
            if (attributes.has(numberIds[i])) {
                text.append(numbers[i])
                        .append('=')
                        .append(attributes.u32(numberIds[i]))
                        .append(' ');
            }
        }
        return text.toString().strip();
    }

    private static ByteBuffer dropReasons(int sequence) {
        ReplyWriter writer = new ReplyWriter();
        String[] names = {"NOT_SPECIFIED", "NO_SOCKET"};
        for (int i = 0; i < names.length; i++) {
            writer.message(FakeKernel.FAMILY_ID, Netlink.FLAG_MULTI, sequence, Command.DROP_REASON_GET.id())
                    .u32(AttributeId.DROP_REASON, i + 2L)
                    .string(AttributeId.DROP_REASON_NAME, names[i]);
        }
        return writer.datagram();
    }

    private ByteBuffer chain(int sequence, int index) {
        ReplyWriter writer = new ReplyWriter()
                .message(FakeKernel.FAMILY_ID, Netlink.FLAG_MULTI, sequence, Command.RULE_GET.id())
                .u32(AttributeId.SUB_ID, index + 1L)
                .string(AttributeId.POINT, points.get(index))
                .string(AttributeId.BUFFER, buffer);
        if (index == 0) {
            rule(rule(writer, 1, "drop if id & 1", 15), 2, "sample 10 if cpu == 0", 7);
        }
        return writer.datagram();
    }

    private static ByteBuffer rule(int sequence, Command command) {
        ReplyWriter writer = new ReplyWriter()
                .message(FakeKernel.FAMILY_ID, 0, sequence, command.id())
                .u32(AttributeId.SUB_ID, 1);
        return rule(writer, 3, "log", 0).datagram();
    }

    private static ReplyWriter rule(ReplyWriter writer, int id, String text, long matched) {
        return writer.begin(AttributeId.RULE)
                .u32(AttributeId.RULE_ID, id)
                .string(AttributeId.RULE_TEXT, text)
                .u64(AttributeId.MATCHED, matched)
                .end();
    }

    private static ByteBuffer correlation(int sequence, Command command, String definition) {
        return new ReplyWriter()
                .message(FakeKernel.FAMILY_ID, 0, sequence, command.id())
                .u32(AttributeId.CORRELATION_ID, 3)
                .string(AttributeId.DEFINITION, definition)
                .string(AttributeId.BUFFER, "found")
                .u32(AttributeId.FLAGS, 1)
                .u64(AttributeId.MATCHED, 10)
                .u64(AttributeId.LOST_BEFORE, 20)
                .u64(AttributeId.FORGOTTEN, 30)
                .u64(AttributeId.DROPPED, 4)
                .datagram();
    }

    private ByteBuffer changedPoint(int sequence) throws IOException {
        Attributes request = last();
        long rate = request.u32OrZero(AttributeId.STORM_RATE);
        ReplyWriter writer = new ReplyWriter();
        boolean enabled = !request.has(AttributeId.ENABLED) || request.u32(AttributeId.ENABLED) != 0;
        point(writer, sequence, request.string(AttributeId.POINT), 0x3c0, "user", 4, new int[] {2}, 2, enabled);
        writer.u32(AttributeId.STORM_RATE, rate).u32(AttributeId.STORM_BURST, 10);
        return writer.datagram();
    }

    private ByteBuffer newPoint(int sequence) throws IOException {
        ReplyWriter writer = new ReplyWriter();
        point(writer, sequence, last().string(AttributeId.POINT), 0x400, "dynamic", 2, new int[] {1}, 0, true);
        return writer.datagram();
    }

    /** A control socket to it. */
    public MagnetControl open() throws IOException {
        return MagnetControl.open(kernel);
    }

    /** Whether the control socket was closed. */
    public boolean isClosed() {
        return kernel.isClosed();
    }

    /** What opening is like where the module is not loaded. */
    public static MagnetControl openWithout() throws IOException {
        FakeKernel without = new FakeKernel();
        without.onController(sequence -> List.of(
                new ReplyWriter().error(sequence, Errno.ENOENT.number(), "").datagram()));
        return MagnetControl.open(without);
    }

    /** Points that were subscribed to. */
    public List<String> subscriptions() {
        return points;
    }

    /** Whether a request of this kind came: {@code SHUTDOWN}. */
    public boolean wasAskedTo(String command) throws IOException {
        for (Message request : kernel.requests()) {
            if (request.command() == Command.valueOf(command).id()) {
                return true;
            }
        }
        return false;
    }

    private Attributes last() throws IOException {
        List<Message> requests = kernel.requests();
        return requests.get(requests.size() - 1).attributes();
    }

    private static ByteBuffer done(int sequence) {
        return new ReplyWriter().done(sequence, 0, 0).datagram();
    }

    private static ByteBuffer points(int sequence) {
        ReplyWriter writer = new ReplyWriter();
        point(writer, sequence, "udp_sendmsg", 0x10, "net", 1, new int[] {1, 1}, 0, true);
        point(writer, sequence, "sched_switch", 0x110, "sched", 0, new int[] {2}, 2, true);
        point(writer, sequence, "half_there", 0x20, "net", 1, new int[] {1, 0}, 0, true);
        point(writer, sequence, "not_there", 0x30, "net", 1, new int[] {0}, 0, true);
        return writer.datagram();
    }

    private static void point(
            ReplyWriter writer,
            int sequence,
            String name,
            int event,
            String subsystem,
            int mechanism,
            int[] states,
            int subscriptions,
            boolean enabled) {
        Hook hook = subscriptions == 0 ? Hook.NONE : Hook.of(mechanism + 1);
        point(writer, sequence, name, event, subsystem, mechanism, hook, states, subscriptions, enabled);
    }

    private static void point(
            ReplyWriter writer,
            int sequence,
            String name,
            int event,
            String subsystem,
            int mechanism,
            Hook hook,
            int[] states,
            int subscriptions,
            boolean enabled) {
        writer.message(FakeKernel.FAMILY_ID, Netlink.FLAG_MULTI, sequence, Command.POINT_GET.id())
                .string(AttributeId.POINT, name)
                .u16(AttributeId.EVENT, event)
                .string(AttributeId.SUBSYSTEM, subsystem)
                .u32(AttributeId.MECHANISM, mechanism)
                .u32(AttributeId.HOOK, hook.id())
                .u32(AttributeId.SUB_COUNT, subscriptions)
                .u32(AttributeId.ENABLED, enabled ? 1 : 0);
        for (int i = 0; i < states.length; i++) {
            writer.begin(AttributeId.FN)
                    .string(AttributeId.FN_FAMILY, mechanism == 0 ? "" : i == 0 ? "ipv4" : "ipv6")
                    .string(AttributeId.FN_NAME, states[i] == 0 ? "" : name)
                    .u32(AttributeId.FN_STATE, states[i])
                    .string(AttributeId.FN_TRIED, name + "," + name + "_old")
                    .end();
        }
    }

    private ByteBuffer buffer(int sequence, Command command) {
        return buffer(sequence, command, buffer, recorder);
    }

    private ByteBuffer buffer(int sequence, Command command, String name, boolean recorder) {
        return new ReplyWriter()
                .message(FakeKernel.FAMILY_ID, 0, sequence, command.id())
                .string(AttributeId.BUFFER, name)
                .u64(AttributeId.BUFFER_SIZE, 262_144)
                .u32(AttributeId.FLAGS, recorder ? 5 : 1)
                .u32(AttributeId.SUB_COUNT, points.size())
                .begin(AttributeId.CPU_STATS)
                .u32(AttributeId.CPU, 0)
                .u64(AttributeId.RECORDS_WRITTEN, 1_000)
                .u64(AttributeId.RECORDS_READ, recorder ? 100 : 900)
                .u64(AttributeId.BYTES_WRITTEN, 40_000)
                .u64(AttributeId.BYTES_READ, 36_000)
                .u64(AttributeId.LOST, 5)
                .u64(AttributeId.LOST_REPORTED, 5)
                .u64(AttributeId.OVERWRITTEN, recorder ? 700 : 0)
                .end()
                .datagram();
    }

    /** One more event is logged while a subscription ends. */
    private ByteBuffer subscription(int sequence, Command command, int index) {
        int late = command == Command.SUB_DEL ? 1 : 0;
        return new ReplyWriter()
                .message(FakeKernel.FAMILY_ID, 0, sequence, command.id())
                .u32(AttributeId.SUB_ID, index + 1L)
                .string(AttributeId.POINT, points.get(index))
                .u16(AttributeId.EVENT, 1)
                .string(AttributeId.BUFFER, buffer)
                .u32(AttributeId.FLAGS, 0)
                .u32(AttributeId.OWNER, 4_242)
                .u32(AttributeId.SAMPLE_COUNT, index == 0 ? 10 : 0)
                .u32(AttributeId.SAMPLE_INTERVAL_US, index == 0 ? 20_000 : 0)
                .u32(AttributeId.SNAP_LEN, index == 0 ? 64 : 0)
                .u32(AttributeId.COUNTERS, index == 0 ? 0x42 : 0)
                .begin(AttributeId.CPU_STATS)
                .u32(AttributeId.CPU, 0)
                .u64(AttributeId.HITS, 25 + late)
                .u64(AttributeId.COMMITTED, 20 + late)
                .u64(AttributeId.FILTERED, 0)
                .u64(AttributeId.SAMPLED_OUT, 0)
                .u64(AttributeId.DROPPED_FULL, lost)
                .u64(AttributeId.DROPPED_BIG, 0)
                .u64(AttributeId.DROPPED_RECURSION, 0)
                .u64(AttributeId.DROPPED_STORM, 0)
                .u64(AttributeId.MISSED, 0)
                .end()
                .datagram();
    }
}
