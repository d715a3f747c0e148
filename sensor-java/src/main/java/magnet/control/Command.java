// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/** Requests to the module and notices from it: {@code enum magnet_cmd}. */
enum Command {
    INFO_GET(1),
    POINT_GET(2),
    BUFFER_NEW(3),
    BUFFER_DEL(4),
    BUFFER_GET(5),
    SUB_NEW(6),
    SUB_DEL(7),
    SUB_GET(8),
    SHUTDOWN(9),
    LOSS_NTF(10),
    POINT_INSERT(11),
    POINT_REMOVE(12),
    POINT_SET(13),
    BUFFER_RESIZE(14),
    BUFFER_SNAPSHOT(15),
    SUB_SET(16),
    RULE_NEW(17),
    RULE_DEL(18),
    RULE_GET(19),
    CORRELATION_NEW(20),
    CORRELATION_DEL(21),
    CORRELATION_GET(22),
    URGENT_NTF(23),
    DROP_REASON_GET(24);

    private final int id;

    Command(int id) {
        this.id = id;
    }

    /** The number in the generic netlink header. */
    int id() {
        return id;
    }
}
