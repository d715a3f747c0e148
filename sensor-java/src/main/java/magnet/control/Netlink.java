// SPDX-License-Identifier: Apache-2.0
package magnet.control;

/** Numbers of netlink itself: linux/netlink.h and linux/genetlink.h. */
final class Netlink {
    static final int HEADER_SIZE = 16;
    static final int GENERIC_HEADER_SIZE = 4;
    static final int ATTRIBUTE_HEADER_SIZE = 4;
    static final int ALIGNMENT = 4;

    static final int TYPE_ERROR = 2;
    static final int TYPE_DONE = 3;

    static final int FLAG_REQUEST = 0x1;
    static final int FLAG_MULTI = 0x2;
    static final int FLAG_ACK = 0x4;
    /** A dump is inconsistent: what it lists was changed while it ran. */
    static final int FLAG_DUMP_INTERRUPTED = 0x10;

    static final int FLAG_DUMP = 0x300;
    /** An error does not repeat the request's payload. */
    static final int FLAG_CAPPED = 0x100;
    /** An error carries attributes. */
    static final int FLAG_ACK_ATTRIBUTES = 0x200;

    static final int ATTRIBUTE_NESTED = 0x8000;
    static final int ATTRIBUTE_TYPE_MASK = 0x3fff;
    /** Of an error: text for people. */
    static final int ERROR_TEXT = 1;

    /** The family that knows the others; what is below is netlink's own. */
    static final int CONTROLLER = 16;

    static final int CONTROLLER_VERSION = 2;
    static final int GET_FAMILY = 3;
    static final int FAMILY_ID = 1;
    static final int FAMILY_NAME = 2;
    static final int FAMILY_GROUPS = 7;
    static final int GROUP_NAME = 1;
    static final int GROUP_ID = 2;

    private Netlink() {}

    static int align(int size) {
        return (size + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
