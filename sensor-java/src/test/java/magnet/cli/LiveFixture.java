// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.io.IOException;
import magnet.control.FakeModule;
import magnet.testing.Fifo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A test of a command that reads events as they come: its world has two CPUs. */
public abstract class LiveFixture extends WorldFixture {
    protected Fifo first;
    protected Fifo second;

    protected LiveFixture() {}

    protected LiveFixture(FakeModule module) {
        super(module);
    }

    @BeforeEach
    void makeFifos() throws IOException {
        first = Fifo.create(world.data.resolve("cpu0"));
        second = Fifo.create(world.data.resolve("cpu1"));
    }

    @AfterEach
    protected void closeFifos() throws IOException {
        first.close();
        second.close();
    }
}
