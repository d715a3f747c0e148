// SPDX-License-Identifier: Apache-2.0
package magnet.machine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Names of system calls by number, of one architecture. Its 32-bit programs have numbers of their own. The tables were made of
 * the kernel's headers. Immutable.
 *
 * @param own those of the machine's own programs; empty for an architecture without a table
 * @param compat those of 32-bit programs; empty likewise
 */
public record SystemCalls(Map<Integer, String> own, Map<Integer, String> compat) {
    private static final String X86_64 = "x86_64";
    private static final String ARM_64 = "aarch64";

    public SystemCalls {
        own = Map.copyOf(own);
        compat = Map.copyOf(compat);
    }

    /**
     * Those of an architecture.
     *
     * @param machine as {@code uname -m} or as Java calls it
     */
    public static SystemCalls of(String machine) {
        return switch (machineName(machine)) {
            case X86_64 -> new SystemCalls(read("syscalls-amd64.txt"), read("syscalls-i386.txt"));
            case ARM_64 -> new SystemCalls(read("syscalls-aarch64.txt"), Map.of());
            default -> new SystemCalls(Map.of(), Map.of());
        };
    }

    /** What {@code uname -m} calls the architecture of this machine. */
    public static String runningMachine() {
        return machineName(System.getProperty("os.arch", ""));
    }

    private static String machineName(String machine) {
        return machine.equals("amd64") ? X86_64 : machine;
    }

    private static Map<Integer, String> read(String resource) {
        try (InputStream in = SystemCalls.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("no " + resource + " in the jar");
            }
            return numbered(new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lines of a number and a name; comments begin with {@code #}. */
    private static Map<Integer, String> numbered(BufferedReader lines) throws IOException {
        Map<Integer, String> names = new HashMap<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int space = line.indexOf(' ');
            if (space > 0 && !line.startsWith("#")) {
                names.put(Integer.valueOf(line.substring(0, space)), line.substring(space + 1));
            }
        }
        return names;
    }
}
