// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import magnet.it.guest.Tree;

/** Debian's headless Chromium. Each call starts it anew; it reaches nothing but the loopback address. */
final class Browser {
    private static final long LIMIT_SECONDS = 180;
    /** Time that a page believes to have for loading; the browser waits for what it loads, however long that takes. */
    private static final String PAGE_MILLIS = "10000";

    private final String program;
    private final Path folder;

    private Browser(String program, Path folder) {
        this.program = program;
        this.folder = folder;
    }

    /**
     * Unpacks it if it is not there yet.
     *
     * @param folder for its profile and logs
     */
    static Browser find(Path folder) throws IOException, InterruptedException {
        Process fetch = new ProcessBuilder(Tree.root()
                        .resolve("integration-tests/harness/fetch-browser")
                        .toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String program = new String(fetch.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (fetch.waitFor() != 0) {
            throw new IOException("harness/fetch-browser failed");
        }
        return new Browser(program, folder);
    }

    /** Opens a page and saves what it looks like. */
    Path screenshot(String url, int width, int height, Path png) throws IOException, InterruptedException {
        run(url, "--window-size=" + width + "," + height, "--screenshot=" + png);
        return png;
    }

    /** Opens a page and returns what it has become. */
    String document(String url) throws IOException, InterruptedException {
        return run(url, "--dump-dom");
    }

    /** Starts it and leaves it open. */
    BrowserTab tab() throws IOException, InterruptedException {
        List<String> command = command();
        command.add("--remote-debugging-port=0");
        return BrowserTab.start(command, folder.resolve("browser.log"));
    }

    private List<String> command() throws IOException {
        return new ArrayList<>(List.of(
                program,
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--user-data-dir=" + Files.createTempDirectory(folder, "profile-"),
                "--hide-scrollbars",
                "--disable-background-networking",
                "--disable-component-update",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--proxy-server=direct://"));
    }

    private String run(String url, String... options) throws IOException, InterruptedException {
        List<String> command = command();
        command.add("--virtual-time-budget=" + PAGE_MILLIS);
        command.addAll(Arrays.asList(options));
        command.add(url);
        Path output = folder.resolve("browser.out");
        Process process = new ProcessBuilder(command)
                .redirectOutput(output.toFile())
                .redirectError(folder.resolve("browser.log").toFile())
                .start();
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException("the browser did not end within " + LIMIT_SECONDS + " s: " + url);
        }
        return Files.readString(output);
    }
}
