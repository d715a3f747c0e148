// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import magnet.os.MonotonicClock;

/**
 * The control socket of the kernel module.
 *
 * <p>What it makes belongs to it: points, buffers and subscriptions end when it is closed, or when its process dies, unless
 * they are {@link Flag#PERSISTENT}. Changes need CAP_PERFMON or CAP_SYS_ADMIN, questions nothing. A refused request
 * is a {@link ControlException} with the kernel's own words. Not thread-safe.
 */
public final class MagnetControl implements AutoCloseable {
    /** Version of the ABI that this program speaks. */
    public static final int ABI_VERSION = 1;
    /** Bytes per CPU of a buffer that does not say otherwise. */
    public static final long BUFFER_SIZE_DEFAULT = 256 * 1024;

    static final String FAMILY = "magnet";
    static final int FAMILY_VERSION = 1;

    private final GenericNetlink netlink;

    private MagnetControl(GenericNetlink netlink) {
        this.netlink = netlink;
    }

    /**
     * Opens the socket and makes sure that module and program speak the same ABI.
     *
     * @throws ModuleNotLoadedException if there is no module
     */
    public static MagnetControl open() throws IOException {
        return open(Transport.socket());
    }

    static MagnetControl open(Transport transport) throws IOException {
        try {
            MagnetControl control =
                    new MagnetControl(new GenericNetlink(transport, FAMILY, FAMILY_VERSION, MonotonicClock.SYSTEM));
            control.info();
            return control;
        } catch (IOException e) {
            transport.close();
            throw e;
        }
    }

    /** The id by which the kernel names the owner of what this socket makes. */
    public long portId() {
        return Integer.toUnsignedLong(netlink.transport().portId());
    }

    /**
     * What the module says of itself, and its clock now.
     *
     * @throws IOException also if it speaks another ABI than this program
     */
    public ModuleInfo info() throws IOException {
        return only(netlink.request(
                "ask the module for its version", Command.INFO_GET, UnaryOperator.identity(), Answers::moduleInfo));
    }

    /** All points. */
    public List<PointInfo> points() throws IOException {
        return netlink.dump("list the points", Command.POINT_GET, Answers::point);
    }

    /**
     * Makes a point.
     *
     * @param definition such as {@code p:vfs_read len=$arg3:u32}; docs/control.md
     * @return the point as made, under a name of the kernel's making
     */
    public PointInfo insertPoint(String definition, Set<Flag> flags) throws IOException {
        return only(netlink.request(
                "insert " + definition,
                Command.POINT_INSERT,
                request -> request.string(AttributeId.DEFINITION, definition).u32(AttributeId.FLAGS, Flag.bits(flags)),
                Answers::point));
    }

    /** Removes a point that was inserted; its subscriptions end. */
    public void removePoint(String name) throws IOException {
        netlink.request(
                "remove point " + name,
                Command.POINT_REMOVE,
                request -> request.string(AttributeId.POINT, name),
                Answers::point);
    }

    /** All buffers with their rings. */
    public List<BufferInfo> buffers() throws IOException {
        return Answers.joinBuffers(netlink.dump("list the buffers", Command.BUFFER_GET, Answers::buffer));
    }

    /** All subscriptions with their counters. */
    public List<SubscriptionInfo> subscriptions() throws IOException {
        return Answers.joinSubscriptions(
                netlink.dump("list the subscriptions", Command.SUB_GET, Answers::subscription));
    }

    /**
     * Makes a buffer.
     *
     * @param name letters, digits, {@code _}, {@code -} and {@code .}
     * @param size bytes per CPU; the kernel rounds it up to a power of two
     * @return the buffer as made, without rings
     */
    public BufferInfo createBuffer(String name, long size, Set<Flag> flags) throws IOException {
        return only(netlink.request(
                "create buffer " + name,
                Command.BUFFER_NEW,
                request -> request.string(AttributeId.BUFFER, name)
                        .u64(AttributeId.BUFFER_SIZE, size)
                        .u32(AttributeId.FLAGS, Flag.bits(flags)),
                Answers::buffer));
    }

    /** Removes a buffer: its subscriptions end, its readers come to the end of their files. */
    public void removeBuffer(String name) throws IOException {
        netlink.request(
                "remove buffer " + name,
                Command.BUFFER_DEL,
                request -> request.string(AttributeId.BUFFER, name),
                Answers::buffer);
    }

    /**
     * Lets a point's events go to a buffer.
     *
     * @return the subscription as made, without counts
     */
    public SubscriptionInfo subscribe(String point, String buffer, Set<Flag> flags) throws IOException {
        return only(netlink.request(
                "subscribe to " + point,
                Command.SUB_NEW,
                request -> request.string(AttributeId.POINT, point)
                        .string(AttributeId.BUFFER, buffer)
                        .u32(AttributeId.FLAGS, Flag.bits(flags)),
                Answers::subscription));
    }

    /**
     * Ends a subscription. What it logged stays in the buffer.
     *
     * @return it with its final counts
     */
    public SubscriptionInfo unsubscribe(long id) throws IOException {
        return only(netlink.request(
                "end subscription " + id,
                Command.SUB_DEL,
                request -> request.u32(AttributeId.SUB_ID, (int) id),
                Answers::subscription));
    }

    /** Ends every subscription and buffer, whoever made them, so that the module can be removed. */
    public void shutdown() throws IOException {
        netlink.request("shut the module down", Command.SHUTDOWN, UnaryOperator.identity(), Answers::buffer);
    }

    @Override
    public void close() {
        netlink.close();
    }

    private static <T> T only(List<T> answers) throws MalformedMessageException {
        if (answers.size() != 1) {
            throw new MalformedMessageException(answers.size() + " answers where one was due");
        }
        return answers.get(0);
    }
}
