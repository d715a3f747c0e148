// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a guest is to be like: options of {@code harness/boot}, which says what each one does. Immutable. */
public final class GuestOptions {
    /** The kernels that look for faults, and how much slower they are. */
    private static final Set<String> DEBUG_KERNELS = Set.of("debug", "kcsan");

    private static final int DEBUG_SLOWNESS = 10;
    /** It is emulated wherever the tests run. */
    private static final int ARM64_SLOWNESS = 3;

    private static final String KERNEL = "--kernel";
    private static final String SMP = "--smp";
    private static final String FORWARD = "--forward";
    /** Of an option that is given or not. */
    private static final String NO_VALUE = "";

    private final Map<String, String> values;

    private GuestOptions(Map<String, String> values) {
        this.values = values;
    }

    /** Two processors, 2 GiB, and the kernel that the system property {@code magnet.kernel} names. */
    public static GuestOptions defaults() {
        return new GuestOptions(Map.of())
                .withKernel(System.getProperty("magnet.kernel", "6.1"))
                .withSmp(2)
                .withMemory(2048);
    }

    static GuestOptions of(GuestTest annotation) {
        GuestOptions options = defaults()
                .withSmp(annotation.icount() ? 1 : annotation.smp())
                .withMemory(annotation.memory())
                .withFlag("--icount", annotation.icount())
                .withFlag("--turns", annotation.turns())
                .withFlag("--machine", annotation.machine())
                .withFlag("--peers", annotation.peers());
        if (!annotation.kernel().isEmpty()) {
            options = options.withKernel(annotation.kernel());
        }
        if (annotation.possibleCpus() != 0) {
            options = options.with(SMP, options.smp() + ",maxcpus=" + annotation.possibleCpus());
        }
        if (!annotation.append().isEmpty()) {
            options = options.withAppend(annotation.append());
        }
        return annotation.forward() == 0 ? options : options.withForward(annotation.forward());
    }

    private GuestOptions with(String option, String value) {
        Map<String, String> changed = new LinkedHashMap<>(values);
        changed.put(option, value);
        return new GuestOptions(changed);
    }

    private GuestOptions withFlag(String option, boolean given) {
        return given ? with(option, NO_VALUE) : this;
    }

    /** The same with another kernel, by its name in harness/fetch-kernel. */
    public GuestOptions withKernel(String name) {
        return with(KERNEL, name);
    }

    /** The same with another number of processors; the kernel reckons with no more. */
    public GuestOptions withSmp(int processors) {
        return with(SMP, Integer.toString(processors));
    }

    /** The same with another size of memory, in MiB. */
    public GuestOptions withMemory(int mebibytes) {
        return with("--mem", Integer.toString(mebibytes));
    }

    /** The same with a network card whose port of this number is reached at {@link #forwardedPort}. */
    public GuestOptions withForward(int guestPort) {
        return with(FORWARD, freePort() + ":" + guestPort);
    }

    /**
     * The same with a network card on a cable.
     *
     * @param port tells cables apart; whoever has the same is on the same cable
     * @param place tells the cards of a cable apart, 1 to 9: the last digit of the card's address, 52:54:00:6d:61:00
     */
    public GuestOptions withCable(int port, int place) {
        return with("--cable", port + ":" + place);
    }

    /** The same, but such that it can be suspended to RAM and woken up, after which it has nothing of the host's but the console. */
    public GuestOptions withWaking() {
        return withFlag("--wakes", true);
    }

    /**
     * The same as a machine of its own whose disk outlasts it, and with it what its kernel says last when it goes down, in a
     * file beside it whose name ends in {@code .pstore}.
     *
     * @param file the disk; made if it is not there
     */
    public GuestOptions withDisk(Path file) {
        return with("--disk", file.toString());
    }

    /**
     * The same with a UEFI firmware.
     *
     * @param variables the file with its variables, which it changes
     */
    public GuestOptions withFirmware(Path variables) {
        return with("--firmware", variables.toString());
    }

    /** The same with this on the kernel's command line. */
    public GuestOptions withAppend(String text) {
        return with("--append", text);
    }

    /** The kernel's name, as harness/fetch-kernel knows it. */
    public String kernel() {
        return values.getOrDefault(KERNEL, NO_VALUE);
    }

    /** The number of processors that it begins with. */
    public int smp() {
        return Integer.parseInt(values.getOrDefault(SMP, NO_VALUE).replaceFirst(",.*", ""));
    }

    /** Whether the kernel is one of those that look for faults: they are slow, and built without what is not needed. */
    public boolean looksForFaults() {
        return DEBUG_KERNELS.contains(kernel());
    }

    /** Whether the guest is an arm64 machine. */
    public boolean isArm64() {
        return kernel().endsWith("-arm64");
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
        return Integer.parseInt(values.getOrDefault(FORWARD, NO_VALUE).replaceFirst(":.*", ""));
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        values.forEach((option, value) -> {
            arguments.add(option);
            if (!value.isEmpty()) {
                arguments.add(value);
            }
        });
        return arguments;
    }
}
