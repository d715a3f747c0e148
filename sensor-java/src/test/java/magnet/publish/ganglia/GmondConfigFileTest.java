// SPDX-License-Identifier: Apache-2.0
package magnet.publish.ganglia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GmondConfigFileTest {
    @TempDir
    private Path folder;

    private Path main;
    private Path included;
    private GmondConfigFile file;

    @BeforeEach
    void write() throws IOException, GmondConfigException {
        main = folder.resolve("gmond.conf");
        included = folder.resolve("conf.d/a.conf");
        Files.createDirectory(folder.resolve("conf.d"));
        Files.writeString(main, """
                udp_send_channel { host = a port = 1 }
                include ("%1$s/conf.d/*.conf")
                include ("%1$s/later.d/*.conf")
                """.formatted(folder));
        Files.writeString(included, "globals { }");
        file = new GmondConfigFile(main);
        file.read();
    }

    private boolean changed() {
        return !file.stateNow().equals(file.stateThen());
    }

    @Test
    void shouldStayTheSameWhenNobodyTouchesIt() throws IOException {
        Files.writeString(folder.resolve("other.conf"), "x");
        Files.writeString(folder.resolve("conf.d/a.conf-sample"), "x");
        assertThat(changed()).isFalse();
    }

    @Test
    void shouldHaveChangedWhenItIsWrittenOver() throws IOException {
        Files.writeString(main, "udp_send_channel { host = b port = 1 }");
        assertThat(changed()).isTrue();
    }

    @Test
    void shouldHaveChangedWhenAnIncludedFileIsReplacedByAnotherOfTheSameSize() throws IOException {
        Path other = Files.writeString(folder.resolve("new"), "globals { }");
        Files.setLastModifiedTime(other, Files.getLastModifiedTime(included));
        Files.move(other, included, StandardCopyOption.ATOMIC_MOVE);
        assertThat(changed()).isTrue();
    }

    @Test
    void shouldHaveChangedWhenAFileAppearsInAPattern() throws Exception {
        Files.writeString(folder.resolve("conf.d/b.conf"), "globals { override_hostname = node7 }");
        assertThat(changed()).isTrue();
        assertThat(file.read().overrideHostname()).contains("node7");
        assertThat(changed()).isFalse();
    }

    @Test
    void shouldHaveChangedWhenAFileAppearsInAFolderThatWasNotThere() throws IOException {
        Files.createDirectory(folder.resolve("later.d"));
        assertThat(changed()).isFalse();
        Files.writeString(folder.resolve("later.d/c.conf"), "");
        assertThat(changed()).isTrue();
    }

    @Test
    void shouldHaveChangedWhenAnIncludedFileIsDeleted() throws IOException {
        Files.delete(included);
        assertThat(changed()).isTrue();
    }

    @Test
    void shouldHaveChangedWhenItsRightsChange() throws IOException {
        Files.setPosixFilePermissions(included, PosixFilePermissions.fromString("r--------"));
        assertThat(changed()).isTrue();
    }

    @Test
    void shouldHaveChangedWhenTheFileThatWasMalformedIsMended() throws Exception {
        Files.writeString(included, "globals {");
        assertThatThrownBy(() -> file.read()).hasMessageStartingWith(included + ":1: ");
        assertThat(changed()).isFalse();
        Files.writeString(included, "globals { mute = yes }");
        assertThat(changed()).isTrue();
        assertThat(file.read().mute()).isTrue();
    }

    @Test
    void shouldHaveChangedWhenTheFileThatWasMissingIsWritten() throws Exception {
        Files.delete(main);
        assertThat(file.read().fallback()).isTrue();
        Files.writeString(main, "udp_send_channel { host = b port = 1 }");
        assertThat(changed()).isTrue();
    }
}
