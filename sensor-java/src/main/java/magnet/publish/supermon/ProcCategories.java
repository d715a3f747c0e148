// SPDX-License-Identifier: Apache-2.0
package magnet.publish.supermon;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.publish.supermon.Category.Kind;
import magnet.publish.supermon.Category.Variable;

/**
 * Fills the standard categories from /proc: counts since boot as the kernel has them (CPU times and jiffies in 10 ms), load
 * averages times 100, memory, swap and file systems in KiB. Reads when it is asked. For one thread.
 */
final class ProcCategories {
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");
    private static final List<String> CPU_VARIABLES = List.of("user", "nice", "system");
    private static final List<String> NET_VARIABLES = List.of(
            "rxbytes",
            "rxpackets",
            "rxerrs",
            "rxdrop",
            "rxfifo",
            "rxframe",
            "rxcompressed",
            "rxmulticast",
            "txbytes",
            "txpackets",
            "txerrs",
            "txdrop",
            "txfifo",
            "txcolls",
            "txcarrier",
            "txcompressed");
    private static final List<String> PAGING = List.of("pgpgin", "pgpgout", "pswpin", "pswpout");
    private static final int LOADS = 3;
    private static final int HUNDREDTHS = 100;
    private static final long KIB = 1_024;
    private static final int OCTAL_RADIX = 8;

    private final Path proc;
    private final InstantSource clock;

    /** @param proc where /proc is */
    ProcCategories(Path proc, InstantSource clock) {
        this.proc = proc;
        this.clock = clock;
    }

    /**
     * One category, as it is now.
     *
     * @param bit the bit that it shall say it has
     * @throws IOException if /proc does not tell
     */
    Category read(StandardCategory category, long bit) throws IOException {
        try {
            return switch (category) {
                case CPUINFO -> cpuinfo(bit);
                case AVENRUN -> avenrun(bit);
                case PAGING -> numbers(category, bit, PAGING, counts("vmstat"), PAGING);
                case SWITCH -> numbers(category, bit, List.of("switch"), counts("stat"), List.of("ctxt"));
                case TIME -> time(bit);
                case NETINFO -> netinfo(bit);
                case MEMINFO -> meminfo(bit);
                case SWAPINFO -> swapinfo(bit);
                case FSINFO -> fsinfo(bit);
            };
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            throw new IOException("cannot read " + category.label() + " from " + proc + ": " + e.getMessage(), e);
        }
    }

    private Category cpuinfo(long bit) throws IOException {
        List<String> cpus = new ArrayList<>();
        List<List<String>> values = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (String line : lines("stat")) {
            String[] fields = BLANKS.split(line, 0);
            if (fields[0].startsWith("cpu") && fields[0].length() > 3) {
                cpus.add(fields[0]);
                for (int i = 0; i < CPU_VARIABLES.size(); i++) {
                    values.get(i).add(fields[1 + i]);
                }
            }
        }
        List<Variable> variables = new ArrayList<>();
        for (int i = 0; i < CPU_VARIABLES.size(); i++) {
            variables.add(new Variable(CPU_VARIABLES.get(i), Kind.UNSIGNED, values.get(i)));
        }
        return new Category(StandardCategory.CPUINFO.label(), bit, cpus, variables);
    }

    private Category avenrun(long bit) throws IOException {
        String[] fields = BLANKS.split(lines("loadavg").get(0), 0);
        List<String> loads = new ArrayList<>();
        for (int i = 0; i < LOADS; i++) {
            loads.add(String.valueOf(Math.round(Double.parseDouble(fields[i]) * HUNDREDTHS)));
        }
        return new Category(
                StandardCategory.AVENRUN.label(),
                bit,
                List.of("load1", "load5", "load15"),
                List.of(new Variable(StandardCategory.AVENRUN.label(), Kind.UNSIGNED, loads)));
    }

    private Category time(long bit) throws IOException {
        double uptime = Double.parseDouble(BLANKS.split(lines("uptime").get(0), 0)[0]);
        return new Category(
                StandardCategory.TIME.label(),
                bit,
                List.of(
                        unsigned("timestamp", clock.instant().getEpochSecond()),
                        unsigned("jiffies", Math.round(uptime * HUNDREDTHS))));
    }

    private Category netinfo(long bit) throws IOException {
        List<String> devices = new ArrayList<>();
        List<List<String>> values = new ArrayList<>();
        NET_VARIABLES.forEach(each -> values.add(new ArrayList<>()));
        for (String line : lines("net/dev")) {
            int colon = line.lastIndexOf(':');
            if (colon > 0) {
                devices.add(line.substring(0, colon).strip());
                String[] fields = BLANKS.split(line.substring(colon + 1).strip(), 0);
                for (int i = 0; i < NET_VARIABLES.size(); i++) {
                    values.get(i).add(fields[i]);
                }
            }
        }
        List<Variable> variables = new ArrayList<>();
        variables.add(new Variable("name", Kind.STRING, devices));
        for (int i = 0; i < NET_VARIABLES.size(); i++) {
            variables.add(new Variable(NET_VARIABLES.get(i), Kind.UNSIGNED, values.get(i)));
        }
        return new Category(StandardCategory.NETINFO.label(), bit, devices, variables);
    }

    private Category meminfo(long bit) throws IOException {
        return numbers(
                StandardCategory.MEMINFO,
                bit,
                List.of("total", "free", "buffer", "shared", "totalhigh", "freehigh"),
                counts("meminfo"),
                List.of("MemTotal:", "MemFree:", "Buffers:", "Shmem:", "HighTotal:", "HighFree:"));
    }

    private Category swapinfo(long bit) throws IOException {
        Map<String, Long> memory = counts("meminfo");
        long total = memory.getOrDefault("SwapTotal:", 0L);
        return new Category(
                StandardCategory.SWAPINFO.label(),
                bit,
                List.of(
                        unsigned("total", total),
                        unsigned("used", total - memory.getOrDefault("SwapFree:", 0L)),
                        unsigned("pagecache", memory.getOrDefault("Cached:", 0L))));
    }

    /** Disks of this machine: a file system of another one, or of a program, may keep whoever asks waiting for ever. */
    private Category fsinfo(long bit) throws IOException {
        List<String> devices = new ArrayList<>();
        List<String> folders = new ArrayList<>();
        List<String> types = new ArrayList<>();
        List<String> sizes = new ArrayList<>();
        List<String> available = new ArrayList<>();
        for (String line : lines("self/mounts")) {
            String[] fields = BLANKS.split(line, 0);
            if (!fields[0].startsWith("/dev/")
                    || fields[2].startsWith("fuse")
                    || devices.contains(unescaped(fields[0]))) {
                continue;
            }
            try {
                FileStore store = Files.getFileStore(Path.of(unescaped(fields[1])));
                long size = store.getTotalSpace();
                long room = store.getUsableSpace();
                sizes.add(String.valueOf(size / KIB));
                available.add(String.valueOf(room / KIB));
            } catch (IOException | InvalidPathException e) {
                continue; // It is gone, hidden from this service, or has a name that the locale has no characters for.
            }
            devices.add(unescaped(fields[0]));
            folders.add(unescaped(fields[1]));
            types.add(fields[2]);
        }
        return new Category(
                StandardCategory.FSINFO.label(),
                bit,
                devices,
                List.of(
                        new Variable("devname", Kind.STRING, devices),
                        new Variable("mountpoint", Kind.STRING, folders),
                        new Variable("fstype", Kind.STRING, types),
                        new Variable("size", Kind.UNSIGNED, sizes),
                        new Variable("available", Kind.UNSIGNED, available)));
    }

    /** The kernel writes blanks, line ends and backslashes of names as three octal digits. */
    private static String unescaped(String field) {
        return OCTAL.matcher(field)
                .replaceAll(match ->
                        Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(match.group(1), OCTAL_RADIX))));
    }

    private static Category numbers(
            StandardCategory category, long bit, List<String> names, Map<String, Long> counts, List<String> keys) {
        List<Variable> variables = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            variables.add(unsigned(names.get(i), counts.getOrDefault(keys.get(i), 0L)));
        }
        return new Category(category.label(), bit, variables);
    }

    private static Variable unsigned(String name, long value) {
        return new Variable(name, Kind.UNSIGNED, List.of(String.format(Locale.ROOT, "%d", Math.max(0, value))));
    }

    /** The first number of each line by its first word. */
    private Map<String, Long> counts(String file) throws IOException {
        Map<String, Long> counts = new HashMap<>();
        for (String line : lines(file)) {
            String[] fields = BLANKS.split(line, 3);
            if (fields.length > 1 && !fields[0].startsWith("cpu") && !fields[1].isEmpty()) {
                counts.put(fields[0], Long.parseUnsignedLong(fields[1]));
            }
        }
        return counts;
    }

    /** Names of mounts and devices may be in any encoding. */
    private List<String> lines(String file) throws IOException {
        return ByteText.of(Files.readAllBytes(proc.resolve(file))).lines().toList();
    }
}
