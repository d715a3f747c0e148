// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.time.Duration;
import magnet.it.guest.Guest;

/** Disks in a guest that take as long for each request as they are told: the kernel's null_blk. */
final class SlowDisk {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String MAKE = """
            modprobe configfs
            mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
            modprobe null_blk nr_devices=0
            mkdir /sys/kernel/config/nullb/%1$s && cd /sys/kernel/config/nullb/%1$s || exit
            %3$s
            echo 2 >irqmode && echo %2$d >completion_nsec && echo 1024 >size && echo 1 >power || exit
            until [ -b /dev/%1$s ]; do sleep 0.1; done
            """;

    /** It has a cache to be flushed, parts to be discarded, and eight sectors that cannot be read. */
    private static final String ODD =
            "echo 1 >memory_backed && echo 1 >discard && echo 1 >cache_size" + " && echo +0-7 >badblocks || exit";

    private SlowDisk() {}

    /**
     * Makes one of 1 GiB, {@code /dev/NAME}.
     *
     * @param name nullb and a number
     * @param micros what each request takes
     */
    static void make(Guest guest, String name, int micros) {
        make(guest, name, micros, "");
    }

    /** As {@link #make}: one that knows flushes and discards, and whose first eight sectors cannot be read. */
    static void makeOdd(Guest guest, String name, int micros) {
        make(guest, name, micros, ODD);
    }

    private static void make(Guest guest, String name, int micros, String more) {
        guest.sh(LIMIT, MAKE.formatted(name, 1_000L * micros, more)).orFail();
    }
}
