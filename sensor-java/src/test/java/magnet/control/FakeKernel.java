// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/** Answers requests with prepared datagrams, and keeps the requests. */
final class FakeKernel implements Transport {
    static final int FAMILY_ID = 31;
    static final int GROUP_ID = 9;

    /** Answers a request with this sequence number. */
    interface Answer {
        List<ByteBuffer> to(int sequence) throws IOException;
    }

    private final Map<Integer, Queue<Answer>> answers = new HashMap<>();
    private final Queue<ByteBuffer> outgoing = new ArrayDeque<>();
    private final List<Message> requests = new ArrayList<>();
    private final List<Integer> groups = new ArrayList<>();
    private boolean closed;

    /** A kernel with the module loaded. */
    static FakeKernel withModule() {
        FakeKernel kernel = new FakeKernel();
        kernel.onController(sequence -> List.of(
                new ReplyWriter()
                        .message(Netlink.CONTROLLER, 0, sequence, 1)
                        .string(Netlink.FAMILY_NAME, MagnetControl.FAMILY)
                        .u16(Netlink.FAMILY_ID, FAMILY_ID)
                        .begin(Netlink.FAMILY_GROUPS)
                        .begin(1)
                        .u32(Netlink.GROUP_ID, GROUP_ID)
                        .string(Netlink.GROUP_NAME, NoticeListener.GROUP)
                        .end()
                        .end()
                        .datagram(),
                acknowledgement(sequence)));
        kernel.on(Command.INFO_GET, sequence -> List.of(info(sequence, 1), acknowledgement(sequence)));
        return kernel;
    }

    static ByteBuffer info(int sequence, int abiVersion) {
        return info(sequence, abiVersion, 0, 0);
    }

    /** @param disabled attribute that is 1, of those that say what was switched off; 0 = none */
    static ByteBuffer info(int sequence, int abiVersion, int clockFlags, int disabled) {
        return new ReplyWriter()
                .message(FAMILY_ID, 0, sequence, Command.INFO_GET.id())
                .u32(AttributeId.ABI_VERSION, abiVersion)
                .string(AttributeId.MODULE_VERSION, "0.1.0")
                .u32(AttributeId.LAYOUT, 0)
                .u32(AttributeId.CLOCK, 0)
                .u32(AttributeId.CLOCK_KHZ, 2_500_000)
                .u64(AttributeId.CLOCK_TIMER, 5_000)
                .u64(AttributeId.CLOCK_REALTIME_NS, 1_790_000_000_000_000_000L)
                .u64(AttributeId.CLOCK_MONOTONIC_NS, 2_000)
                .u32(AttributeId.CLOCK_EPOCH, 3)
                .u32(AttributeId.CLOCK_FLAGS, clockFlags)
                .u32(AttributeId.FTRACE_DISABLED, disabled == AttributeId.FTRACE_DISABLED ? 1 : 0)
                .u32(AttributeId.DYNAMIC_DISABLED, disabled == AttributeId.DYNAMIC_DISABLED ? 1 : 0)
                .u32(AttributeId.KPROBES_DISABLED, disabled == AttributeId.KPROBES_DISABLED ? 1 : 0)
                .datagram();
    }

    static ByteBuffer acknowledgement(int sequence) {
        return new ReplyWriter().error(sequence, 0, "").datagram();
    }

    /** Prepares the answer to the next request to the controller that has none yet. */
    void onController(Answer answer) {
        on(-1, answer);
    }

    /** Prepares the answer to a command; several answers follow each other, the last one stays. */
    void on(Command command, Answer answer) {
        on(command.id(), answer);
    }

    /** Prepares the only answer to a command. */
    void replace(Command command, Answer answer) {
        answers.remove(command.id());
        on(command, answer);
    }

    private void on(int command, Answer answer) {
        answers.computeIfAbsent(command, key -> new ArrayDeque<>()).add(answer);
    }

    /** Something that nobody asked for. */
    void push(ByteBuffer datagram) {
        outgoing.add(datagram);
    }

    /** Requests to the module, the first question for its version left out. */
    List<Message> requests() {
        return requests.subList(1, requests.size());
    }

    List<Integer> groups() {
        return groups;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public int portId() {
        return -2;
    }

    @Override
    public void send(ByteBuffer message) throws IOException {
        ByteBuffer copy = ByteBuffer.allocate(message.remaining()).order(ByteOrder.nativeOrder());
        copy.put(0, message, message.position(), message.remaining());
        Message request = Message.parse(copy).get(0);
        int command = -1;
        if (request.type() == FAMILY_ID) {
            requests.add(request);
            command = request.command();
        }
        Queue<Answer> prepared = answers.get(command);
        Answer answer = prepared.size() > 1 ? prepared.remove() : prepared.element();
        outgoing.addAll(answer.to(request.sequence()));
    }

    @Override
    public ByteBuffer receive(int timeoutMs) {
        ByteBuffer next = outgoing.poll();
        return next == null ? ByteBuffer.allocate(0).order(ByteOrder.nativeOrder()) : next;
    }

    @Override
    public void join(int group) {
        groups.add(group);
    }

    @Override
    public void close() {
        closed = true;
    }
}
