// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import magnet.os.Errno;
import magnet.os.MonotonicClock;

/**
 * The control socket of the kernel module.
 *
 * <p>What it makes belongs to it: points, buffers and subscriptions end when it is closed, or when its process dies, unless
 * they are {@link Flag#PERSISTENT}. Changes need CAP_PERFMON or CAP_SYS_ADMIN, questions nothing. A refused request
 * is a {@link ControlException} with the kernel's own words. Threads that ask at once are answered one after the other;
 * it is closed when nobody asks any more.
 */
public final class MagnetControl implements AutoCloseable {
    /** Version of the ABI that this program speaks. */
    public static final int ABI_VERSION = 1;
    /** Bytes per CPU of a buffer that does not say otherwise. */
    public static final long BUFFER_SIZE_DEFAULT = 256 * 1024;
    /** The smallest buffer, in bytes per CPU. */
    public static final long BUFFER_SIZE_LEAST = 64 * 1024;
    /** The largest one. */
    public static final long BUFFER_SIZE_MOST = 256 * 1024 * 1024;

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
        MagnetControl control = openOfAnyAbi(transport);
        try {
            control.info();
            return control;
        } catch (IOException e) {
            transport.close();
            throw e;
        }
    }

    /**
     * Opens the socket to a module of whatever ABI. Of its requests only {@link #shutdown} is sure to be understood, which
     * all have had.
     *
     * @throws ModuleNotLoadedException if there is no module
     */
    public static MagnetControl openOfAnyAbi() throws IOException {
        return openOfAnyAbi(Transport.socket());
    }

    static MagnetControl openOfAnyAbi(Transport transport) throws IOException {
        try {
            return new MagnetControl(new GenericNetlink(transport, FAMILY, FAMILY_VERSION, MonotonicClock.SYSTEM));
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
        return one("ask the module for its version", Command.INFO_GET, UnaryOperator.identity(), Answers::moduleInfo);
    }

    /** All points. */
    public List<PointInfo> points() throws IOException {
        return netlink.dump("list the points", Command.POINT_GET, Answers::point);
    }

    /**
     * What the running kernel calls its reasons to drop a packet, by the number that is in the records of kfree_skb;
     * empty if the module is one that does not say.
     */
    public Map<Integer, String> dropReasons() throws IOException {
        try {
            Map<Integer, String> names = new HashMap<>();
            netlink.dump("list the reasons of drops", Command.DROP_REASON_GET, Answers::dropReason)
                    .forEach(reason -> names.put(reason.getKey(), reason.getValue()));
            return Map.copyOf(names);
        } catch (ControlException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                return Map.of();
            }
            throw e;
        }
    }

    /**
     * Makes a point.
     *
     * @param definition such as {@code p:vfs_read len=$arg3:u32}; docs/control.md
     * @return the point as made, under a name of the kernel's making
     */
    public PointInfo insertPoint(String definition, Set<Flag> flags) throws IOException {
        return insertPoint(Optional.empty(), definition, flags);
    }

    /**
     * Makes a point.
     *
     * @param name letters, digits and {@code _}, no digit first
     * @param definition as above
     */
    public PointInfo insertPoint(String name, String definition, Set<Flag> flags) throws IOException {
        return insertPoint(Optional.of(name), definition, flags);
    }

    private PointInfo insertPoint(Optional<String> name, String definition, Set<Flag> flags) throws IOException {
        return one(
                "insert " + definition,
                Command.POINT_INSERT,
                request -> {
                    name.ifPresent(value -> request.string(AttributeId.POINT, value));
                    return request.string(AttributeId.DEFINITION, definition).u32(AttributeId.FLAGS, Flag.bits(flags));
                },
                Answers::point);
    }

    /** Removes a point that was inserted; its subscriptions end. */
    public void removePoint(String name) throws IOException {
        netlink.request(
                "remove point " + name,
                Command.POINT_REMOVE,
                request -> request.string(AttributeId.POINT, name),
                Answers::point);
    }

    /**
     * Lets the subscriptions of a point hook it, or unhooks it although it has some.
     *
     * @return the point as it is now
     */
    public PointInfo enablePoint(String name, boolean enabled) throws IOException {
        return one(
                (enabled ? "enable point " : "disable point ") + name,
                Command.POINT_SET,
                request -> request.string(AttributeId.POINT, name).u32(AttributeId.ENABLED, enabled ? 1 : 0),
                Answers::point);
    }

    /**
     * Limits the events of a point.
     *
     * @param rate events per second and CPU that are let through, at most 1,000,000; 0 lets all through
     * @param burst and this many at once; if empty, as before, or at first those of a tenth of a second
     * @return the point as it is now
     */
    public PointInfo guardPoint(String name, long rate, OptionalLong burst) throws IOException {
        return one(
                "guard point " + name,
                Command.POINT_SET,
                request -> {
                    request.string(AttributeId.POINT, name).u32(AttributeId.STORM_RATE, (int) rate);
                    burst.ifPresent(value -> request.u32(AttributeId.STORM_BURST, (int) value));
                    return request;
                },
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
        return one(
                "create buffer " + name,
                Command.BUFFER_NEW,
                request -> request.string(AttributeId.BUFFER, name)
                        .u64(AttributeId.BUFFER_SIZE, size)
                        .u32(AttributeId.FLAGS, Flag.bits(flags)),
                Answers::buffer);
    }

    /**
     * Changes the size of a buffer while events flow; what is unread stays.
     *
     * @param size bytes per CPU; the kernel rounds it up to a power of two
     * @return the buffer as made, without rings
     * @throws ControlException ENOMEM if there is no memory; the buffer then stays as it was
     */
    public BufferInfo resizeBuffer(String name, long size) throws IOException {
        return one(
                "resize buffer " + name,
                Command.BUFFER_RESIZE,
                request -> request.string(AttributeId.BUFFER, name).u64(AttributeId.BUFFER_SIZE, size),
                Answers::buffer);
    }

    /**
     * Makes a buffer of what a buffer has now; the buffer itself is not read by it.
     *
     * @param snapshot the new buffer's name
     * @return the new buffer, without rings
     */
    public BufferInfo snapshotBuffer(String name, String snapshot, Set<Flag> flags) throws IOException {
        return one(
                "snapshot buffer " + name,
                Command.BUFFER_SNAPSHOT,
                request -> request.string(AttributeId.BUFFER, name)
                        .string(AttributeId.SNAPSHOT, snapshot)
                        .u32(AttributeId.FLAGS, Flag.bits(flags)),
                Answers::buffer);
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
     * Lets all of a point's events go to a buffer.
     *
     * @return the subscription as made, without counts
     */
    public SubscriptionInfo subscribe(String point, String buffer, Set<Flag> flags) throws IOException {
        return subscribe(point, buffer, flags, Selection.NONE);
    }

    /**
     * Lets those of a point's events that are selected go to a buffer.
     *
     * @return the subscription as made, without counts
     * @throws ControlException EINVAL if a rule cannot be understood or the point has no packet to take bytes of;
     *     the kernel's text says which and why
     */
    public SubscriptionInfo subscribe(String point, String buffer, Set<Flag> flags, Selection selection)
            throws IOException {
        return one(
                "subscribe to " + point,
                Command.SUB_NEW,
                request -> selection.putInto(request.string(AttributeId.POINT, point)
                        .string(AttributeId.BUFFER, buffer)
                        .u32(AttributeId.FLAGS, Flag.bits(flags))),
                Answers::subscription);
    }

    /**
     * Changes which events a subscription logs, at once and for all CPUs, while they flow.
     *
     * @param selection what is empty in it stays as it is
     * @return the subscription as it is now, without counts
     */
    public SubscriptionInfo changeSubscription(long id, Selection selection) throws IOException {
        return one(
                "change subscription " + id,
                Command.SUB_SET,
                request -> selection.putInto(request.u32(AttributeId.SUB_ID, (int) id)),
                Answers::subscription);
    }

    /** All subscriptions with their rules. */
    public List<ChainInfo> chains() throws IOException {
        return Answers.joinChains(netlink.dump("list the rules", Command.RULE_GET, Answers::chain));
    }

    /**
     * Puts a rule into a subscription's chain.
     *
     * @param before the id of the rule in front of which it goes; if empty it goes last
     * @return the rule as made
     * @throws ControlException EINVAL if it cannot be understood, E2BIG if the chain is full
     */
    public RuleInfo addRule(long subscription, String text, OptionalLong before) throws IOException {
        return one(
                "add rule " + text,
                Command.RULE_NEW,
                request -> {
                    request.u32(AttributeId.SUB_ID, (int) subscription).string(AttributeId.RULE_TEXT, text);
                    before.ifPresent(id -> request.u32(AttributeId.RULE_BEFORE, (int) id));
                    return request;
                },
                Answers::rule);
    }

    /**
     * Takes a rule out of a subscription's chain.
     *
     * @return it with its final counter
     */
    public RuleInfo deleteRule(long subscription, long rule) throws IOException {
        return one(
                "delete rule " + rule,
                Command.RULE_DEL,
                request -> request.u32(AttributeId.SUB_ID, (int) subscription).u32(AttributeId.RULE_ID, (int) rule),
                Answers::rule);
    }

    /** All correlating filters. */
    public List<CorrelationInfo> correlations() throws IOException {
        return netlink.dump("list the correlating filters", Command.CORRELATION_GET, Answers::correlation);
    }

    /**
     * Makes a correlating filter.
     *
     * @param definition what it looks for; docs/control.md
     * @param buffer the name of the buffer that gets a record when it is found
     */
    public CorrelationInfo correlate(String definition, String buffer, Set<Flag> flags) throws IOException {
        return one(
                "correlate " + definition,
                Command.CORRELATION_NEW,
                request -> request.string(AttributeId.DEFINITION, definition)
                        .string(AttributeId.BUFFER, buffer)
                        .u32(AttributeId.FLAGS, Flag.bits(flags)),
                Answers::correlation);
    }

    /** Removes a correlating filter. */
    public void deleteCorrelation(long id) throws IOException {
        netlink.request(
                "delete correlating filter " + id,
                Command.CORRELATION_DEL,
                request -> request.u32(AttributeId.CORRELATION_ID, (int) id),
                Answers::correlation);
    }

    /**
     * Ends a subscription. What it logged stays in the buffer.
     *
     * @return it with its final counts
     */
    public SubscriptionInfo unsubscribe(long id) throws IOException {
        return only(Answers.joinSubscriptions(netlink.request(
                "end subscription " + id,
                Command.SUB_DEL,
                request -> request.u32(AttributeId.SUB_ID, (int) id),
                Answers::subscription)));
    }

    /** Ends every subscription and buffer, whoever made them, so that the module can be removed. */
    public void shutdown() throws IOException {
        netlink.request("shut the module down", Command.SHUTDOWN, UnaryOperator.identity(), Answers::buffer);
    }

    @Override
    public void close() {
        netlink.close();
    }

    /** A request that is answered with one thing, such as what was made. */
    private <T> T one(
            String what, Command command, UnaryOperator<RequestWriter> fill, GenericNetlink.Decoder<T> decoder)
            throws IOException {
        return only(netlink.request(what, command, fill, decoder));
    }

    private static <T> T only(List<T> answers) throws IOException {
        if (answers.size() != 1) {
            throw new MalformedMessageException(answers.size() + " answers where one was due");
        }
        return answers.get(0);
    }
}
