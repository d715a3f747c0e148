// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import magnet.config.ConfigException;
import magnet.config.ConfigReader;
import magnet.config.HandlerConfig;

/** Sections as they stand in a file. */
public final class Sections {
    static final Path FILE = file();

    private Sections() {}

    private static Path file() {
        try {
            Path file = Files.createTempFile("handlers", ".conf");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sections of a text. */
    public static List<HandlerConfig> of(String text) throws ConfigException {
        try {
            Files.writeString(FILE, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ConfigReader.read(FILE, List.of(), ConfigReader.Extensions.NONE)
                .handlers()
                .sections();
    }

    static List<HandlerDefinition> definitions(String text) throws ConfigException, HandlerException {
        return Declarations.of(of(text));
    }
}
