// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The jars in a folder, and whether they have changed. Stateless. */
public final class HandlerJars {
    private static final String JARS = "*.jar";

    private HandlerJars() {}

    /**
     * Refuses a folder that cannot be looked into.
     *
     * @throws HandlerException saying why
     */
    public static void check(Path folder) throws HandlerException {
        if (!Files.isDirectory(folder)) {
            throw new HandlerException(folder + (Files.exists(folder) ? ": is no folder" : ": no such folder"));
        }
        if (!Files.isReadable(folder)) {
            throw new HandlerException(folder + ": permission denied");
        }
    }

    /**
     * The jars by name, each with a text that is another one when the file has changed.
     *
     * @throws HandlerException if the folder cannot be read
     */
    static SortedMap<Path, String> in(Path folder) throws HandlerException {
        SortedMap<Path, String> jars = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, JARS)) {
            for (Path file : files) {
                jars.put(file, state(file));
            }
        } catch (IOException e) {
            throw new HandlerException(folder + ": cannot be read: " + e.getMessage(), e);
        }
        return jars;
    }

    /** How a folder stands now: another text if a jar came, went or changed. */
    public static String stateOf(Path folder) {
        try {
            StringBuilder state = new StringBuilder(folder.toString());
            for (Map.Entry<Path, String> jar : in(folder).entrySet()) {
                state.append('\n').append(jar.getKey()).append(' ').append(jar.getValue());
            }
            return state.toString();
        } catch (HandlerException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static String state(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.size() + " " + attributes.lastModifiedTime().toInstant() + " " + attributes.fileKey();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
