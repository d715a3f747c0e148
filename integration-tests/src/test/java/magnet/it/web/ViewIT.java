// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import magnet.cluster.view.MadeUpRun;
import magnet.it.guest.Tree;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The page of {@code magnet view}, used as a person does, on the run of three nodes that is made up. Pictures are kept in
 * build/web/view.
 */
@Tag("web")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ViewIT {
    private static final Path RESULTS = Tree.build().resolve("web/view");
    private static final int WIDTH = 1500;
    private static final int HEIGHT = 700;
    private static final int SECONDS = 60;

    private static final int LATE = 0xffd4001a;
    private static final int HOG = 0xffe69f00;

    /** What a person sees when everything has come. */
    private static final String READY =
            "document.body.dataset.ready === [...new URLSearchParams(location.hash.slice(1))]"
                    + ".filter(([k]) => k === 'from' || k === 'to').map(([, v]) => v).join(' ')";

    private Process view;
    private String url;
    private BrowserTab tab;

    @BeforeAll
    void start() throws IOException, InterruptedException {
        Files.createDirectories(RESULTS);
        Path run = Files.createTempDirectory(RESULTS, "run-");
        MadeUpRun.write(run.resolve("run"), 1);
        view = new ProcessBuilder(
                        Tree.root().resolve("sensor-java/bin/magnet").toString(),
                        "view",
                        run.resolve("run").toString())
                .redirectError(run.resolve("err.txt").toFile())
                .start();
        url = new BufferedReader(new InputStreamReader(view.getInputStream(), StandardCharsets.UTF_8)).readLine();
        assertThat(url).as(Files.readString(run.resolve("err.txt"))).startsWith("http://127.0.0.1:");
        tab = Browser.find(RESULTS).tab();
    }

    @AfterAll
    void end() throws InterruptedException {
        if (tab != null) {
            tab.close();
        }
        view.destroy();
        assertThat(view.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    private void open(String hash) throws IOException, InterruptedException {
        tab.open("about:blank", WIDTH, HEIGHT);
        tab.open(url + hash, WIDTH, HEIGHT);
        tab.await(READY);
    }

    private long number(String name) throws IOException, InterruptedException {
        return Long.parseLong(tab.value("new URLSearchParams(location.hash.slice(1)).get('" + name + "')"));
    }

    private long span() throws IOException, InterruptedException {
        return number("to") - number("from");
    }

    private BufferedImage picture(String name) throws IOException, InterruptedException {
        Path png = RESULTS.resolve(name + ".png");
        tab.screenshot(png);
        return ImageIO.read(png.toFile());
    }

    private static int count(BufferedImage picture, int colour) {
        int count = 0;
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                count += picture.getRGB(x, y) == colour ? 1 : 0;
            }
        }
        return count;
    }

    @Test
    void shouldOfferWhatIsLongestAtFirst() throws IOException, InterruptedException {
        open("");
        tab.await("document.querySelectorAll('#panel-body li').length === 9");
        String panel = tab.value("document.getElementById('panel-body').innerText");
        assertThat(panel)
                .contains("3 nodes, 6 CPUs", "202 packets", "Longest waits", "Remote waits", "Longest idle gaps")
                .contains("packet from rank0 on n1");
        assertThat(tab.value("document.getElementById('remarks').innerText"))
                .contains("the clocks of the nodes were not aligned");
        BufferedImage first = picture("first");
        // The hogs have a CPU of the third node nearly all of the time, and its receiver is late.
        assertThat(count(first, HOG)).isGreaterThan(5_000);
        assertThat(count(first, LATE)).isGreaterThan(1_000);
    }

    @Test
    void shouldZoomAndGoByKeysAsPerfettoDoes() throws IOException, InterruptedException {
        open("");
        long whole = span();
        tab.press("w");
        tab.press("w");
        tab.await(READY);
        assertThat(span()).isBetween((long) (whole / 2.3), (long) (whole / 2.2));
        long from = number("from");
        tab.press("d");
        assertThat(number("from")).isGreaterThan(from);
        tab.press("a");
        assertThat(number("from")).isBetween(from - 2, from + 2);
        tab.press("s");
        assertThat(span()).isBetween((long) (whole / 1.6), (long) (whole / 1.4));
        tab.press("0");
        assertThat(span()).isEqualTo(whole);
        tab.press("?");
        assertThat(tab.value("document.getElementById('help').open")).isEqualTo("true");
        picture("help");
        tab.press("?");
        assertThat(tab.value("document.getElementById('help').open")).isEqualTo("false");
    }

    @Test
    void shouldMeasureBetweenTwoCursors() throws IOException, InterruptedException {
        open("");
        tab.mouse("mousePressed", 400, 300);
        tab.mouse("mouseMoved", 500, 300);
        tab.mouse("mouseMoved", 700, 300);
        tab.mouse("mouseReleased", 700, 300);
        tab.await("location.hash.includes('a=')");
        long selected = number("b") - number("a");
        assertThat(selected).isBetween(span() / 5, span() / 2);
        tab.click("button[data-kind=stats]");
        tab.await("document.getElementById('panel-body').innerText.includes('in the selection')");
        picture("selection");
        tab.press("f");
        tab.await(READY);
        assertThat(span()).isBetween((long) (selected * 1.19), (long) (selected * 1.21));
        tab.press("Escape");
        tab.await("!location.hash.includes('a=')");
    }

    @Test
    void shouldFindAThreadAndShowItsLane() throws IOException, InterruptedException {
        open("");
        tab.press("/");
        for (char each : "rank2".toCharArray()) {
            tab.press(String.valueOf(each));
        }
        tab.press("Enter");
        tab.await("document.querySelectorAll('#panel-body li').length === 1");
        tab.click("#panel-body li button");
        tab.await("location.hash.includes('threads=2.')");
        tab.await(READY);
        picture("thread");
    }

    @Test
    void shouldShowTheSameAgainByItsAddress() throws IOException, InterruptedException {
        open("");
        tab.click("button[data-kind=remote]");
        tab.await("document.querySelectorAll('#panel-body li').length === 50");
        tab.click("#panel-body li button");
        tab.await("location.hash.includes('threads=2.')");
        tab.await(READY);
        String hash = tab.value("location.hash");
        assertThat(hash).contains("show=remote");
        BufferedImage picture = picture("remote-wait");
        open(hash);
        tab.await("document.querySelectorAll('#panel-body li').length > 0");
        assertThat(tab.value("location.hash")).isEqualTo(hash);
        BufferedImage again = picture("remote-wait-again");
        assertThat(count(again, HOG)).isEqualTo(count(picture, HOG)).isGreaterThan(5_000);
        // In the middle third of the picture the receiver waits, in a lane of its own, and below the CPU.
        assertThat(count(again, LATE)).isEqualTo(count(picture, LATE)).isGreaterThan(1_500);
    }
}
