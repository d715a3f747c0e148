// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a guest is to be like. Immutable.
 *
 * @param kernel name of the kernel, as harness/fetch-kernel knows it
 * @param smp number of processors
 * @param possibleCpus how many the kernel has to reckon with; 0: no more than there are
 * @param memory memory in MiB
 * @param icount whether the TSC counts instructions, on one processor
 * @param turns whether an emulated guest's processors take turns
 * @param append more for the kernel's command line
 */
public record GuestOptions(
        String kernel, int smp, int possibleCpus, int memory, boolean icount, boolean turns, String append) {
    /** The kernels that look for faults, and how much slower they are. */
    private static final Set<String> DEBUG_KERNELS = Set.of("debug", "kcsan");

    private static final int DEBUG_SLOWNESS = 10;

    /** Two processors, 2 GiB, and the kernel that the system property {@code magnet.kernel} names. */
    public static GuestOptions defaults() {
        return new GuestOptions(System.getProperty("magnet.kernel", "6.1"), 2, 0, 2048, false, false, "");
    }

    static GuestOptions of(GuestTest annotation) {
        String kernel = annotation.kernel().isEmpty() ? defaults().kernel : annotation.kernel();
        return new GuestOptions(
                kernel,
                annotation.smp(),
                annotation.possibleCpus(),
                annotation.memory(),
                annotation.icount(),
                annotation.turns(),
                annotation.append());
    }

    /** The same with another kernel. */
    public GuestOptions withKernel(String name) {
        return new GuestOptions(name, smp, possibleCpus, memory, icount, turns, append);
    }

    /** The same with another number of processors. */
    public GuestOptions withSmp(int processors) {
        return new GuestOptions(kernel, processors, possibleCpus, memory, icount, turns, append);
    }

    /** The same with another size of memory, in MiB. */
    public GuestOptions withMemory(int mebibytes) {
        return new GuestOptions(kernel, smp, possibleCpus, mebibytes, icount, turns, append);
    }

    /** Whether the kernel is one of those that look for faults: they are slow, and built without what is not needed. */
    public boolean looksForFaults() {
        return DEBUG_KERNELS.contains(kernel);
    }

    /** The limit for this kernel of something that takes at most {@code limit} on an ordinary one. */
    public Duration scaled(Duration limit) {
        return looksForFaults() ? limit.multipliedBy(DEBUG_SLOWNESS) : limit;
    }

    List<String> arguments() {
        String cpus = possibleCpus == 0 ? Integer.toString(smp) : smp + ",maxcpus=" + possibleCpus;
        List<String> arguments =
                new ArrayList<>(List.of("--kernel", kernel, "--smp", cpus, "--mem", Integer.toString(memory)));
        if (icount) {
            arguments.add("--icount");
        }
        if (turns) {
            arguments.add("--turns");
        }
        if (!append.isEmpty()) {
            arguments.addAll(List.of("--append", append));
        }
        return arguments;
    }
}
