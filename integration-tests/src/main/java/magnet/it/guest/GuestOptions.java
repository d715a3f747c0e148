// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
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
 * @param wakes whether it can be suspended to RAM
 * @param machine whether it is a machine of its own under systemd, and not one that sees the host's files
 * @param append more for the kernel's command line
 * @param forward ports of this machine and of the guest, as {@code harness/boot --forward} takes them; none if empty
 * @param cable what it shares a cable by, as {@code harness/boot --cable} takes it; none if empty
 * @param disk the file that is a machine's disk, as {@code harness/boot --disk} takes it; one that is thrown away if empty
 * @param firmware the file with a UEFI firmware's variables, as {@code harness/boot --firmware} takes it; a BIOS if empty
 */
public record GuestOptions(
        String kernel,
        int smp,
        int possibleCpus,
        int memory,
        boolean icount,
        boolean turns,
        boolean wakes,
        boolean machine,
        String append,
        String forward,
        String cable,
        String disk,
        String firmware) {
    /** The kernels that look for faults, and how much slower they are. */
    private static final Set<String> DEBUG_KERNELS = Set.of("debug", "kcsan");

    private static final int DEBUG_SLOWNESS = 10;
    /** It is emulated wherever the tests run. */
    private static final int ARM64_SLOWNESS = 3;

    /** Two processors, 2 GiB, and the kernel that the system property {@code magnet.kernel} names. */
    public static GuestOptions defaults() {
        return new GuestOptions(
                System.getProperty("magnet.kernel", "6.1"), 2, 0, 2048, false, false, false, false, "", "", "", "", "");
    }

    static GuestOptions of(GuestTest annotation) {
        String kernel = annotation.kernel().isEmpty() ? defaults().kernel : annotation.kernel();
        return new GuestOptions(
                kernel,
                annotation.icount() ? 1 : annotation.smp(),
                annotation.possibleCpus(),
                annotation.memory(),
                annotation.icount(),
                annotation.turns(),
                false,
                annotation.machine(),
                annotation.append(),
                annotation.forward() == 0 ? "" : forwarded(annotation.forward()),
                "",
                "",
                "");
    }

    /** The same with another kernel. */
    public GuestOptions withKernel(String name) {
        return new GuestOptions(
                name, smp, possibleCpus, memory, icount, turns, wakes, machine, append, forward, cable, disk, firmware);
    }

    /** The same with another number of processors. */
    public GuestOptions withSmp(int processors) {
        return new GuestOptions(
                kernel,
                processors,
                possibleCpus,
                memory,
                icount,
                turns,
                wakes,
                machine,
                append,
                forward,
                cable,
                disk,
                firmware);
    }

    /** The same with another size of memory, in MiB. */
    public GuestOptions withMemory(int mebibytes) {
        return new GuestOptions(
                kernel,
                smp,
                possibleCpus,
                mebibytes,
                icount,
                turns,
                wakes,
                machine,
                append,
                forward,
                cable,
                disk,
                firmware);
    }

    /** The same with a network card whose port of this number is reached at {@link #forwardedPort}. */
    public GuestOptions withForward(int guestPort) {
        return new GuestOptions(
                kernel,
                smp,
                possibleCpus,
                memory,
                icount,
                turns,
                wakes,
                machine,
                append,
                forwarded(guestPort),
                cable,
                disk,
                firmware);
    }

    /**
     * The same with a network card on a cable.
     *
     * @param port tells cables apart; whoever has the same is on the same cable
     * @param place tells the cards of a cable apart, 1 to 9: the last digit of the card's address, 52:54:00:6d:61:00
     */
    public GuestOptions withCable(int port, int place) {
        return new GuestOptions(
                kernel,
                smp,
                possibleCpus,
                memory,
                icount,
                turns,
                wakes,
                machine,
                append,
                forward,
                port + ":" + place,
                disk,
                firmware);
    }

    /** The same, but such that it can be suspended to RAM and woken up, after which it has nothing of the host's but the console. */
    public GuestOptions withWaking() {
        return new GuestOptions(
                kernel,
                smp,
                possibleCpus,
                memory,
                icount,
                turns,
                true,
                machine,
                append,
                forward,
                cable,
                disk,
                firmware);
    }

    /**
     * The same as a machine of its own whose disk outlasts it, and with it what its kernel says last when it goes down, in a
     * file beside it whose name ends in {@code .pstore}.
     *
     * @param file the disk; made if it is not there
     */
    public GuestOptions withDisk(Path file) {
        return new GuestOptions(
                kernel,
                smp,
                possibleCpus,
                memory,
                icount,
                turns,
                wakes,
                true,
                append,
                forward,
                cable,
                file.toString(),
                firmware);
    }

    /**
     * The same with a UEFI firmware.
     *
     * @param variables the file with its variables, which it changes
     */
    public GuestOptions withFirmware(Path variables) {
        return new GuestOptions(
                kernel,
                smp,
                possibleCpus,
                memory,
                icount,
                turns,
                wakes,
                machine,
                append,
                forward,
                cable,
                disk,
                variables.toString());
    }

    /** The same with this on the kernel's command line. */
    public GuestOptions withAppend(String text) {
        return new GuestOptions(
                kernel, smp, possibleCpus, memory, icount, turns, wakes, machine, text, forward, cable, disk, firmware);
    }

    /** Whether the kernel is one of those that look for faults: they are slow, and built without what is not needed. */
    public boolean looksForFaults() {
        return DEBUG_KERNELS.contains(kernel);
    }

    /** Whether the guest is an arm64 machine. */
    public boolean isArm64() {
        return kernel.endsWith("-arm64");
    }

    /** The limit for this kernel of something that takes at most {@code limit} on an ordinary one. */
    public Duration scaled(Duration limit) {
        if (looksForFaults()) {
            return limit.multipliedBy(DEBUG_SLOWNESS);
        }
        return isArm64() ? limit.multipliedBy(ARM64_SLOWNESS) : limit;
    }

    /** The port of this machine's loopback address at which the guest is reached. */
    public int forwardedPort() {
        return Integer.parseInt(forward.substring(0, forward.indexOf(':')));
    }

    private static String forwarded(int guestPort) {
        return freePort() + ":" + guestPort;
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        if (wakes) {
            arguments.add("--wakes");
        }
        if (machine) {
            arguments.add("--machine");
        }
        if (!append.isEmpty()) {
            arguments.addAll(List.of("--append", append));
        }
        if (!forward.isEmpty()) {
            arguments.addAll(List.of("--forward", forward));
        }
        if (!cable.isEmpty()) {
            arguments.addAll(List.of("--cable", cable));
        }
        if (!disk.isEmpty()) {
            arguments.addAll(List.of("--disk", disk));
        }
        if (!firmware.isEmpty()) {
            arguments.addAll(List.of("--firmware", firmware));
        }
        return arguments;
    }
}
