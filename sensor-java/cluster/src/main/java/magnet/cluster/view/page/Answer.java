// SPDX-License-Identifier: Apache-2.0
package magnet.cluster.view.page;

import java.nio.charset.StandardCharsets;
import magnet.json.Json;

/** What a request gets. Immutable, but for who changes its bytes. */
final class Answer {
    private final String type;
    private final byte[] body;

    /**
     * Makes one.
     *
     * @param type of the content, as HTTP names it
     * @param body not to be changed any more
     */
    Answer(String type, byte[] body) {
        this.type = type;
        this.body = body;
    }

    static Answer json(Object value) {
        return new Answer("application/json", Json.of(value).getBytes(StandardCharsets.UTF_8));
    }

    static Answer bytes(byte[] body) {
        return new Answer("application/octet-stream", body);
    }

    static Answer svg(String picture) {
        return new Answer("image/svg+xml", picture.getBytes(StandardCharsets.UTF_8));
    }

    /** The kind of the content, as HTTP names it. */
    String type() {
        return type;
    }

    /** Not to be changed. */
    byte[] body() {
        return body;
    }
}
