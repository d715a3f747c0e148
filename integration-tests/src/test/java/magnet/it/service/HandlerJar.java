// SPDX-License-Identifier: Apache-2.0
package magnet.it.service;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import magnet.spi.Handler;

/** Compiles a handler as its author would, against magnet's jar, and puts it into a jar of its own. */
final class HandlerJar {
    private HandlerJar() {}

    /**
     * Makes a jar.
     *
     * @param folder for the classes and the jar
     * @param source of public classes
     * @param names of the classes
     * @param services lines of {@code META-INF/services/magnet.spi.Handler}
     */
    static Path make(Path folder, String source, List<String> names, String services) {
        try {
            Path classes = Files.createDirectories(folder.resolve("classes"));
            for (String name : names) {
                Files.writeString(folder.resolve(name + ".java"), source.formatted(name));
            }
            compile(
                    classes,
                    names.stream().map(name -> folder.resolve(name + ".java")).toList());
            Path jar = folder.resolve("own.jar");
            try (OutputStream out = Files.newOutputStream(jar);
                    JarOutputStream entries = new JarOutputStream(out);
                    Stream<Path> files = Files.walk(classes)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    entries.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                    entries.write(Files.readAllBytes(file));
                }
                entries.putNextEntry(new JarEntry("META-INF/services/" + Handler.class.getName()));
                entries.write(services.getBytes(StandardCharsets.UTF_8));
            }
            return jar;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void compile(Path classes, List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-d", classes.toString(), "-proc:none", "--release", "17");
            boolean good = compiler.getTask(
                            complaints, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call();
            if (!good) {
                throw new AssertionError(complaints.toString());
            }
        }
    }
}
