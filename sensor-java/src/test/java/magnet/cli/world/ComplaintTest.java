// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import magnet.os.OsException;
import org.junit.jupiter.api.Test;

final class ComplaintTest {
    @Test
    void shouldSayWhatToDoAboutIt() {
        assertThat(Complaint.about(new OsException("open /dev/magnet/main/cpu0", 13)))
                .isEqualTo("open /dev/magnet/main/cpu0: Permission denied (EACCES); join the group of /dev/magnet or"
                        + " run it as root");
        assertThat(Complaint.about(new OsException("open /dev/magnet/main/cpu0", 16)))
                .endsWith("(EBUSY); somebody else reads it");
        assertThat(Complaint.about(new OsException("poll", 12))).isEqualTo("poll: Cannot allocate memory (ENOMEM)");
    }

    @Test
    void shouldSayWhatIsWrongWithAFile() {
        assertThat(Complaint.about(new AccessDeniedException("/root/x"))).isEqualTo("/root/x: permission denied");
        assertThat(Complaint.about(new NoSuchFileException("/x"))).isEqualTo("/x: no such file or folder");
        assertThat(Complaint.about(new NotDirectoryException("/x"))).isEqualTo("/x: it is no folder");
        assertThat(Complaint.about(new FileAlreadyExistsException("/x"))).isEqualTo("/x: it is there already");
        assertThat(Complaint.about(new NoSuchFileException("/x", null, "why"))).isEqualTo("/x: why");
    }

    @Test
    void shouldNeverSayNothing() {
        assertThat(Complaint.about(new IOException())).isEqualTo("IOException");
    }
}
