// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import magnet.os.RegularFile;

/** The real files. Stateless. */
final class GmondConfigFiles implements GmondConfigSource {
    private static final int BYTES_MAX = 1 << 20;

    @Override
    public String read(String path) throws IOException {
        return new String(RegularFile.read(Path.of(path), BYTES_MAX), StandardCharsets.ISO_8859_1);
    }

    @Override
    public boolean exists(String path) {
        return Files.exists(Path.of(path));
    }

    @Override
    public List<String> expand(String pattern) throws IOException {
        int slash = pattern.lastIndexOf('/');
        String folder = slash < 0 ? "." : pattern.substring(0, Math.max(slash, 1));
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(folder))) {
            FilePattern matcher = new FilePattern(pattern.substring(slash + 1));
            for (Path file : files) {
                if (matcher.matches(file.getFileName().toString())) {
                    names.add(file.toString());
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        }
        names.sort(null);
        return names;
    }
}
