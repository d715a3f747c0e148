// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import magnet.config.ConfigException;
import magnet.config.CpuList;
import magnet.config.MagnetConfig;
import magnet.os.CpuAffinity;
import magnet.os.OsException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the service on some CPUs, so that the others are left to what is watched: the whole process, since the JVM's
 * compiler and collector of garbage take time as well. For one thread.
 */
final class Affinity {
    private static final Logger LOGGER = LoggerFactory.getLogger(Affinity.class);
    private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

    private @Nullable SortedSet<Integer> before;

    /**
     * Refuses CPUs that are not there.
     *
     * @throws ConfigException naming them, and those that are
     */
    static void check(MagnetConfig config) throws ConfigException {
        try {
            check(config.affinity(), Files.readString(ONLINE).strip());
        } catch (IOException e) {
            LOGGER.debug("cannot read {}", ONLINE, e);
        }
    }

    /** The same where these are online. */
    static void check(Set<Integer> cpus, String online) throws ConfigException {
        Set<Integer> missing = new TreeSet<>(cpus);
        missing.removeAll(CpuList.parse(online).orElse(new TreeSet<>(cpus)));
        if (!missing.isEmpty()) {
            throw new ConfigException(
                    "[service] affinity has CPU " + list(missing) + ", which is not online here; online is " + online);
        }
    }

    /**
     * From now on the process runs on these CPUs; on those that it was started with if there are none.
     *
     * @throws ServiceException if it may not
     */
    void use(Set<Integer> cpus) throws ServiceException {
        if (cpus.isEmpty() && before == null) {
            return;
        }
        try {
            SortedSet<Integer> started = before == null ? CpuAffinity.get() : before;
            before = started;
            CpuAffinity.set(cpus.isEmpty() ? started : cpus);
            SortedSet<Integer> now = CpuAffinity.get();
            if (!cpus.isEmpty() && !now.equals(cpus)) {
                LOGGER.warn("[service] affinity: running on CPU {} only, the control group allows no more", list(now));
            }
        } catch (OsException e) {
            throw new ServiceException(
                    ExitCode.CONFIGURATION,
                    "[service] affinity: this process may not run on CPU " + list(cpus) + ": " + e.getMessage(),
                    e);
        }
    }

    private static String list(Set<Integer> cpus) {
        return cpus.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
