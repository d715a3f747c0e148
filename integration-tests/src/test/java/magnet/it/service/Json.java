// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

/** Reads JSON with a parser that is not ours. */
public final class Json {
    private Json() {}

    /** The object that this text is. */
    public static JsonObject object(String text) {
        return JsonParser.parseString(text).getAsJsonObject();
    }
}
