// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import magnet.trace.ThreadNames;
import magnet.trace.TraceReader;

/** Names as a saved trace has them: devices of the machine that it comes from have numbers only. */
final class SavedNames implements GroupNames.Source {
    private static final String NAMELESS = "";

    private final TraceReader trace;
    private final ThreadNames threads;

    /** @param threads has seen the records up to now */
    SavedNames(TraceReader trace, ThreadNames threads) {
        this.trace = trace;
        this.threads = threads;
    }

    @Override
    public String ofThread(int id) {
        return threads.of(id);
    }

    @Override
    public String ofInterface(int index) {
        return NAMELESS;
    }

    @Override
    public String ofDisk(int major, int minor) {
        return NAMELESS;
    }

    @Override
    public String ofEvent(int id) {
        return trace.eventName(id);
    }
}
