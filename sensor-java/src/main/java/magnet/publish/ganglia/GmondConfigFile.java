// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * gmond.conf with everything that it includes, and whether any of it has changed since it was read: also files that
 * have appeared in a folder that a pattern is included from. For one thread.
 */
public final class GmondConfigFile {
    private static final String IDENTITY = "unix:dev,ino,size,ctime";

    private final Path path;
    private Watched watched = new Watched();

    public GmondConfigFile(Path path) {
        this.path = path;
    }

    /** The file itself. */
    public Path path() {
        return path;
    }

    /**
     * Reads it as {@link GmondConfig#read}, and notes what was read.
     *
     * @throws GmondConfigException if it cannot be used; says where and why
     */
    public GmondConfig read() throws GmondConfigException {
        watched = new Watched();
        return GmondConfig.read(path.toString(), watched, System::getenv);
    }

    /** How everything that was read last stood when it was read. */
    public List<String> stateThen() {
        return List.copyOf(watched.states.values());
    }

    /** How it stands now: another list if any of it has changed. */
    public List<String> stateNow() {
        List<String> now = new ArrayList<>();
        for (Query query : watched.states.keySet()) {
            now.add(watched.stateOf(query));
        }
        return now;
    }

    /**
     * What tells one state of a file from another: its inode, size and time of change, which includes a change of its
     * rights; the same for all files that cannot be found.
     */
    public static String stateOf(Path file) {
        try {
            return file + " " + Files.readAttributes(file, IDENTITY);
        } catch (IOException e) {
            return file + " missing";
        }
    }

    /** A question that was put to the file system. */
    private record Query(String text, boolean pattern) {}

    /** The real files, and how they stood just before they were read. */
    private static final class Watched implements GmondConfigSource {
        private final GmondConfigFiles files = new GmondConfigFiles();
        private final Map<Query, String> states = new LinkedHashMap<>();

        @Override
        public String read(String file) throws IOException {
            note(file, false);
            return files.read(file);
        }

        @Override
        public boolean exists(String file) {
            note(file, false);
            return files.exists(file);
        }

        @Override
        public List<String> expand(String pattern) throws IOException {
            note(pattern, true);
            return files.expand(pattern);
        }

        private void note(String text, boolean pattern) {
            states.computeIfAbsent(new Query(text, pattern), this::stateOf);
        }

        private String stateOf(Query query) {
            try {
                return query.pattern()
                        ? query.text() + files.expand(query.text())
                        : GmondConfigFile.stateOf(Path.of(query.text()));
            } catch (IOException | InvalidPathException e) {
                return query.text() + " unreadable";
            }
        }
    }
}
