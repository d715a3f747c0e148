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

    /** Number of processors. */
    int smp() default 2;

    /** How many processors the kernel has to reckon with; by default no more than there are. */
    int possibleCpus() default 0;

    /** Memory in MiB. */
    int memory() default 2048;

    /** Whether the TSC counts instructions, on one processor. */
    boolean icount() default false;

    /**
     * Whether an emulated guest's processors take turns: for tests that change functions while others run them, which
     * QEMU's processors do not stand side by side (see {@code harness/boot}). Under KVM it changes nothing.
     */
    boolean turns() default false;

    /** More for the kernel's command line. */
    String append() default "";
}
