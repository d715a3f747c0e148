// SPDX-License-Identifier: Apache-2.0
package magnet.cli;

import java.util.Map;
import magnet.summary.Machine;

/** The machine that a saved trace is of: what is not in the trace nobody knows any more. */
final class SavedMachine implements Machine {
    @Override
    public String processName(int process) {
        return "";
    }

    @Override
    public String systemCallName(int number) {
        return "call " + number;
    }

    @Override
    public Map<Integer, String> dropReasons() {
        return Map.of();
    }

    @Override
    public Processes processes() {
        return new Processes(0, 0, 0);
    }
}
