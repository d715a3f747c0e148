// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles providers as somebody else would, and puts them into a jar. For one thread. */
public final class ProviderSources {
    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Map<String, String> services = new LinkedHashMap<>();

    /** A class of package {@code acme}; the text is what follows {@code public final class}. */
    public ProviderSources type(String name, String text) {
        sources.put(
                name,
                "package acme;\nimport java.util.*;\nimport magnet.spi.*;\npublic final class " + name + " " + text);
        return this;
    }

    /** A whole source file of a class. */
    public ProviderSources file(String name, String text) {
        sources.put(name, text);
        return this;
    }

    /** A file below {@code META-INF/services}. */
    public ProviderSources service(Class<?> type, String lines) {
        services.put(type.getName(), lines);
        return this;
    }

    /** A handler that counts all events of a point, and does more with each if there is more. */
    public ProviderSources handler(String type, String name, String point, String onEvent) {
        return type(type, """
                implements Handler {
                    private Count count;
                    public String name() { return "%s"; }
                    public List<Point> points() { return List.of(Point.of("%s")); }
                    public void begin(HandlerSetup setup) {
                        count = setup.count(new Description("seen", "events", "Seen", "What it has seen"));
                    }
                    public void onEvent(Event event) { count.add(1); %s }
                }
                """.formatted(name, point, onEvent));
    }

    /** Writes the jar, in the place of one that is there. */
    public Path jar(Path jar) throws IOException {
        Path work = Files.createTempDirectory("providers");
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Files.writeString(work.resolve(source.getKey() + ".java"), source.getValue());
        }
        compile(work);
        Path next = jar.resolveSibling(jar.getFileName() + ".new");
        try (OutputStream out = Files.newOutputStream(next);
                JarOutputStream entries = new JarOutputStream(out);
                Stream<Path> classes = Files.walk(work)) {
            for (Path file :
                    classes.filter(each -> each.toString().endsWith(".class")).toList()) {
                entries.putNextEntry(new JarEntry(work.relativize(file).toString()));
                entries.write(Files.readAllBytes(file));
            }
            for (Map.Entry<String, String> service : services.entrySet()) {
                entries.putNextEntry(new JarEntry("META-INF/services/" + service.getKey()));
                entries.write(service.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        Files.move(next, jar, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        return jar;
    }

    private void compile(Path work) throws IOException {
        if (sources.isEmpty()) {
            return;
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean good = compiler.getTask(
                            complaints,
                            files,
                            null,
                            List.of("-d", work.toString(), "-proc:none"),
                            null,
                            files.getJavaFileObjectsFromPaths(sources.keySet().stream()
                                    .map(name -> work.resolve(name + ".java"))
                                    .toList()))
                    .call();
            if (!good) {
                throw new AssertionError(complaints.toString());
            }
        }
    }
}
