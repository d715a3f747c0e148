// SPDX-License-Identifier: Apache-2.0
package magnet.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import magnet.config.HandlerChoice;
import magnet.spi.Filter;
import magnet.spi.Handler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandlerCatalogTest {
    @TempDir
    private Path folder;

    private final HandlerCatalog catalog = new HandlerCatalog();

    @AfterEach
    void close() {
        catalog.close();
    }

    @Test
    void shouldFindNothingWhenThereIsNothing() {
        HandlerCatalog.Found found = catalog.look(HandlerChoice.NONE);
        assertThat(found.candidates()).isEmpty();
        assertThat(found.failed()).isEmpty();
        assertThat(HandlerCatalog.isOnClassPath()).isFalse();
    }

    @Test
    void shouldFindDeclaredHandlersAndThoseOfEachJar() throws Exception {
        jar("a", "Alpha", "alpha");
        jar("b", "Beta", "beta");
        Files.writeString(folder.resolve("readme.txt"), "no jar");
        HandlerCatalog.Found found = look("[handler mine]\nkind = count\npoint = marker\n");
        assertThat(found.failed()).isEmpty();
        assertThat(found.candidates()).extracting(HandlerCandidate::name).containsExactly("mine", "alpha", "beta");
        assertThat(found.candidates().get(1).origin()).isEqualTo(folder.resolve("a.jar") + ": ");
        assertThat(found.candidates().get(1).handler().get().name()).isEqualTo("alpha");
    }

    @Test
    void shouldSayInOneLineWhatIsBrokenAndFindTheOthers() throws Exception {
        Files.writeString(folder.resolve("a.jar"), "no jar");
        new ProviderSources()
                .handler("Good", "good", "marker", "")
                .handler("Bad_name", "Bad", "marker", "")
                .handler("NoPoint", "lost_point", "nonesuch", "")
                .handler("Again", "good", "marker", "")
                .type(
                        "Throws",
                        "implements Handler { public Throws() { throw new IllegalStateException(\"no\\nway\"); }"
                                + METHODS)
                .type(
                        "Linkage",
                        "implements Handler { static { if (true) throw new NoClassDefFoundError(\"gone\"); }" + METHODS)
                .type("Hidden", "implements Handler { private Hidden() {}" + METHODS)
                .type("Other", "{}")
                .service(Handler.class, """
                        acme.Missing
                        acme.Throws
                        acme.Linkage
                        acme.Hidden
                        acme.Other
                        acme.Bad_name
                        acme.NoPoint
                        acme.Good
                        acme.Again
                        """)
                .jar(folder.resolve("b.jar"));
        jar("c", "Gamma", "gamma");
        HandlerCatalog.Found found = look("");
        assertThat(found.candidates()).extracting(HandlerCandidate::name).containsExactly("good", "gamma");
        String b = folder.resolve("b.jar") + ": ";
        assertThat(found.failed().values())
                .hasSize(9)
                .allSatisfy(
                        line -> assertThat(line).startsWith(folder.toString()).doesNotContain("\n"))
                .anySatisfy(line -> assertThat(line).contains("a.jar: cannot be read as a jar: "))
                .anySatisfy(line -> assertThat(line).startsWith(b).contains("Provider acme.Missing not found"))
                .anySatisfy(line ->
                        assertThat(line).startsWith(b).contains("acme.Throws").contains("IllegalStateException"))
                .anySatisfy(line -> assertThat(line).startsWith(b).contains("acme.Linkage"))
                .anySatisfy(line -> assertThat(line).startsWith(b).contains("acme.Hidden"))
                .anySatisfy(line ->
                        assertThat(line).startsWith(b).contains("acme.Other").contains("not a subtype"))
                .anySatisfy(line -> assertThat(line).startsWith(b).contains("'Bad' is no name of a handler"))
                .anySatisfy(line -> assertThat(line).startsWith(b).contains("there is no point 'nonesuch'"))
                .anySatisfy(line -> assertThat(line).startsWith(b).contains("there is another handler 'good'"));
    }

    @Test
    void shouldLoadOnlyWhatHasChanged() throws Exception {
        jar("a", "Alpha", "alpha");
        jar("b", "Beta", "beta");
        List<Object> before = keys(look(""));
        assertThat(keys(look(""))).isEqualTo(before);
        Class<?> loaded = look("").candidates().get(0).handler().get().getClass();
        assertThat(look("").candidates().get(0).handler().get().getClass()).isSameAs(loaded);
        String state = HandlerJars.stateOf(folder);
        jar("b", "Beta", "other_beta");
        assertThat(HandlerJars.stateOf(folder)).isNotEqualTo(state);
        HandlerCatalog.Found found = look("");
        assertThat(found.candidates()).extracting(HandlerCandidate::name).containsExactly("alpha", "other_beta");
        assertThat(keys(found).get(0)).isEqualTo(before.get(0));
        catalog.closeRetired();
        Files.delete(folder.resolve("b.jar"));
        assertThat(look("").candidates()).extracting(HandlerCandidate::name).containsExactly("alpha");
    }

    @Test
    void shouldGiveEachHandlerItsFilter() throws Exception {
        new ProviderSources().type("Odd", """
                        implements Filter {
                            public String name() { return "odd"; }
                            public void begin(int point, Fields fields) {}
                            public boolean passes(Event event) { return event.id() % 2 != 0; }
                        }
                        """).service(Filter.class, "acme.Odd").jar(folder.resolve("odd.jar"));
        HandlerCatalog.Found found = look("""
                [handler odds]
                kind = count
                point = marker
                filter = odd
                [handler evens]
                kind = count
                point = marker
                filter = even
                """);
        assertThat(found.candidates()).singleElement().satisfies(candidate -> {
            assertThat(candidate.name()).isEqualTo("odds");
            Filter one = candidate.filter().get();
            assertThat(one.name()).isEqualTo("odd");
            assertThat(candidate.filter().get()).isNotSameAs(one);
        });
        assertThat(found.failed())
                .containsOnlyKeys("evens")
                .containsEntry(
                        "evens",
                        Sections.FILE
                                + ":8: [handler evens] filter: no jar of handler-directory, nor the class path, has"
                                + " a filter 'even'");
    }

    @Test
    void shouldRefuseMoreThanThereMayBe() throws Exception {
        StringBuilder names = new StringBuilder();
        ProviderSources sources = new ProviderSources();
        for (int i = 0; i <= Declarations.HANDLERS_MAX; i++) {
            sources.handler("H" + i, "h" + i, "marker", "");
            names.append("acme.H").append(i).append('\n');
        }
        sources.service(Handler.class, names.toString()).jar(folder.resolve("many.jar"));
        HandlerCatalog.Found found = look("");
        assertThat(found.candidates()).hasSize(Declarations.HANDLERS_MAX);
        assertThat(found.failed().values()).singleElement().asString().contains("more than 32 handlers");
    }

    private static final String METHODS = """
             public String name() { return "x"; }
             public List<Point> points() { return List.of(Point.of("marker")); }
             public void begin(HandlerSetup setup) {}
             public void onEvent(Event event) {}
            }
            """;

    private static List<Object> keys(HandlerCatalog.Found found) {
        return found.candidates().stream().map(HandlerCandidate::key).toList();
    }

    private HandlerCatalog.Found look(String sections) throws Exception {
        return catalog.look(new HandlerChoice(Optional.of(folder), Sections.of(sections)));
    }

    private void jar(String file, String type, String name) throws Exception {
        new ProviderSources()
                .handler(type, name, "marker", "")
                .service(Handler.class, "acme." + type)
                .jar(folder.resolve(file + ".jar"));
    }
}
