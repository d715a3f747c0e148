// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.jar.JarFile;
import magnet.spi.Filter;
import magnet.spi.Handler;
import org.jspecify.annotations.Nullable;

/**
 * The handlers and filters that one jar provides, or the class path. Each jar has a class loader of its own, so that one
 * does not disturb another, and is let go when it changes. For one thread.
 */
final class ProviderJar implements AutoCloseable {
    /** Provider files name no more broken ones than this. */
    private static final int BROKEN_MAX = 100;

    private final String origin;
    private final String state;
    private final @Nullable URLClassLoader own;
    private final List<ServiceLoader.Provider<Handler>> handlers = new ArrayList<>();
    private final List<ServiceLoader.Provider<Filter>> filters = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();

    private ProviderJar(String origin, String state, @Nullable URLClassLoader own) {
        this.origin = origin;
        this.state = state;
        this.own = own;
    }

    /** What the class path provides. */
    static ProviderJar ofClassPath() {
        ProviderJar jar = new ProviderJar("class path", "", null);
        jar.load(Handler.class.getClassLoader());
        return jar;
    }

    /** What a jar provides; of one that is none, only the complaint. */
    static ProviderJar of(Path file, String state) {
        try {
            check(file);
            URLClassLoader loader = new URLClassLoader(new URL[] {url(file)}, Handler.class.getClassLoader());
            ProviderJar jar = new ProviderJar(file.toString(), state, loader);
            jar.load(loader);
            return jar;
        } catch (IOException e) {
            ProviderJar jar = new ProviderJar(file.toString(), state, null);
            jar.complaints.add(file + ": cannot be read as a jar: " + e.getMessage());
            return jar;
        }
    }

    /** A class loader would pass over in silence what is no jar. */
    private static void check(Path file) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            if (jar.size() == 0) {
                throw new IOException("it is empty");
            }
        }
    }

    private static URL url(Path file) {
        try {
            return file.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void load(@Nullable ClassLoader loader) {
        load(Handler.class, loader, handlers);
        load(Filter.class, loader, filters);
    }

    private <T> void load(Class<T> type, @Nullable ClassLoader loader, List<ServiceLoader.Provider<T>> into) {
        Iterator<ServiceLoader.Provider<T>> providers =
                ServiceLoader.load(type, loader).stream().iterator();
        int broken = 0;
        while (broken < BROKEN_MAX) {
            try {
                if (!providers.hasNext()) {
                    return;
                }
                ServiceLoader.Provider<T> provider = providers.next();
                // Those of the class path are seen through each jar's loader as well.
                if (own == null || provider.type().getClassLoader() == own) {
                    into.add(provider);
                }
            } catch (ServiceConfigurationError | LinkageError e) {
                broken++;
                complaints.add(origin + ": " + Failures.say(e));
            }
        }
    }

    /** Where it is, for messages. */
    String origin() {
        return origin;
    }

    /** Another text when the file has changed. */
    String state() {
        return state;
    }

    List<ServiceLoader.Provider<Handler>> handlers() {
        return handlers;
    }

    List<ServiceLoader.Provider<Filter>> filters() {
        return filters;
    }

    /** What is wrong with it, a line each. */
    List<String> complaints() {
        return complaints;
    }

    @Override
    public void close() {
        if (own != null) {
            try {
                own.close();
            } catch (IOException e) {
                // It was only read.
            }
        }
    }
}
