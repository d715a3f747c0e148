// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import java.nio.file.Path;
import magnet.control.FakeModule;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test of a command: each of its methods has a world of its own, in a folder of its own. */
public abstract class WorldFixture {
    protected final FakeModule module;

    @TempDir
    protected Path folder;

    protected TestWorld world;

    protected WorldFixture() {
        this(new FakeModule());
    }

    protected WorldFixture(FakeModule module) {
        this.module = module;
    }

    @BeforeEach
    void makeWorld() throws IOException {
        world = new TestWorld(folder, module);
    }
}
