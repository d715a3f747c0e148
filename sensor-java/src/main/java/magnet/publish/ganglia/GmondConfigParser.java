// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads gmond.conf and what it includes into a tree, by libconfuse's grammar.
 *
 * <p>Any well-formed section or option is taken, also one that this version of gmond does not know: to judge them is
 * gmond's business. For one thread.
 */
final class GmondConfigParser {
    /** As libconfuse's MAX_INCLUDE_DEPTH. */
    static final int INCLUDE_DEPTH_MAX = 10;

    private static final int SECTION_DEPTH_MAX = 100;
    private static final int FILES_MAX = 1_000;
    private static final int BYTES_MAX = 16 << 20;

    private final GmondConfigSource source;
    private final UnaryOperator<@Nullable String> environment;
    private int files;
    private long bytes;

    GmondConfigParser(GmondConfigSource source, UnaryOperator<@Nullable String> environment) {
        this.source = source;
        this.environment = environment;
    }

    /**
     * Parses a file.
     *
     * @return the root, a section without a name
     * @throws java.nio.file.NoSuchFileException if the file itself does not exist
     * @throws IOException if the file itself cannot be read
     * @throws GmondConfigException if it, or a file that it includes, is malformed or cannot be read
     */
    GmondSection parse(String path) throws IOException, GmondConfigException {
        GmondSection root = new GmondSection("", Optional.empty(), path, 1);
        String text = source.read(path);
        bytes = text.length();
        new FileParser(path, text, 1).parse(root, 0);
        return root;
    }

    /** One file on the way through it. */
    private final class FileParser {
        private final String file;
        private final GmondLexer lexer;
        private final int includeDepth;

        FileParser(String file, String text, int includeDepth) {
            this.file = file;
            this.lexer = new GmondLexer(file, text, includeDepth == 1, environment);
            this.includeDepth = includeDepth;
        }

        void parse(GmondSection section, int depth) throws GmondConfigException {
            while (true) {
                GmondToken token = lexer.next();
                switch (token.kind()) {
                    case STRING -> statement(section, token, depth);
                    case END -> {
                        // As libconfuse, which in an included file goes on with the file that includes it.
                        if (depth > 0 && includeDepth > 1) {
                            throw error(
                                    token,
                                    "section " + section.name() + " of line " + section.line() + " does not end");
                        }
                        return;
                    }
                    case CLOSE_BRACE -> {
                        if (depth == 0) {
                            throw error(token, "closing brace without a section");
                        }
                        return;
                    }
                    default -> throw error(token, "expected a name, found " + quoted(token));
                }
            }
        }

        private void statement(GmondSection section, GmondToken name, int depth) throws GmondConfigException {
            GmondToken token = lexer.next();
            switch (token.kind()) {
                case EQUALS -> value(section, name);
                case APPEND -> append(name);
                case OPEN_BRACE -> section(section, name, Optional.empty(), depth);
                case STRING -> {
                    GmondToken brace = lexer.next();
                    if (brace.kind() != GmondToken.Kind.OPEN_BRACE) {
                        throw error(token, "expected = or { after " + quoted(name) + ", found " + quoted(token));
                    }
                    section(section, name, Optional.of(token.text()), depth);
                }
                case OPEN_PARENTHESIS -> call(section, name, depth);
                default -> throw error(token, "expected = or { after " + quoted(name) + ", found " + quoted(token));
            }
        }

        private void value(GmondSection section, GmondToken name) throws GmondConfigException {
            GmondToken value = lexer.next();
            if (value.kind() == GmondToken.Kind.OPEN_BRACE) {
                skipList(name);
            } else if (value.kind() == GmondToken.Kind.STRING) {
                section.set(name.text(), new GmondSection.Option(value.text(), file, value.line()));
            } else {
                throw error(value, "expected a value for " + quoted(name) + ", found " + quoted(value));
            }
        }

        /** Only lists take {@code +=}, and nothing here is read from a list. */
        private void append(GmondToken name) throws GmondConfigException {
            GmondToken value = lexer.next();
            if (value.kind() != GmondToken.Kind.OPEN_BRACE) {
                throw error(name, quoted(name) + " is no list: it takes =, not +=");
            }
            skipList(name);
        }

        private void skipList(GmondToken name) throws GmondConfigException {
            for (GmondToken token = lexer.next(); token.kind() != GmondToken.Kind.CLOSE_BRACE; token = lexer.next()) {
                if (token.kind() != GmondToken.Kind.STRING && token.kind() != GmondToken.Kind.COMMA) {
                    throw error(token, "expected a list for " + quoted(name) + ", found " + quoted(token));
                }
            }
        }

        private void section(GmondSection parent, GmondToken name, Optional<String> title, int depth)
                throws GmondConfigException {
            if (depth == SECTION_DEPTH_MAX) {
                throw error(name, "sections nested more than " + SECTION_DEPTH_MAX + " deep");
            }
            GmondSection child = new GmondSection(name.text(), title, file, name.line());
            parse(child, depth + 1);
            parent.add(child);
        }

        private void call(GmondSection section, GmondToken name, int depth) throws GmondConfigException {
            List<String> arguments = new ArrayList<>();
            GmondToken token = lexer.next();
            while (token.kind() == GmondToken.Kind.STRING) {
                arguments.add(token.text());
                token = lexer.next();
                if (token.kind() == GmondToken.Kind.COMMA) {
                    token = lexer.next();
                }
            }
            if (token.kind() != GmondToken.Kind.CLOSE_PARENTHESIS) {
                throw error(token, "expected ) in the call of " + quoted(name) + ", found " + quoted(token));
            }
            if (depth > 0 || !name.text().equalsIgnoreCase("include")) {
                throw error(name, "no function " + quoted(name) + " here");
            }
            if (arguments.size() != 1) {
                throw error(name, "include takes one file name");
            }
            include(section, name, arguments.get(0));
        }

        private void include(GmondSection section, GmondToken name, String path) throws GmondConfigException {
            if (includeDepth == INCLUDE_DEPTH_MAX) {
                throw error(name, "includes nested more than " + INCLUDE_DEPTH_MAX + " deep");
            }
            try {
                List<String> paths =
                        source.exists(path) || !FilePattern.isPattern(path) ? List.of(path) : source.expand(path);
                for (String each : paths) {
                    if (++files > FILES_MAX) {
                        throw error(name, "more than " + FILES_MAX + " files included");
                    }
                    String text = source.read(each);
                    bytes += text.length();
                    if (bytes > BYTES_MAX) {
                        throw error(name, "more than 16 MiB in all files together");
                    }
                    new FileParser(each, text, includeDepth + 1).parse(section, 0);
                }
            } catch (IOException | InvalidPathException e) {
                throw error(name, "cannot include " + path + ": " + reason(e));
            }
        }

        private GmondConfigException error(GmondToken token, String what) {
            return new GmondConfigException(file, token.line(), what);
        }
    }

    private static String quoted(GmondToken token) {
        return token.kind() == GmondToken.Kind.END ? token.text() : "'" + token.text() + "'";
    }

    /** Why a file could not be read, in the words of the system. */
    static String reason(Exception e) {
        if (e instanceof java.nio.file.NoSuchFileException) {
            return "no such file";
        }
        if (e instanceof java.nio.file.AccessDeniedException) {
            return "permission denied";
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
