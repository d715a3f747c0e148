// SPDX-License-Identifier: Apache-2.0
package magnet.cli.aggregate;

import magnet.trace.TraceReader;

/** Names as a saved trace has them: devices of the machine that it comes from have numbers only. */
final class SavedNames implements GroupNames.Source {
    private static final String NAMELESS = "";

    private final TraceReader trace;

    SavedNames(TraceReader trace) {
        this.trace = trace;
    }

    @Override
    public String ofThread(int id) {
        return trace.processNames().getOrDefault(id, NAMELESS);
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
