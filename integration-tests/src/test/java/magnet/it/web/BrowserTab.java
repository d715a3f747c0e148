// SPDX-License-Identifier: Apache-2.0
package magnet.it.web;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/**
 * A tab of a headless Chromium that a test uses as a person does: it presses keys, moves the mouse, and reads what the page has
 * become, by the DevTools protocol. Closing it ends the browser. For one thread.
 */
final class BrowserTab implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Pattern LISTENING = Pattern.compile("DevTools listening on ws://127\\.0\\.0\\.1:(\\d+)/.*");

    private final Process process;
    private final WebSocket socket;
    private final BlockingQueue<JsonObject> answers = new LinkedBlockingQueue<>();
    private int last;

    private BrowserTab(Process process, int port) throws IOException, InterruptedException {
        this.process = process;
        HttpClient client = HttpClient.newHttpClient();
        String tab = client.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
                                .PUT(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        BodyHandlers.ofString())
                .body();
        String url = JsonParser.parseString(tab)
                .getAsJsonObject()
                .get("webSocketDebuggerUrl")
                .getAsString();
        this.socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(url), new Listener())
                .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** Puts messages together that come in pieces. */
    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean isLast) {
            text.append(data);
            if (isLast) {
                JsonObject message = JsonParser.parseString(text.toString()).getAsJsonObject();
                text.setLength(0);
                if (message.has("id")) {
                    answers.add(message);
                }
            }
            from.request(1);
            return null;
        }
    }

    /**
     * Starts the browser.
     *
     * @param command the browser with the options that all tests give it
     */
    static BrowserTab start(List<String> command, Path log) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader err =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
        StringBuilder said = new StringBuilder();
        for (String line = err.readLine(); line != null; line = err.readLine()) {
            said.append(line).append('\n');
            Matcher matcher = LISTENING.matcher(line);
            if (matcher.matches()) {
                return new BrowserTab(process, Integer.parseInt(matcher.group(1)));
            }
        }
        Files.writeString(log, said);
        throw new IOException("the browser does not say where it listens: " + said);
    }

    private JsonObject call(String method, JsonObject parameters) throws IOException, InterruptedException {
        JsonObject message = new JsonObject();
        message.addProperty("id", ++last);
        message.addProperty("method", method);
        message.add("params", parameters);
        socket.sendText(message.toString(), true).join();
        while (true) {
            JsonObject answer = answers.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
            if (answer == null) {
                throw new IOException("the browser did not answer " + method);
            }
            if (answer.get("id").getAsInt() == last) {
                if (answer.has("error")) {
                    throw new IOException(method + ": " + answer.get("error"));
                }
                return answer.getAsJsonObject("result");
            }
        }
    }

    private static JsonObject parameters(Object... pairs) {
        JsonObject all = new JsonObject();
        for (int i = 0; i < pairs.length; i += 2) {
            if (pairs[i + 1] instanceof Number number) {
                all.addProperty((String) pairs[i], number);
            } else if (pairs[i + 1] instanceof Boolean bool) {
                all.addProperty((String) pairs[i], bool);
            } else {
                all.addProperty((String) pairs[i], (String) pairs[i + 1]);
            }
        }
        return all;
    }

    /** Opens a page, in a window of a size. */
    void open(String url, int width, int height) throws IOException, InterruptedException {
        call(
                "Emulation.setDeviceMetricsOverride",
                parameters("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        call("Page.navigate", parameters("url", url));
    }

    /** The value of an expression, as text; that of a promise once it is there. */
    String value(String expression) throws IOException, InterruptedException {
        JsonObject result = call(
                "Runtime.evaluate",
                parameters("expression", "String(" + expression + ")", "awaitPromise", true, "returnByValue", true));
        if (result.has("exceptionDetails")) {
            throw new IOException(expression + ": " + result.get("exceptionDetails"));
        }
        JsonElement value = result.getAsJsonObject("result").get("value");
        return value == null ? "" : value.getAsString();
    }

    /** Waits until an expression is true. */
    void await(String expression) {
        Awaitility.await(expression)
                .atMost(LIMIT)
                .ignoreExceptions()
                .until(() -> value(expression).equals("true"));
    }

    /** Presses a key, such as {@code w} or {@code Enter}. */
    void press(String key) throws IOException, InterruptedException {
        JsonObject down = parameters("type", "keyDown", "key", key);
        if (key.length() == 1) {
            down.addProperty("text", key);
        } else if (key.equals("Enter")) {
            down.addProperty("text", "\r");
            down.addProperty("windowsVirtualKeyCode", 13);
        }
        call("Input.dispatchKeyEvent", down);
        call("Input.dispatchKeyEvent", parameters("type", "keyUp", "key", key));
    }

    /** Moves the mouse, and with it pressed if it is to drag. */
    void mouse(String type, int x, int y) throws IOException, InterruptedException {
        JsonObject event = parameters("type", type, "x", x, "y", y, "button", "left", "clickCount", 1);
        if (type.equals("mouseMoved")) {
            event.addProperty("buttons", 1);
        }
        call("Input.dispatchMouseEvent", event);
    }

    /** Clicks what a selector of CSS finds. */
    void click(String selector) throws IOException, InterruptedException {
        value("document.querySelector('" + selector + "').click()");
    }

    /** Saves what the page looks like. */
    void screenshot(Path png) throws IOException, InterruptedException {
        String data = call("Page.captureScreenshot", parameters("format", "png"))
                .get("data")
                .getAsString();
        Files.write(png, Base64.getDecoder().decode(data));
    }

    @Override
    public void close() {
        socket.abort();
        process.destroy();
        try {
            process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
