// SPDX-License-Identifier: Apache-2.0
package magnet.dump;

/** The kernel's {@code ETH_P_*} that are looked into. */
final class Ethertype {
    static final int IPV4 = 0x0800;
    static final int ARP = 0x0806;
    static final int RARP = 0x8035;
    static final int IPV6 = 0x86dd;

    private Ethertype() {}
}
