// SPDX-License-Identifier: Apache-2.0
package magnet.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import magnet.cli.Documents;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the packages are given: pages and completion of this package lie apart from the sensor's. */
final class ClusterPagesTest {
    @TempDir
    private Path folder;

    @Test
    void shouldWritePagesIntoAFolderOfThePackage() throws IOException {
        Documents.main(new String[] {folder.toString(), "../conf/magnet.conf", "1.2.3"});

        assertThat(folder.resolve("magnet-cluster"))
                .isDirectoryContaining("glob:**/magnet-cluster.1")
                .isDirectoryContaining("glob:**/magnet-cluster-start.1")
                .isDirectoryContaining("glob:**/magnet-view.1")
                .isDirectoryContaining("glob:**/magnet-node.8");
        assertThat(folder)
                .isDirectoryContaining("glob:**/magnet-read.1")
                .isDirectoryNotContaining("glob:**/magnet-cluster*.1")
                .isDirectoryNotContaining("glob:**/magnet-node*");
        assertThat(page("magnet-cluster/magnet-node.8"))
                .contains(
                        ".SH NAME\nmagnet\\-node \\- ",
                        "magnet\\-cluster(1)",
                        "/usr/share/doc/magnet\\-sensor/docs/cluster.md");
        assertThat(page("magnet-cluster/magnet-cluster-start.1")).contains("\\-\\-allow\\-unsynchronised");
        assertThat(page("magnet.1")).contains("magnet\\-cluster(1)");
    }

    @Test
    void shouldLetBashCompleteBoth() throws IOException {
        Documents.main(new String[] {folder.toString(), "../conf/magnet.conf", "1.2.3"});

        assertThat(page("magnet.bash")).contains("--allow-unsynchronised");
        assertThat(page("magnet-cluster/magnet-node.bash")).contains("--check-config");
    }

    /** Other tests' texts are a tree's. */
    @AfterEach
    void forgetPackage() {
        System.clearProperty("magnet.docs");
        System.clearProperty("magnet.page");
    }

    private String page(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }
}
