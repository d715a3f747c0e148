// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test class whose tests share one guest, booted before the first of them. Constructors, tests and life cycle
 * methods get it as a parameter of type {@link Guest}. The class fails if the guest's kernel complained of
 * anything (see {@code harness/check-kernel-log}).
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("guest")
@ExtendWith(GuestExtension.class)
public @interface GuestTest {
    /** Name of the kernel; by default the system property {@code magnet.kernel}, or else Debian 12's own. */
    String kernel() default "";

    /**
     * Number of processors; one with {@link #icount}. Emulated processors spin while they wait for each other, which
     * makes a JVM need half as much time again on two: a class of commands that needs no second one does without.
     */
    int smp() default 2;

    /** How many processors the kernel has to reckon with; by default no more than there are. */
    int possibleCpus() default 0;

    /** Memory in MiB. */
    int memory() default 2048;

    /** Whether the TSC counts instructions, on one processor: with several it would go on for those that wait, too. */
    boolean icount() default false;

    /**
     * Whether an emulated guest's processors take turns: for tests that change functions while others run them, which
     * QEMU's processors do not stand side by side (see {@code harness/boot}): all that switch dynamic points or major
     * faults (level full has them) on or off. Under KVM it changes nothing.
     */
    boolean turns() default false;

    /**
     * Whether it is a machine of its own, Debian 12 under systemd (see {@code harness/machine-image}), where nothing of
     * this project is but this tree, read-only under the host's path.
     */
    boolean machine() default false;

    /** Whether it has the tools that magnet is compared with, LTTng among them (see {@code harness/peer-layer}). */
    boolean peers() default false;

    /** More for the kernel's command line. */
    String append() default "";

    /**
     * Port of the guest, at 10.0.2.15 of its network card, that is reached at {@link GuestOptions#forwardedPort} of this
     * machine's loopback address; 0 if the guest needs no network card. The guest has to set the card up.
     */
    int forward() default 0;
}
