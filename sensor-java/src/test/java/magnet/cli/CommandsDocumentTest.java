// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import magnet.cli.world.Interruption;
import magnet.cli.world.World;
import magnet.service.Magnetd;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class CommandsDocumentTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "commands.md");

    private final CommandLine magnet = MagnetCommand.commandLine(World.real(new Interruption()));
    private final String markdown = CommandsDocument.markdown(magnet, new CommandLine(new Magnetd()));

    @Test
    void shouldEqualTheFileWhenItIsNotStale() throws IOException {
        if (Boolean.getBoolean("magnet.docs.write")) {
            Files.writeString(DOCUMENT, markdown);
        }
        assertThat(DOCUMENT).hasContent(markdown);
    }

    @Test
    void shouldHaveASectionForEachCommandAndNoOldName() {
        for (String name : magnet.getSubcommands().keySet()) {
            assertThat(markdown).containsOnlyOnce("\n## magnet " + name + "\n");
        }
        assertThat(markdown).contains("\n## magnetd\n", "`--check-config`");
        assertThat(markdown).doesNotContain("|  |\n").doesNotContainPattern("\n## [^\n]+\n\n\n");
        for (OldNames.Renaming each : OldNames.ALL) {
            String section = markdown.substring(markdown.indexOf("\n## magnet " + each.command() + "\n"));
            String own = section.substring(0, section.indexOf("\n## ", 1));
            assertThat(own).doesNotContain("`" + each.before() + " ", "`" + each.before() + "`");
        }
    }
}
