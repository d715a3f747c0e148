// SPDX-License-Identifier: Apache-2.0
package magnet.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Runs a program as on a machine that has no IPv6. */
public final class WithoutIpv6 {
    private WithoutIpv6() {}

    /** Runs the main method of a class in a JVM of its own; gives what it printed, errors included. */
    public static String run(Class<?> program, String... arguments) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.net.preferIPv4Stack=true",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName());
        builder.command().addAll(List.of(arguments));
        Process process = builder.redirectErrorStream(true).start();
        try (InputStream out = process.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return text.strip();
        }
    }
}
