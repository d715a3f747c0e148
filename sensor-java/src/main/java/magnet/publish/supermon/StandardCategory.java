// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

/**
 * The categories that every mon has, with their bits. Those of Linux Labs are known from a sample of its own; a client of
 * Los Alamos asks for 0x40 and takes three numbers, which can be no other than the load averages. Immutable.
 */
enum StandardCategory {
    CPUINFO("cpuinfo", 0x1, 0x1),
    AVENRUN("avenrun", 0x40, 0x2),
    PAGING("paging", 0x4, 0x4),
    SWITCH("switch", 0x8, 0x8),
    TIME("time", 0x10, 0x10),
    NETINFO("netinfo", 0x20, 0x20),
    MEMINFO("meminfo", 0x2, 0x40),
    SWAPINFO("swapinfo", 0x80, 0x80),
    FSINFO("fsinfo", 0x100, 0x100);

    private final String label;
    private final long lanlBit;
    private final long linuxLabsBit;

    StandardCategory(String label, long lanlBit, long linuxLabsBit) {
        this.label = label;
        this.lanlBit = lanlBit;
        this.linuxLabsBit = linuxLabsBit;
    }

    String label() {
        return label;
    }

    long lanlBit() {
        return lanlBit;
    }

    long linuxLabsBit() {
        return linuxLabsBit;
    }
}
