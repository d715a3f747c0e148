// SPDX-License-Identifier: Apache-2.0
package magnet.cluster;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Roles never know each other: they meet in the node, and in the wire. */
@AnalyzeClasses(packages = "magnet.cluster", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureOfClusterTest {
    @ArchTest
    static final ArchRule PACKAGES_ARE_LAYERS = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("magnet.cluster..")
            .layer("cli")
            .definedBy("magnet.cluster.cli..")
            .layer("node")
            .definedBy("magnet.cluster.node..")
            .layer("recording")
            .definedBy("magnet.cluster.recording..")
            .layer("sync")
            .definedBy("magnet.cluster.sync..")
            .layer("config")
            .definedBy("magnet.cluster.config..")
            .layer("wire")
            .definedBy("magnet.cluster.wire..")
            .layer("view")
            .definedBy("magnet.cluster.view")
            .layer("page")
            .definedBy("magnet.cluster.view.page..")
            .layer("index")
            .definedBy("magnet.cluster.view.index..")
            .whereLayer("cli")
            .mayOnlyAccessLayers("recording", "sync", "config", "wire")
            .whereLayer("view")
            .mayOnlyAccessLayers("page", "index", "sync")
            .whereLayer("page")
            .mayOnlyAccessLayers("index")
            .whereLayer("index")
            .mayOnlyAccessLayers("sync")
            .whereLayer("node")
            .mayOnlyAccessLayers("recording", "config", "wire")
            .whereLayer("recording")
            .mayOnlyAccessLayers("config", "wire")
            .whereLayer("sync")
            .mayOnlyAccessLayers("recording")
            .whereLayer("config")
            .mayNotAccessAnyLayer()
            .whereLayer("wire")
            .mayNotAccessAnyLayer();

    @ArchTest
    static final ArchRule ONLY_THE_SENSOR_CALLS_NATIVE_CODE =
            noClasses().should().dependOnClassesThat().resideInAPackage("com.sun.jna..");

    @ArchTest
    static final ArchRule ONLY_AGENT_MAKES_THREADS = noClasses().should().callConstructor(Thread.class, Runnable.class);
}
