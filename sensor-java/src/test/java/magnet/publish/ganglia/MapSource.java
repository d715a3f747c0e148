// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Map;

/** Files that exist in memory only. */
record MapSource(Map<String, String> files) implements GmondConfigSource {

    @Override
    public String read(String path) throws IOException {
        String text = files.get(path);
        if (text == null) {
            throw new NoSuchFileException(path);
        }
        return text;
    }

    @Override
    public boolean exists(String path) {
        return files.containsKey(path);
    }

    @Override
    public List<String> expand(String pattern) {
        FilePattern matcher = new FilePattern(pattern);
        return files.keySet().stream().filter(matcher::matches).sorted().toList();
    }
}
