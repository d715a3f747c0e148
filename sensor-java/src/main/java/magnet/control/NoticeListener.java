// SPDX-License-Identifier: Apache-2.0
package magnet.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import magnet.os.MonotonicClock;

/**
 * Listens to the module's multicast group {@code events}. Has a socket of its own, so that notices and answers do
 * not mix. Not thread-safe.
 */
public final class NoticeListener implements AutoCloseable {
    static final String GROUP = "events";

    private final GenericNetlink netlink;

    private NoticeListener(GenericNetlink netlink) throws IOException {
        this.netlink = netlink;
        OptionalInt group = netlink.group(GROUP);
        if (group.isEmpty()) {
            throw new MalformedMessageException("the family has no group " + GROUP);
        }
        netlink.transport().join(group.getAsInt());
    }

    /**
     * Begins to listen.
     *
     * @throws ModuleNotLoadedException if there is nobody to listen to
     */
    public static NoticeListener open() throws IOException {
        return open(Transport.socket());
    }

    static NoticeListener open(Transport transport) throws IOException {
        try {
            return new NoticeListener(new GenericNetlink(
                    transport, MagnetControl.FAMILY, MagnetControl.FAMILY_VERSION, MonotonicClock.SYSTEM));
        } catch (IOException e) {
            transport.close();
            throw e;
        }
    }

    /**
     * Waits for notices.
     *
     * @param timeoutMs longest wait in milliseconds
     * @return those that came together; none when the time passed
     * @throws magnet.os.OsException with ENOBUFS if notices came faster than they were taken, and some are gone
     */
    public List<Notice> next(int timeoutMs) throws IOException {
        List<Notice> notices = new ArrayList<>();
        ByteBuffer datagram = netlink.transport().receive(timeoutMs);
        for (Message message : Message.parse(datagram)) {
            if (message.type() != netlink.family()) {
                continue;
            }
            if (message.command() == Command.LOSS_NTF.id()) {
                notices.add(Answers.loss(message.attributes()));
            } else if (message.command() == Command.URGENT_NTF.id()) {
                notices.add(Answers.urgent(message.attributes()));
            }
        }
        return notices;
    }

    @Override
    public void close() {
        netlink.close();
    }
}
