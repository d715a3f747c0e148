// SPDX-License-Identifier: Apache-2.0
package magnet.cli.world;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** {@code --count COUNT}: after how many a command ends. */
public final class CountOption extends SharedOption<Long> {
    public CountOption(String description, String... more) {
        super(Long.class, "COUNT", description, List.of("-n", "--count"), more);
    }

    /** Complains about none and fewer. */
    public void check(CommandLine command) {
        if (most() < 1) {
            throw new ParameterException(command, "--count COUNT must be at least 1");
        }
    }

    /** As many; {@link Long#MAX_VALUE} if it does not matter. */
    public long most() {
        return given().orElse(Long.MAX_VALUE);
    }
}
