// SPDX-License-Identifier: Apache-2.0
package magnet.config;

import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import magnet.os.RegularFile;
import org.apache.commons.configuration2.INIConfiguration;
import org.apache.commons.configuration2.ex.ConfigurationException;
import org.apache.commons.configuration2.tree.ImmutableNode;

/**
 * An INI file: its sections, and where they stand. What is no UTF-8, or no INI, is refused. Immutable.
 *
 * @param file its name for messages
 * @param lines where sections and keys stand
 * @param sections in the order of the file; a key that stands before any section is one with a value
 */
record IniFile(String file, IniLines lines, List<ImmutableNode> sections) {
    private static final int BYTES_MAX = 1 << 20;

    /**
     * Reads one.
     *
     * @throws ConfigException if it cannot be read, or is none; says why
     */
    static IniFile read(Path file) throws ConfigException {
        try {
            byte[] bytes = RegularFile.read(file, BYTES_MAX);
            return parse(
                    file.toString(),
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString());
        } catch (NoSuchFileException e) {
            throw new ConfigException(file + ": no such file");
        } catch (AccessDeniedException e) {
            throw new ConfigException(file + ": permission denied");
        } catch (CharacterCodingException e) {
            throw new ConfigException(file + ": is not UTF-8");
        } catch (IOException e) {
            throw new ConfigException(file + ": cannot be read: " + e.getMessage());
        }
    }

    /**
     * Parses a text.
     *
     * @param file name for messages
     */
    static IniFile parse(String file, String text) throws ConfigException {
        IniLines lines = new IniLines(text);
        if (!lines.unclosed().isEmpty()) {
            throw new ConfigException(
                    IniLines.at(file, lines.unclosed()) + "a section's head ends with ], and this one has none");
        }
        INIConfiguration ini = new INIConfiguration();
        try {
            ini.read(new StringReader(text));
        } catch (ConfigurationException | IOException | RuntimeException e) {
            throw new ConfigException(file + ": " + e.getMessage());
        }
        return new IniFile(
                file,
                lines,
                List.copyOf(ini.getNodeModel().getInMemoryRepresentation().getChildren()));
    }
}
