// SPDX-License-Identifier: Apache-2.0
package magnet.it.guest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** What a guest's kernel says when something is wrong with it: {@code harness/check-kernel-log} knows. Stateless. */
public final class KernelComplaints {
    /** For run-tests: a kernel that complains once is not made good by a second run that passes. */
    private static final Path FILE = Tree.build().resolve("log/kernel-complaints");

    private KernelComplaints() {}

    /**
     * For the end of a guest's tests.
     *
     * @throws AssertionError with the complaints, if its kernel has complained since it booted; the guest is kept then
     */
    public static void failIfAny(Guest guest) throws IOException, InterruptedException {
        failIfAny(guest, guest.kernelLog().toString(), guest.console().toString());
    }

    /** The same of a guest that can't be asked any more: what is on its console has to do. */
    public static void failIfAnyOnConsole(Guest guest) throws IOException, InterruptedException {
        failIfAny(guest, guest.console().toString());
    }

    private static void failIfAny(Guest guest, String... logs) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Tree.harness().resolve("check-kernel-log").toString()));
        command.addAll(List.of(logs));
        Process check = new ProcessBuilder(command).redirectErrorStream(true).start();
        String found = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (check.waitFor() != 0) {
            guest.keep();
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, found, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            throw new AssertionError("the guest's kernel complained:\n" + found);
        }
    }
}
