// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.util.List;

/** Where the parser gets files from, so that it can be tested, and fuzzed, without any. */
interface GmondConfigSource {

    /**
     * The text of a file.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     * @throws IOException if it cannot be read
     */
    String read(String path) throws IOException;

    /** Whether there is a file of exactly this name. */
    boolean exists(String path);

    /**
     * The files of one folder that match a pattern of {@code * ? []} in the last part of its path; sorted, while gmond
     * takes them as the folder lists them. A folder that does not exist has none.
     */
    List<String> expand(String pattern) throws IOException;
}
