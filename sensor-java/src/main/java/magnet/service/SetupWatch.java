// SPDX-License-Identifier: Apache-2.0
package magnet.service;

import java.util.List;
import java.util.function.BiConsumer;
import magnet.config.ConfigException;
import magnet.publish.ganglia.GmondConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration again when somebody asks for it, and when one of its files has changed: then as soon as they
 * have stayed the same from one look to the next, so that no file is taken while it is being written.
 *
 * <p>What cannot be used is said in one line, and what was read last goes on to count. {@link #look} is for one thread
 * at a time.
 */
final class SetupWatch {
    private static final Logger LOGGER = LoggerFactory.getLogger(SetupWatch.class);

    private final SetupFiles files;
    private final BiConsumer<Setup, Boolean> onRead;
    private List<String> seen;
    private String said = "";

    /**
     * @param files the files, which have been read
     * @param onRead takes what was read, and whether somebody asked for it
     */
    SetupWatch(SetupFiles files, BiConsumer<Setup, Boolean> onRead) {
        this.files = files;
        this.onRead = onRead;
        this.seen = files.stateThen();
    }

    /**
     * Looks at the files.
     *
     * @param asked whether to read them in any case
     */
    void look(boolean asked) {
        List<String> now = files.stateNow();
        boolean changed = !now.equals(files.stateThen());
        boolean settled = now.equals(seen);
        seen = now;
        if (asked || (changed && settled)) {
            read(asked);
        }
    }

    private void read(boolean asked) {
        try {
            Setup setup = files.read();
            said = "";
            onRead.accept(setup, asked);
        } catch (ConfigException | GmondConfigException e) {
            String why = String.valueOf(e.getMessage());
            if (asked || !why.equals(said)) {
                LOGGER.error("{}; what was read before goes on to count", why);
            }
            said = why;
        }
    }
}
