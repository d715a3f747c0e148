// SPDX-License-Identifier: Apache-2.0
package magnet.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Whether this kernel makes jumps of kprobes' breakpoints at all. */
public final class JumpOptimisation {
    private final Path setting;

    /**
     * What the kernel says.
     *
     * @param proc where procfs is mounted
     */
    public JumpOptimisation(Path proc) {
        this.setting = proc.resolve("sys/debug/kprobes-optimization");
    }

    /** Why it does not; empty if it does. */
    Optional<String> whyNot() throws IOException {
        try {
            boolean on = !Files.readString(setting).strip().equals("0");
            return on ? Optional.empty() : Optional.of("it is switched off, sysctl debug.kprobes-optimization is 0");
        } catch (NoSuchFileException e) {
            return Optional.of("this kernel was built without (CONFIG_OPTPROBES)");
        }
    }
}
