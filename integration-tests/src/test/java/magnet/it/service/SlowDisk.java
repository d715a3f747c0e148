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
            echo 2 >irqmode && echo %2$d >completion_nsec && echo 1024 >size && echo 1 >power || exit
            until [ -b /dev/%1$s ]; do sleep 0.1; done
            """;

    private SlowDisk() {}

    /**
     * Makes one of 1 GiB, {@code /dev/NAME}.
     *
     * @param name nullb and a number
     * @param micros what each request takes
     */
    static void make(Guest guest, String name, int micros) {
        guest.sh(LIMIT, MAKE.formatted(name, 1_000L * micros)).orFail();
    }
}
