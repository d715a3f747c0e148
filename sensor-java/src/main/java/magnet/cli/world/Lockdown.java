// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import magnet.control.ModuleNotLoadedException;

/** What the kernel says of being locked down, as Secure Boot makes it: then it takes signed modules only. */
public final class Lockdown {
    /** All modes stand in the file, the one in force in brackets. */
    private static final Pattern MODE = Pattern.compile("\\[(\\w+)]");

    private final Path file;

    public Lockdown(Path file) {
        this.file = file;
    }

    /** What to tell somebody who found that there is no module. */
    public IOException explained(ModuleNotLoadedException e) throws IOException {
        Optional<String> advice = advice();
        return advice.isPresent() ? new Failure(e.getMessage() + "; the kernel is locked down, " + advice.get()) : e;
    }

    /** Why a module that nobody signed can't be loaded, and what to do; empty where it can. */
    public Optional<String> advice() throws IOException {
        return mode().filter(mode -> !mode.equals("none"))
                .map(mode ->
                        mode + ": the kernel refuses modules that are not signed with a key that it trusts; let DKMS"
                                + " sign magnet.ko and enrol its key (mokutil --import), or switch Secure Boot off, or boot"
                                + " without lockdown=");
    }

    private Optional<String> mode() throws IOException {
        try {
            Matcher matcher = MODE.matcher(Files.readString(file));
            return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
        } catch (NoSuchFileException e) {
            // A kernel without it, or securityfs is not mounted.
            return Optional.empty();
        }
    }
}
