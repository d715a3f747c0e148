// SPDX-License-Identifier: Apache-2.0
package magnet;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.Collectors;

/** The house, as docs/architecture.md draws it: arrows point one way. */
@AnalyzeClasses(packages = "magnet", importOptions = DoNotIncludeTests.class)
final class ArchitectureTest {
    private static final Set<String> MACHINE_TIMES = Set.of("nanoTime", "currentTimeMillis");
    private static final Set<String> COMMON_POOL = Set.of("supplyAsync", "runAsync");

    @ArchTest
    static final ArchRule ARROWS_POINT_ONE_WAY = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .withOptionalLayers(true)
            .layer("cli")
            .definedBy("magnet.cli..")
            .layer("adapt")
            .definedBy("magnet.adapt..")
            .layer("service")
            .definedBy("magnet.service..")
            .layer("measure")
            .definedBy("magnet.measure..")
            .layer("agent")
            .definedBy("magnet.agent..")
            .layer("publish")
            .definedBy("magnet.publish..")
            .layer("summary")
            .definedBy("magnet.summary..")
            .layer("handler.run")
            .definedBy("magnet.handler.run..")
            .layer("handler")
            .definedBy("magnet.handler")
            .layer("tee")
            .definedBy("magnet.tee..")
            .layer("spi")
            .definedBy("magnet.spi..")
            .layer("job")
            .definedBy("magnet.job..")
            .layer("perfetto")
            .definedBy("magnet.perfetto..")
            .layer("dump")
            .definedBy("magnet.dump..")
            .layer("trace")
            .definedBy("magnet.trace..")
            .layer("bench")
            .definedBy("magnet.bench..")
            .layer("control")
            .definedBy("magnet.control..")
            .layer("magnetfs")
            .definedBy("magnet.magnetfs..")
            .layer("recorder")
            .definedBy("magnet.recorder..")
            .layer("config")
            .definedBy("magnet.config..")
            .layer("machine")
            .definedBy("magnet.machine..")
            .layer("json")
            .definedBy("magnet.json..")
            .layer("unit")
            .definedBy("magnet.unit..")
            .layer("metric")
            .definedBy("magnet.metric..")
            .layer("os")
            .definedBy("magnet.os..")
            .layer("record")
            .definedBy("magnet.record..")
            .whereLayer("cli")
            .mayOnlyAccessLayers(
                    "adapt",
                    "service",
                    "handler.run",
                    "measure",
                    "agent",
                    "dump",
                    "bench",
                    "publish",
                    "summary",
                    "job",
                    "perfetto",
                    "recorder",
                    "trace",
                    "control",
                    "magnetfs",
                    "config",
                    "json",
                    "machine",
                    "metric",
                    "os",
                    "record",
                    "unit")
            .whereLayer("adapt")
            .mayOnlyAccessLayers(
                    "service",
                    "measure",
                    "agent",
                    "summary",
                    "job",
                    "control",
                    "magnetfs",
                    "config",
                    "machine",
                    "metric",
                    "os",
                    "record",
                    "unit")
            .whereLayer("service")
            .mayOnlyAccessLayers(
                    "measure",
                    "agent",
                    "publish",
                    "handler.run",
                    "handler",
                    "tee",
                    "recorder",
                    "summary",
                    "job",
                    "control",
                    "magnetfs",
                    "config",
                    "json",
                    "machine",
                    "metric",
                    "os",
                    "record")
            .whereLayer("recorder")
            .mayOnlyAccessLayers(
                    "measure", "agent", "trace", "control", "magnetfs", "config", "machine", "os", "record", "unit")
            .whereLayer("measure")
            .mayOnlyAccessLayers("agent", "summary", "job", "control", "magnetfs", "metric", "os", "record")
            .whereLayer("handler.run")
            .mayOnlyAccessLayers(
                    "handler",
                    "spi",
                    "measure",
                    "agent",
                    "summary",
                    "trace",
                    "control",
                    "magnetfs",
                    "machine",
                    "config",
                    "metric",
                    "os",
                    "record")
            .whereLayer("tee")
            .mayOnlyAccessLayers("agent", "json", "metric", "os", "record")
            .whereLayer("handler")
            .mayOnlyAccessLayers("spi", "summary", "trace", "config", "metric", "record")
            .whereLayer("spi")
            .mayNotAccessAnyLayer()
            .whereLayer("publish")
            .mayOnlyAccessLayers("agent", "config", "json", "metric", "os", "record")
            .whereLayer("summary")
            .mayOnlyAccessLayers("job", "metric", "record")
            .whereLayer("job")
            .mayOnlyAccessLayers("record")
            .whereLayer("perfetto")
            .mayOnlyAccessLayers("trace", "record")
            .whereLayer("dump")
            .mayOnlyAccessLayers("summary", "trace", "json", "record")
            .whereLayer("trace")
            .mayOnlyAccessLayers("os", "record", "unit")
            .whereLayer("bench")
            .mayOnlyAccessLayers("measure", "control", "magnetfs", "os", "record")
            .whereLayer("control")
            .mayOnlyAccessLayers("os", "record")
            .whereLayer("magnetfs")
            .mayOnlyAccessLayers("os", "record")
            .whereLayer("config")
            .mayOnlyAccessLayers("job", "metric", "os", "record", "unit")
            .whereLayer("machine")
            .mayOnlyAccessLayers("summary", "job", "metric", "os")
            .whereLayer("json")
            .mayNotAccessAnyLayer()
            .whereLayer("unit")
            .mayNotAccessAnyLayer()
            .whereLayer("metric")
            .mayOnlyAccessLayers("record")
            .whereLayer("os")
            .mayNotAccessAnyLayer()
            .whereLayer("record")
            .mayNotAccessAnyLayer()
            .whereLayer("agent")
            .mayNotAccessAnyLayer();

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES =
            slices().matching("magnet.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule ONLY_OS_SEES_JNA = noClasses()
            .that()
            .resideOutsideOfPackage("magnet.os..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.sun.jna..");

    @ArchTest
    static final ArchRule ONLY_THE_COMMANDS_SEE_PICOCLI = noClasses()
            .that()
            .resideOutsideOfPackages("magnet.cli..", "magnet.service..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("picocli..");

    @ArchTest
    static final ArchRule ONLY_CONFIG_SEES_COMMONS_CONFIGURATION = noClasses()
            .that()
            .resideOutsideOfPackage("magnet.config..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.apache.commons..");

    @ArchTest
    static final ArchRule ONLY_PUBLISH_SEES_GMETRIC4J = noClasses()
            .that()
            .resideOutsideOfPackage("magnet.publish..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("info.ganglia..");

    @ArchTest
    static final ArchRule ONLY_JSON_SEES_GSON = noClasses()
            .that()
            .resideOutsideOfPackage("magnet.json..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.google.gson..");

    @ArchTest
    static final ArchRule ONLY_OPENMETRICS_SEES_PROMETHEUS_AND_SERVES_HTTP = noClasses()
            .that()
            .resideOutsideOfPackage("magnet.publish.openmetrics..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.prometheus..", "com.sun.net.httpserver..");

    /** Who needs the time is given a clock: {@code System::nanoTime} may be handed over, but not called. */
    @ArchTest
    static final ArchRule TIME_IS_INJECTED = noClasses()
            .should()
            .callMethodWhere(describe(
                    "it is the machine's time",
                    call -> call.getTargetOwner().isEquivalentTo(System.class)
                            && MACHINE_TIMES.contains(call.getName())));

    /** A thread that dies unheard takes what it does with it: agents and tasks are heard. */
    @ArchTest
    static final ArchRule ONLY_AGENTS_MAKE_THREADS = noClasses()
            .that()
            .resideOutsideOfPackage("magnet.agent..")
            .should()
            .callConstructorWhere(describe(
                    "it makes a thread",
                    call -> call.getTargetOwner().isAssignableTo(Thread.class)
                            || call.getTargetOwner().isAssignableTo(Timer.class)
                            || call.getTargetOwner().isAssignableTo(ForkJoinPool.class)))
            .orShould()
            .beAssignableTo(Thread.class)
            .orShould()
            .callMethodWhere(describe(
                    "it takes a thread that somebody else makes",
                    call -> call.getTargetOwner().isEquivalentTo(Executors.class)
                            || (call.getTargetOwner().isEquivalentTo(CompletableFuture.class)
                                    && COMMON_POOL.contains(call.getName())
                                    && call.getTarget().getRawParameterTypes().stream()
                                            .noneMatch(type -> type.isEquivalentTo(Executor.class)))));

    @ArchTest
    static final ArchRule RECORDS_ARE_PURE = noClasses()
            .that()
            .resideInAnyPackage("magnet.record..", "magnet.metric..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.io..", "java.net..", "java.nio.file..", "java.nio.channels..");

    @ArchTest
    static final ArchRule NO_OTHER_LOGGING = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

    @ArchTest
    static final ArchRule PACKAGES_ARE_NULL_MARKED = classes()
            .that()
            .haveSimpleName("package-info")
            .should()
            .beAnnotatedWith(org.jspecify.annotations.NullMarked.class);

    /** A name tells what it is wherever it is read. */
    @ArchTest
    static void namesStandForOneThing(JavaClasses all) {
        Map<String, List<String>> byName = all.stream()
                .filter(each -> each.isTopLevelClass()
                        && !each.getSimpleName().isEmpty()
                        && !each.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName, Collectors.mapping(JavaClass::getName, Collectors.toList())));
        assertThat(byName.values()).allSatisfy(names -> assertThat(names).hasSize(1));
    }
}
