// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import magnet.os.Errno;
import magnet.os.MonotonicClock;

/**
 * The conversation with one generic netlink family: requests with sequence numbers and acknowledgements, and dumps,
 * which are asked for again when what they list changed meanwhile. Not thread-safe.
 */
final class GenericNetlink implements AutoCloseable {
    /** Hooking and unhooking wait for the kernel's grace periods, which last seconds on a loaded machine. */
    private static final int ANSWER_TIMEOUT_MS = 60_000;

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int DUMP_ATTEMPTS = 10;

    /** Turns a message of the answer into a value, while its bytes last. */
    interface Decoder<T> {
        T decode(Attributes attributes) throws IOException;
    }

    private final Transport transport;
    private final MonotonicClock clock;
    private final int family;
    private final int version;
    private final Attributes description;
    private int sequence;

    /**
     * Resolves the family.
     *
     * @throws ModuleNotLoadedException if the kernel does not have it
     */
    GenericNetlink(Transport transport, String name, int version, MonotonicClock clock) throws IOException {
        this.transport = transport;
        this.clock = clock;
        this.version = version;
        this.description = resolve(name);
        this.family = description.u16(Netlink.FAMILY_ID);
    }

    private Attributes resolve(String name) throws IOException {
        RequestWriter request = new RequestWriter(
                Netlink.CONTROLLER,
                Netlink.FLAG_REQUEST | Netlink.FLAG_ACK,
                ++sequence,
                Netlink.GET_FAMILY,
                Netlink.CONTROLLER_VERSION);
        try {
            List<Attributes> answers = converse(
                            "find the netlink family " + name,
                            request.string(Netlink.FAMILY_NAME, name).build(),
                            Attributes::copy)
                    .values;
            if (answers.isEmpty()) {
                throw new MalformedMessageException("no answer on family " + name);
            }
            return answers.get(0);
        } catch (ControlException e) {
            if (e.errno() == Errno.ENOENT) {
                throw ModuleNotLoadedException.on(Path.of("/"));
            }
            throw e;
        }
    }

    /** The id of a multicast group of the family, if it has it. */
    OptionalInt group(String name) throws IOException {
        for (Attributes groups : description.nests(Netlink.FAMILY_GROUPS)) {
            for (Attributes group : groups.elements()) {
                if (group.string(Netlink.GROUP_NAME).equals(name)) {
                    return OptionalInt.of(group.s32(Netlink.GROUP_ID));
                }
            }
        }
        return OptionalInt.empty();
    }

    /**
     * Sends a request and waits until it is acknowledged.
     *
     * @param what the request in words, for the exception
     * @param fill puts the attributes in
     * @return what was answered besides the acknowledgement
     * @throws ControlException if the kernel refuses it
     */
    synchronized <T> List<T> request(
            String what, Command command, UnaryOperator<RequestWriter> fill, Decoder<T> decoder) throws IOException {
        RequestWriter request =
                new RequestWriter(family, Netlink.FLAG_REQUEST | Netlink.FLAG_ACK, ++sequence, command.id(), version);
        return converse(what, fill.apply(request).build(), decoder).values;
    }

    /**
     * Lists something.
     *
     * @param what the request in words, for the exception
     */
    synchronized <T> List<T> dump(String what, Command command, Decoder<T> decoder) throws IOException {
        for (int attempt = 0; attempt < DUMP_ATTEMPTS; attempt++) {
            RequestWriter request = new RequestWriter(
                    family, Netlink.FLAG_REQUEST | Netlink.FLAG_DUMP, ++sequence, command.id(), version);
            Answer<T> answer = converse(what, request.build(), decoder);
            if (answer.consistent) {
                return answer.values;
            }
        }
        throw new IOException(what + ": it was changed each of the " + DUMP_ATTEMPTS + " times that it was read");
    }

    private <T> Answer<T> converse(String what, ByteBuffer request, Decoder<T> decoder) throws IOException {
        transport.send(request);
        List<T> answers = new ArrayList<>();
        boolean consistent = true;
        long deadline = clock.nanos() + ANSWER_TIMEOUT_MS * NANOS_PER_MILLI;
        while (true) {
            long left = (deadline - clock.nanos()) / NANOS_PER_MILLI;
            if (left <= 0) {
                throw new IOException(what + ": the kernel did not answer in " + ANSWER_TIMEOUT_MS / 1_000 + " s");
            }
            for (Message message : Message.parse(transport.receive((int) left))) {
                if (message.sequence() != sequence) {
                    continue;
                }
                consistent &= !message.has(Netlink.FLAG_DUMP_INTERRUPTED);
                if (message.type() == Netlink.TYPE_ERROR || message.type() == Netlink.TYPE_DONE) {
                    if (message.errno() != 0) {
                        throw new ControlException(what, message.errno(), message.errorText());
                    }
                    return new Answer<>(answers, consistent);
                }
                if (message.type() < Netlink.CONTROLLER) {
                    continue;
                }
                answers.add(decoder.decode(message.attributes()));
            }
        }
    }

    int family() {
        return family;
    }

    Transport transport() {
        return transport;
    }

    @Override
    public void close() {
        transport.close();
    }

    private record Answer<T>(List<T> values, boolean consistent) {}
}
