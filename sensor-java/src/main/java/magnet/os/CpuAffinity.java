// SPDX-License-Identifier: Apache-2.0
package magnet.os;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The CPUs that this process runs on: sched_setaffinity(2) of all its threads, the JVM's own included. Stateless. */
public final class CpuAffinity {
    /** CPUs that a mask has room for: the most that a kernel can be built for. */
    public static final int MOST_CPUS = 8_192;

    private static final Path THREADS = Path.of("/proc/self/task");
    private static final int MASK_BYTES = MOST_CPUS / Byte.SIZE;

    private CpuAffinity() {}

    /** The CPUs that the calling thread may run on. */
    public static SortedSet<Integer> get() throws OsException {
        NativeBuffer mask = NativeBuffer.allocate(MASK_BYTES);
        if (Libc.sched_getaffinity(0, MASK_BYTES, mask.address(0, MASK_BYTES)) < 0) {
            throw new OsException("sched_getaffinity", Libc.errno());
        }
        SortedSet<Integer> cpus = new TreeSet<>();
        for (int cpu = 0; cpu < MOST_CPUS; cpu++) {
            if ((mask.bytes().getLong(cpu / Long.SIZE * Long.BYTES) >>> cpu & 1) != 0) {
                cpus.add(cpu);
            }
        }
        return cpus;
    }

    /**
     * Lets all threads of this process run on these CPUs only, as far as its control group lets it. Threads to come
     * inherit it from those that make them.
     *
     * @param cpus each below {@link #MOST_CPUS}
     * @throws OsException EINVAL if it may run on none of them
     */
    public static void set(Set<Integer> cpus) throws OsException {
        NativeBuffer mask = NativeBuffer.allocate(MASK_BYTES);
        for (int cpu : cpus) {
            int word = cpu / Long.SIZE * Long.BYTES;
            mask.bytes().putLong(word, mask.bytes().getLong(word) | 1L << cpu);
        }
        Set<Integer> done = new HashSet<>();
        int before;
        // A thread may have been made meanwhile by one whose turn had not come yet.
        do {
            before = done.size();
            for (int thread : threads()) {
                if (done.add(thread)) {
                    set(thread, mask);
                }
            }
        } while (done.size() > before);
    }

    private static void set(int thread, NativeBuffer mask) throws OsException {
        if (Libc.sched_setaffinity(thread, MASK_BYTES, mask.address(0, MASK_BYTES)) < 0
                && Libc.errno() != Errno.ESRCH.number()) {
            throw new OsException("sched_setaffinity", Libc.errno());
        }
    }

    private static Set<Integer> threads() throws OsException {
        Set<Integer> threads = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(THREADS)) {
            files.forEach(file -> threads.add(Integer.valueOf(file.getFileName().toString())));
        } catch (IOException e) {
            throw new OsException("read " + THREADS, Errno.ENOENT.number());
        }
        return threads;
    }
}
