// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import magnet.config.HandlerChoice;
import magnet.config.HandlerConfig;
import magnet.config.HandlerKey;
import magnet.metric.Level;
import magnet.spi.Filter;
import magnet.spi.Handler;
import org.jspecify.annotations.Nullable;

/**
 * All handlers that the configuration, the jars of its folder and the class path have. What is wrong with one is a line,
 * and does not keep the others from being found. For one thread.
 */
public final class HandlerCatalog implements AutoCloseable {
    /**
     * What was found.
     *
     * @param candidates handlers that could run, declared ones first
     * @param failed the others by name, or by where they come from, with the reason in a line that says both
     */
    public record Found(List<HandlerCandidate> candidates, Map<String, String> failed) {}

    /** A filter with where it comes from. */
    private record FoundFilter(ServiceLoader.Provider<Filter> provider, String key) {}

    /** Looked up once: to go through the class path reads files, and who asks may be the collector. */
    private static final boolean ON_CLASS_PATH = lookOnClassPath();

    private final Map<String, ProviderJar> jars = new LinkedHashMap<>();
    private final List<ProviderJar> retired = new ArrayList<>();
    private @Nullable ProviderJar classPath;

    /** Whether there is anything that could run, without running anything of it. */
    public static boolean isWanted(HandlerChoice choice) {
        return !choice.sections().isEmpty() || choice.directory().isPresent() || isOnClassPath();
    }

    /** Looks again; jars that have not changed are not loaded again. */
    public Found look(HandlerChoice choice) {
        Map<String, String> failed = new LinkedHashMap<>();
        List<ProviderJar> all = new ArrayList<>();
        if (classPath == null) {
            classPath = ProviderJar.ofClassPath();
        }
        all.add(classPath);
        all.addAll(jars(choice.directory(), failed));
        for (ProviderJar jar : all) {
            jar.complaints().forEach(line -> failed.put(line, line));
        }
        Map<String, HandlerCandidate> candidates = new LinkedHashMap<>();
        declared(choice.sections(), filters(all, failed), candidates, failed);
        for (ProviderJar jar : all) {
            jar.handlers().forEach(provider -> provided(jar, provider, candidates, failed));
        }
        return new Found(List.copyOf(candidates.values()), failed);
    }

    /** Lets go of jars that are gone or have changed; once their handlers have ended. */
    public void closeRetired() {
        retired.forEach(ProviderJar::close);
        retired.clear();
    }

    @Override
    public void close() {
        closeRetired();
        jars.values().forEach(ProviderJar::close);
        jars.clear();
    }

    private List<ProviderJar> jars(Optional<Path> folder, Map<String, String> failed) {
        SortedMap<Path, String> there = new TreeMap<>();
        if (folder.isPresent()) {
            try {
                there.putAll(HandlerJars.in(folder.get()));
            } catch (HandlerException e) {
                failed.put(folder.get().toString(), String.valueOf(e.getMessage()));
            }
        }
        Map<String, ProviderJar> before = new HashMap<>(jars);
        jars.clear();
        there.forEach((file, state) -> {
            ProviderJar known = before.get(file.toString());
            if (known != null && known.state().equals(state)) {
                jars.put(file.toString(), known);
                before.remove(file.toString());
            } else {
                jars.put(file.toString(), ProviderJar.of(file, state));
            }
        });
        retired.addAll(before.values());
        return List.copyOf(jars.values());
    }

    private static Map<String, FoundFilter> filters(List<ProviderJar> all, Map<String, String> failed) {
        Map<String, FoundFilter> filters = new HashMap<>();
        for (ProviderJar jar : all) {
            for (ServiceLoader.Provider<Filter> provider : jar.filters()) {
                String what = jar.origin() + ": filter " + provider.type().getName();
                try {
                    String name = provider.get().name();
                    String key = jar.origin() + " " + jar.state() + " "
                            + provider.type().getName();
                    if (filters.putIfAbsent(name, new FoundFilter(provider, key)) != null) {
                        failed.put(what, what + ": there is another filter '" + name + "'");
                    }
                } catch (Throwable e) { // somebody else's code
                    failed.put(what, what + ": " + Failures.say(e));
                }
            }
        }
        return filters;
    }

    private static void declared(
            List<HandlerConfig> sections,
            Map<String, FoundFilter> filters,
            Map<String, HandlerCandidate> candidates,
            Map<String, String> failed) {
        List<HandlerDefinition> definitions;
        try {
            definitions = Declarations.of(sections);
        } catch (HandlerException e) {
            // The configuration was checked when it was read.
            throw new IllegalArgumentException(e);
        }
        for (int i = 0; i < definitions.size(); i++) {
            HandlerDefinition definition = definitions.get(i);
            HandlerConfig section = sections.get(i);
            Optional<String> wanted = definition.filter();
            FoundFilter filter = wanted.map(filters::get).orElse(null);
            if (wanted.isPresent() && filter == null) {
                failed.put(
                        definition.name(),
                        section.place(HandlerKey.FILTER) + "[handler " + definition.name() + "] filter: no jar of"
                                + " handler-directory, nor the class path, has a filter '" + wanted.get() + "'");
                continue;
            }
            candidates.put(
                    definition.name(),
                    new HandlerCandidate(
                            List.of(definition, filter == null ? "" : filter.key()),
                            definition.name(),
                            section.place(),
                            definition.level(),
                            definition::handler,
                            filter == null ? null : filter.provider()));
        }
    }

    private static void provided(
            ProviderJar jar,
            ServiceLoader.Provider<Handler> provider,
            Map<String, HandlerCandidate> candidates,
            Map<String, String> failed) {
        String type = provider.type().getName();
        String what = jar.origin() + ": handler " + type;
        try {
            Handler handler = provider.get();
            String name = handler.name();
            Declarations.check(handler);
            if (candidates.containsKey(name)) {
                throw new HandlerException("there is another handler '" + name + "'");
            }
            if (candidates.size() == Declarations.HANDLERS_MAX) {
                throw new HandlerException("there are more than " + Declarations.HANDLERS_MAX + " handlers");
            }
            candidates.put(
                    name,
                    new HandlerCandidate(
                            List.of(jar.origin(), jar.state(), type),
                            name,
                            jar.origin() + ": ",
                            Level.SUMMARY,
                            provider,
                            null));
        } catch (HandlerException e) {
            failed.put(what, what + ": " + e.getMessage());
        } catch (Throwable e) { // somebody else's code
            failed.put(what, what + ": " + Failures.say(e));
        }
    }

    /** Whether the class path has any, which a service without a section and a folder would have to look for. */
    public static boolean isOnClassPath() {
        return ON_CLASS_PATH;
    }

    private static boolean lookOnClassPath() {
        ClassLoader loader = HandlerCatalog.class.getClassLoader();
        return loader != null && loader.getResource("META-INF/services/" + Handler.class.getName()) != null;
    }
}
