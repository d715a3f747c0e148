// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import magnet.os.Errno;

/**
 * A made-up module for tests of what stands on {@link MagnetControl}: the points {@code udp_sendmsg} and
 * {@code sched_switch}, {@code half_there} of which a part is missing, and {@code not_there}, which this kernel does
 * not have; whatever is created exists, and every subscription had 25 hits on CPU 0 and lost 5 of them.
 */
public final class FakeModule {
    private final FakeKernel kernel = FakeKernel.withModule();
    private final List<String> points = new ArrayList<>();
    private String buffer = "main";

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
        kernel.on(Command.BUFFER_NEW, sequence -> {
            buffer = last().string(AttributeId.BUFFER);
            return List.of(buffer(sequence, Command.BUFFER_NEW), FakeKernel.acknowledgement(sequence));
        });
        kernel.on(Command.SUB_NEW, sequence -> {
            points.add(last().string(AttributeId.POINT));
            return List.of(
                    subscription(sequence, Command.SUB_NEW, points.size() - 1), FakeKernel.acknowledgement(sequence));
        });
        kernel.on(Command.BUFFER_DEL, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
        kernel.on(Command.SHUTDOWN, sequence -> List.of(FakeKernel.acknowledgement(sequence)));
    }

    /** No buffers and no subscriptions. */
    public FakeModule idle() {
        kernel.replace(Command.BUFFER_GET, sequence -> List.of(done(sequence)));
        kernel.replace(Command.SUB_GET, sequence -> List.of(done(sequence)));
        return this;
    }

    /** One subscription that was made by somebody else. */
    public FakeModule subscribed(String point) {
        points.add(point);
        return this;
    }

    /** Refuses to change anything, as it does without CAP_PERFMON. */
    public FakeModule unprivileged() {
        for (Command command : List.of(Command.BUFFER_NEW, Command.SHUTDOWN)) {
            kernel.replace(
                    command,
                    sequence -> List.of(new ReplyWriter()
                            .error(sequence, Errno.EPERM.number(), "needs CAP_PERFMON or CAP_SYS_ADMIN")
                            .datagram()));
        }
        return this;
    }

    /** A control socket to it. */
    public MagnetControl open() throws IOException {
        return MagnetControl.open(kernel);
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
        point(writer, sequence, "udp_sendmsg", 0x10, "net", 1, new int[] {1, 1}, 0);
        point(writer, sequence, "sched_switch", 0x110, "sched", 0, new int[] {2}, 2);
        point(writer, sequence, "half_there", 0x20, "net", 1, new int[] {1, 0}, 0);
        point(writer, sequence, "not_there", 0x30, "net", 1, new int[] {0}, 0);
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
            int subscriptions) {
        writer.message(FakeKernel.FAMILY_ID, Netlink.FLAG_MULTI, sequence, Command.POINT_GET.id())
                .string(AttributeId.POINT, name)
                .u16(AttributeId.EVENT, event)
                .string(AttributeId.SUBSYSTEM, subsystem)
                .u32(AttributeId.MECHANISM, mechanism)
                .u32(AttributeId.HOOK, subscriptions == 0 ? 0 : mechanism + 1)
                .u32(AttributeId.SUB_COUNT, subscriptions)
                .u32(AttributeId.ENABLED, 1);
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
        return new ReplyWriter()
                .message(FakeKernel.FAMILY_ID, 0, sequence, command.id())
                .string(AttributeId.BUFFER, buffer)
                .u64(AttributeId.BUFFER_SIZE, 262_144)
                .u32(AttributeId.FLAGS, 1)
                .u32(AttributeId.SUB_COUNT, points.size())
                .begin(AttributeId.CPU_STATS)
                .u32(AttributeId.CPU, 0)
                .u64(AttributeId.RECORDS_WRITTEN, 1_000)
                .u64(AttributeId.RECORDS_READ, 900)
                .u64(AttributeId.BYTES_WRITTEN, 40_000)
                .u64(AttributeId.BYTES_READ, 36_000)
                .u64(AttributeId.LOST, 5)
                .u64(AttributeId.LOST_REPORTED, 5)
                .end()
                .datagram();
    }

    private ByteBuffer subscription(int sequence, Command command, int index) {
        return new ReplyWriter()
                .message(FakeKernel.FAMILY_ID, 0, sequence, command.id())
                .u32(AttributeId.SUB_ID, index + 1L)
                .string(AttributeId.POINT, points.get(index))
                .u16(AttributeId.EVENT, 1)
                .string(AttributeId.BUFFER, buffer)
                .u32(AttributeId.FLAGS, 0)
                .u32(AttributeId.OWNER, 4_242)
                .u32(AttributeId.SAMPLE_COUNT, 0)
                .u32(AttributeId.SAMPLE_INTERVAL_US, 0)
                .u32(AttributeId.SNAP_LEN, 0)
                .begin(AttributeId.CPU_STATS)
                .u32(AttributeId.CPU, 0)
                .u64(AttributeId.HITS, 25)
                .u64(AttributeId.COMMITTED, 20)
                .u64(AttributeId.FILTERED, 0)
                .u64(AttributeId.SAMPLED_OUT, 0)
                .u64(AttributeId.DROPPED_FULL, 5)
                .u64(AttributeId.DROPPED_BIG, 0)
                .u64(AttributeId.DROPPED_RECURSION, 0)
                .u64(AttributeId.DROPPED_STORM, 0)
                .u64(AttributeId.MISSED, 0)
                .end()
                .datagram();
    }
}
