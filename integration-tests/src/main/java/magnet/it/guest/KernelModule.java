// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.nio.file.Path;
import java.time.Duration;

/** The module under test, in a guest. */
public final class KernelModule {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private KernelModule() {}

    /** Where the build left the module for the kernel of this name, as "make kmod" does. */
    public static Path file(String kernel) {
        return Tree.build().resolve("kmod").resolve(kernel).resolve("magnet.ko");
    }

    /** The module that traces the hierarchy of processes, which is built with it. */
    public static Path gtrace(String kernel) {
        return file(kernel).resolveSibling("gtrace/magnet_gtrace.ko");
    }

    /** The sample of a module with events of its own, which is built with it. */
    public static Path sample(String kernel) {
        return file(kernel).resolveSibling("samples/magnet_sample/magnet_sample.ko");
    }

    /** The module whose loading runs the tests that are inside the kernel. */
    public static Path test(String kernel) {
        return file(kernel).resolveSibling("tests/module/magnet_test.ko");
    }

    /** A module that makes an event of each NMI. */
    public static Path nmi(String kernel) {
        return file(kernel).resolveSibling("tests/module/magnet_nmi.ko");
    }

    /** A module that makes events which can't be logged. */
    public static Path losses(String kernel) {
        return file(kernel).resolveSibling("tests/module/magnet_losses.ko");
    }

    /** A module that makes events of the one under test happen inside the handlers of others. */
    public static Path nested(String kernel) {
        return file(kernel).resolveSibling("tests/module/magnet_nested.ko");
    }

    /** A module with a handler that takes its time. */
    public static Path patient(String kernel) {
        return file(kernel).resolveSibling("tests/module/magnet_patient.ko");
    }

    /** A module with a function and a tracepoint that come and go with it. */
    public static Path transientModule(String kernel) {
        return file(kernel).resolveSibling("tests/module/magnet_transient.ko");
    }

    /** A livepatch of what /proc/version shows. */
    public static Path livepatch(String kernel) {
        return file(kernel).resolveSibling("tests/module/magnet_livepatch.ko");
    }

    /** A module with a data race in it, together with the one under test. */
    public static Path race(String kernel) {
        return file(kernel).resolveSibling("tests/module/magnet_race.ko");
    }

    /** A module that lets CLOCK_MONOTONIC go ahead of the timer, as the one under test sees it. */
    public static Path jump(String kernel) {
        return file(kernel).resolveSibling("tests/module/magnet_jump.ko");
    }

    /** A module that lets rings of the one under test look as if a handler were stuck in them. */
    public static Path stuck(String kernel) {
        return file(kernel).resolveSibling("tests/module/magnet_stuck.ko");
    }

    /**
     * Loads it.
     *
     * @param parameters module parameters, such as "layout=classic"
     * @return what it told the kernel's log
     */
    public static String load(Guest guest, String... parameters) {
        String file = file(guest.options().kernel()).toString();
        guest.run(LIMIT, insmod(file, parameters)).orFail();
        return guest.sh("dmesg | grep 'magnet: version' | tail -n 1 | sed 's/^.*magnet: //'")
                .stdout()
                .strip();
    }

    /** Whether it is loaded. */
    public static boolean isLoaded(Guest guest) {
        return guest.run("test", "-d", "/sys/module/magnet").exitCode() == 0;
    }

    /**
     * Loads it if it is not: for tests that follow each other with the same one, and run by themselves, too.
     *
     * @param parameters as {@link #load}
     */
    public static void loadUnlessLoaded(Guest guest, String... parameters) {
        if (!isLoaded(guest)) {
            load(guest, parameters);
        }
    }

    /** Removes it; fails if it is in use. */
    public static void remove(Guest guest) {
        guest.run(LIMIT, "rmmod", "magnet").orFail();
    }

    private static String[] insmod(String file, String[] parameters) {
        String[] command = new String[parameters.length + 2];
        command[0] = "insmod";
        command[1] = file;
        System.arraycopy(parameters, 0, command, 2, parameters.length);
        return command;
    }
}
