// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import magnet.config.ConfigException;
import magnet.config.MagnetConfig;
import magnet.config.RecorderChoice;
import magnet.tee.RecordTee;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what the service shall write by its configuration, without writing anything: what can be known beforehand.
 * Stateless.
 */
final class WrittenFiles {
    private WrittenFiles() {}

    /**
     * Refuses what cannot be written by this user.
     *
     * @throws ConfigException naming the key, the file and the reason
     */
    static void check(MagnetConfig config) throws ConfigException {
        Optional<Path> pidFile = config.pidFile();
        if (pidFile.isPresent()) {
            String complaint = PidFile.complaint(pidFile.get());
            refuse(complaint, Files.isSymbolicLink(pidFile.get()) ? PidFile.IS_LINK : whyNotFile(pidFile.get()));
        }
        if (config.recorder().isPresent()) {
            checkRecorder(config.recorder().get());
        }
        Optional<Path> tee = config.teeDirectory();
        if (tee.isPresent()) {
            refuse(RecordTee.complaint(tee.get(), ""), whyNotFolder(tee.get()));
            for (String name : List.of(RecordTee.RECORDS, RecordTee.WINDOWS)) {
                Path file = tee.get().resolve(name);
                if (Files.exists(file)) {
                    refuse(RecordTee.complaint(tee.get(), name), whyNotFile(file));
                }
            }
        }
    }

    private static void checkRecorder(RecorderChoice recorder) throws ConfigException {
        Path folder = recorder.directory();
        String complaint = "[record] directory = " + folder + ": cannot be written: ";
        refuse(complaint, whyNotFolder(folder));
    }

    private static void refuse(String what, @Nullable String why) throws ConfigException {
        if (why != null) {
            throw new ConfigException(what + why);
        }
    }

    private static @Nullable String whyNotFile(Path file) {
        if (Files.isDirectory(file)) {
            return "it is a folder";
        }
        if (Files.exists(file)) {
            return Files.isWritable(file) ? null : "permission denied";
        }
        Path folder = file.getParent();
        if (folder == null || Files.isDirectory(folder)) {
            return folder == null || Files.isWritable(folder) ? null : "permission denied";
        }
        return Files.exists(folder)
                ? folder + " is no folder"
                : "no such folder; make " + folder + ", or name another file";
    }

    /** Folders that are not there are made. */
    private static @Nullable String whyNotFolder(Path folder) {
        Path there = folder;
        while (there != null && !Files.exists(there)) {
            there = there.getParent();
        }
        if (there == null || !Files.isDirectory(there)) {
            return there + " is no folder";
        }
        boolean full = there.equals(folder) && Files.exists(folder.resolve(RecordTee.RECORDS));
        return full || Files.isWritable(there) ? null : "permission denied for " + there;
    }
}
