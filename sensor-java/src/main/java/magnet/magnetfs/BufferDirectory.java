// SPDX-License-Identifier: Apache-2.0
package magnet.magnetfs;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The folder with a buffer's data files: one for each CPU that has been online.
 *
 * <p>The same files stand in two places. The character nodes below {@code /dev/magnet} come first: their group may
 * open them, and they are there when debugfs is not.
 */
public final class BufferDirectory {
    private static final Path DEVICES = Path.of("/dev/magnet");
    private static final Path DEBUGFS = Path.of("/sys/kernel/debug/magnet/data");
    private static final Pattern CPU_FILE = Pattern.compile("cpu(\\d{1,5})");

    private final Path path;

    /** A buffer's folder, wherever it is. */
    public BufferDirectory(Path path) {
        this.path = path;
    }

    /**
     * Finds a buffer's folder.
     *
     * @throws NoSuchFileException if it is in neither place, or in debugfs and that may not be looked into
     */
    public static BufferDirectory find(String buffer) throws NoSuchFileException {
        return find(buffer, List.of(DEVICES, DEBUGFS));
    }

    static BufferDirectory find(String buffer, List<Path> roots) throws NoSuchFileException {
        for (Path root : roots) {
            if (Files.isDirectory(root.resolve(buffer))) {
                return new BufferDirectory(root.resolve(buffer));
            }
        }
        throw new NoSuchFileException("no data files of buffer " + buffer + ": neither in " + roots.get(0)
                + " nor, as far as this user may" + " look, in " + roots.get(roots.size() - 1));
    }

    /** Where it is. */
    public Path path() {
        return path;
    }

    /** A CPU's data file. */
    public Path cpuFile(int cpu) {
        return path.resolve("cpu" + cpu);
    }

    /** CPUs that have a data file now; none when the buffer is gone. */
    public SortedSet<Integer> cpus() throws IOException {
        SortedSet<Integer> cpus = new TreeSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
            for (Path file : files) {
                Matcher name = CPU_FILE.matcher(file.getFileName().toString());
                if (name.matches()) {
                    cpus.add(Integer.valueOf(name.group(1)));
                }
            }
        } catch (NoSuchFileException e) {
            return cpus;
        }
        return cpus;
    }
}
